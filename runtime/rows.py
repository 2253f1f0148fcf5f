"""Insert and change rows with statements that are composed once.

The ORM composes each statement anew, which costs more than the statement itself; a run writes dozens of rows. Values
go through the fields' own preparation, so a row reads back as it would have if the ORM had written it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

from django.db import connection, models

Conflict = Literal["fail", "ignore", "replace"]
NOW: Any = object()
"""Stands for the database's own clock among the values of `update`."""
# As django.db.models.functions.Now has it; a doubled sign is one in a statement with parameters.
_CLOCKS = {"sqlite": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW')", "postgresql": "STATEMENT_TIMESTAMP()"}


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


def update(model: type[models.Model], values: dict[str, Any], **where: Any) -> int:
    """Change the rows of a table by exact columns: `update(Run, {"status": "done", "finished_at": NOW}, id=id)`.

    Returns how many there were. NOW is the database's clock.
    """
    sql = _change(model, tuple((name, value is NOW) for name, value in values.items()), tuple(where), connection.vendor)
    given = [column(model, name, value) for name, value in values.items() if value is not NOW]
    with connection.cursor() as cursor:
        cursor.execute(sql, [*given, *(column(model, name, value) for name, value in where.items())])
        return cursor.rowcount


@lru_cache(maxsize=256)
def _change(model: type[models.Model], names: tuple[tuple[str, bool], ...], where: tuple[str, ...], vendor: str) -> str:
    def called(name: str) -> str:
        return connection.ops.quote_name(model._meta.get_field(name).column)

    clock = _CLOCKS[vendor]
    changes = ", ".join(f"{called(name)} = {clock if now else '%s'}" for name, now in names)
    tests = " AND ".join(f"{called(name)} = %s" for name in where)
    return f"UPDATE {connection.ops.quote_name(model._meta.db_table)} SET {changes} WHERE {tests}"  # noqa: S608 - our own names


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
