"""Five cron fields, read into the minutes, hours, days, months and weekdays that they mean."""

from __future__ import annotations

import re
from typing import NamedTuple

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_LONGEST_MONTH = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_NUMBER = re.compile(r"\d{1,4}")


class _Field(NamedTuple):
    name: str
    least: int
    most: int
    names: tuple[str, ...] = ()
    first: int = 0


_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of the month", 1, 31),
    _Field("month", 1, 12, _MONTHS, 1),
    _Field("day of the week", 0, 7, _DAYS),
)


class Cron(NamedTuple):
    """The values of each field. weekdays: 0 is Sunday.

    Where both days and weekdays are limited, a day that is in either of them counts; any_day and any_weekday say which
    of them begins with a star.
    """

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool
    any_weekday: bool


class CronRefused(ValueError):
    """The text is no schedule. The message is the rest of a sentence: `has 6 fields, and …`; hint: what to write."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


FORM = 'Write five fields: minute, hour, day of the month, month, day of the week. "0 8 * * 1-5" is eight on workdays.'


def parse(text: str) -> Cron:
    """Read a schedule. Raises CronRefused."""
    parts = text.split()
    if text.strip().startswith("@"):
        raise CronRefused("is a word for a schedule, and schedules are written out", FORM)
    if len(parts) != len(_FIELDS):
        seconds = " There are no seconds." if len(parts) == len(_FIELDS) + 1 else ""
        raise CronRefused(
            f"has {len(parts)} {'field' if len(parts) == 1 else 'fields'}, and a schedule has five", FORM + seconds
        )
    minutes, hours, days, months, weekdays = (_values(part, field) for part, field in zip(parts, _FIELDS, strict=True))
    any_weekday = parts[4].startswith("*")
    if any_weekday and not any(day <= _LONGEST_MONTH[month - 1] for month in months for day in days):
        raise CronRefused(
            "names a day that none of its months has, so it would never fire", "Name a day that there is."
        )
    return Cron(
        minutes, hours, days, months, frozenset(day % 7 for day in weekdays), parts[2].startswith("*"), any_weekday
    )


def _values(text: str, field: _Field) -> frozenset[int]:
    return frozenset(value for part in text.split(",") for value in _part(part, field))


def _part(part: str, field: _Field) -> range:
    body, slash, step = part.partition("/")
    every = 1
    if slash:
        if not _NUMBER.fullmatch(step) or int(step) == 0:
            raise CronRefused(f'has "{part}" as its {field.name}', "After / comes how many steps at a time: */15.")
        every = int(step)
    if body == "*":
        return range(field.least, field.most + 1, every)
    first, dash, last = body.partition("-")
    low = _value(first, field, part)
    if not dash:
        return range(low, field.most + 1 if slash else low + 1, every)
    high = _value(last, field, part)
    if high < low:
        raise CronRefused(
            f'has "{part}" as its {field.name}, which ends before it begins', "Write two parts: 22-23,0-5."
        )
    return range(low, high + 1, every)


def _value(text: str, field: _Field, part: str) -> int:
    if text.lower() in field.names:
        return field.names.index(text.lower()) + field.first
    if not _NUMBER.fullmatch(text):
        names = f" or {field.names[0]} to {field.names[-1]}" if field.names else ""
        raise CronRefused(
            f'has "{part}" as its {field.name}',
            f"Write *, a number from {field.least} to {field.most}{names}, a-b, a list with commas, or one of "
            "these with /n.",
        )
    value = int(text)
    if not field.least <= value <= field.most:
        raise CronRefused(f'has "{part}" as its {field.name}', f"It goes from {field.least} to {field.most}.")
    return value
