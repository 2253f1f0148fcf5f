"""Insert rows with a statement that is composed once.

The ORM composes each statement anew, which costs more than the statement itself; a run writes dozens of rows. Values
go through the fields' own preparation, so a row reads back as it would have if the ORM had written it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

from django.db import connection, models

Conflict = Literal["fail", "ignore", "replace"]


def insert(rows: Sequence[models.Model], *, conflict: Conflict = "fail", unique: tuple[str, ...] = ()) -> None:
    """Insert rows of one table, inside the caller's transaction. Automatic ids are the database's, and not read back.

    conflict: what happens to a row whose `unique` columns exist already: the statement fails, it stays as it was, or
    it takes the new values.
    """
    if not rows:
        return
    sql, fields = _statement(type(rows[0]), conflict, unique, connection.vendor)
    values = [[field.get_db_prep_save(field.pre_save(row, True), connection) for field in fields] for row in rows]
    with connection.cursor() as cursor:
        if len(values) == 1:
            cursor.execute(sql, values[0])
        else:
            cursor.executemany(sql, values)


def delete(model: type[models.Model], **where: Any) -> None:
    """Delete the rows of a table that nothing refers to, by exact columns: `delete(RunStream, run=id)`."""
    quote = connection.ops.quote_name
    tests = " AND ".join(f"{quote(model._meta.get_field(name).column)} = %s" for name in where)
    sql = f"DELETE FROM {quote(model._meta.db_table)} WHERE {tests}"  # noqa: S608 - our own names
    with connection.cursor() as cursor:
        cursor.execute(sql, [column(model, name, value) for name, value in where.items()])


def column(model: type[models.Model], name: str, value: Any) -> Any:
    """A value as the database has it in that column, for a statement written by hand."""
    return model._meta.get_field(name).get_db_prep_value(value, connection, prepared=False)


@lru_cache(maxsize=256)
def _statement(
    model: type[models.Model], conflict: Conflict, unique: tuple[str, ...], vendor: str
) -> tuple[str, list[Any]]:
    fields = [field for field in model._meta.local_concrete_fields if not isinstance(field, models.AutoField)]
    quote = connection.ops.quote_name
    names = ", ".join(quote(field.column) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    sql = f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES ({places})"  # noqa: S608 - our own names
    if conflict == "ignore":
        sql += " ON CONFLICT DO NOTHING"
    elif conflict == "replace":
        keys = [model._meta.get_field(name).column for name in unique]
        new = [field.column for field in fields if field.column not in keys]
        taken = ", ".join(f"{quote(name)} = EXCLUDED.{quote(name)}" for name in new)
        sql += f" ON CONFLICT ({', '.join(map(quote, keys))}) DO UPDATE SET {taken}"
    return sql, fields
