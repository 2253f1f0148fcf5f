"""Queries whose SQL is composed once: the ORM spends more time on composing a small one than the database on answering.

They stay querysets: of a scoped table they see the workspace entered when they are asked, and refuse to work without.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import QuerySet
from django.db.models.sql import UpdateQuery

from flows.scope import current, workspace

Row = TypeVar("Row")
_SCOPE = "workspace"


@dataclass(frozen=True)
class _Composed:
    """places: for each parameter of the statement, where its value comes from: (its position | scope | None, fixed)."""

    queryset: Any
    compiler: Any
    sql: str
    places: list[tuple[int | str | None, Any]]

    def params(self, connection: Any, values: Sequence[Any]) -> tuple[Any, ...]:
        given = [_stored(connection, value) for value in values]
        return tuple(_value(connection, place, fixed, given) for place, fixed in self.places)


class Prepared(Generic[Row]):
    """`by_id = Prepared(lambda id: Run.objects.filter(id=id), uuid.UUID)`, then `by_id(run)` gives the rows as a list.

    of: makes the queryset once, from stand-ins for its parameters, which it may only compare columns with; whatever
    else it names is fixed. kinds: of each parameter: uuid.UUID, str or int. A value is of its kind and never None.
    """

    def __init__(self, of: Callable[..., Iterable[Row]], *kinds: type) -> None:
        self._of = of
        self._kinds = kinds
        self._by_vendor: dict[str, _Composed] = {}

    def __call__(self, *values: Any) -> list[Row]:
        connection: Any = connections[DEFAULT_DB_ALIAS]
        composed = _of_vendor(self._by_vendor, connection, self._compose)
        params = composed.params(connection, values)
        compiler = copy.copy(composed.compiler)
        compiler.connection = connection
        compiler.as_sql = lambda *_, **__: (composed.sql, params)
        query: Any = copy.copy(composed.queryset.query)
        query.get_compiler = lambda *_, **__: compiler
        rows: Any = QuerySet(composed.queryset.model, query, DEFAULT_DB_ALIAS)
        rows._fields = composed.queryset._fields
        return list(composed.queryset._iterable_class(rows))

    def first(self, *values: Any) -> Row | None:
        """The first row, or None; the queryset should ask for no more."""
        return next(iter(self(*values)), None)

    def _compose(self, connection: Any) -> _Composed:
        return _composed(connection, self._of, self._kinds, lambda queryset: queryset.query)


class PreparedUpdate:
    """`PreparedUpdate(lambda id: Run.objects.filter(id=id), lambda: {"status": "done"}, uuid.UUID)`; called with the
    parameters it changes the rows and returns how many there were.

    set: the new values, made once: what they name is fixed, beside expressions such as F and Now.
    """

    def __init__(self, of: Callable[..., Any], set: Callable[[], dict[str, Any]], *kinds: type) -> None:
        self._of, self._set, self._kinds = of, set, kinds
        self._by_vendor: dict[str, _Composed] = {}

    def __call__(self, *values: Any) -> int:
        connection: Any = connections[DEFAULT_DB_ALIAS]
        composed = _of_vendor(self._by_vendor, connection, self._compose)
        with connection.cursor() as cursor:
            cursor.execute(composed.sql, composed.params(connection, values))
            return cursor.rowcount

    def _compose(self, connection: Any) -> _Composed:
        def query(queryset: Any) -> Any:
            update = queryset.query.chain(UpdateQuery)
            update.add_update_values(self._set())
            return update

        return _composed(connection, self._of, self._kinds, query)


def _of_vendor(known: dict[str, _Composed], connection: Any, compose: Callable[[Any], _Composed]) -> _Composed:
    found = known.get(connection.vendor)
    if found is None:
        found = known[connection.vendor] = compose(connection)
    return found


def _composed(
    connection: Any, of: Callable[..., Any], kinds: tuple[type, ...], query: Callable[[Any], Any]
) -> _Composed:
    scope = uuid.uuid4()
    stand_ins = [_stand_in(kind) for kind in kinds]
    with workspace(scope):
        queryset: Any = of(*stand_ins)
    compiler = query(queryset).get_compiler(DEFAULT_DB_ALIAS)
    sql, params = compiler.as_sql()
    known: dict[Any, int | str] = {_stored(connection, one): place for place, one in enumerate(stand_ins)}
    known[_stored(connection, scope)] = _SCOPE
    places = [(known.get(param), param) for param in params]
    missing = set(range(len(stand_ins))) - {place for place, _ in places}
    if missing:
        raise ValueError(f"The queryset changed the parameters {sorted(missing)}; they can only be compared with.")
    return _Composed(queryset, compiler, sql, places)


def _stand_in(kind: type) -> Any:
    """A value of that kind that stands nowhere else in a statement."""
    one = uuid.uuid4()
    return {uuid.UUID: one, str: one.urn, int: one.int >> 66}[kind]


def _stored(connection: Any, value: Any) -> Any:
    return value.hex if isinstance(value, uuid.UUID) and not connection.features.has_native_uuid_field else value


def _value(connection: Any, place: int | str | None, fixed: Any, given: list[Any]) -> Any:
    if place is None:
        return fixed
    return _stored(connection, current()) if isinstance(place, str) else given[place]
