r"""Dates and times of day, which are not quotients: 4/10/2025, 10 April 2025, 1:08 pm."""

import re
from contextlib import suppress
from datetime import date

from .structures import Dates, MathObject, TimeOfDay

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_MONTH = rf"(?P<month>{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in _MONTHS)}|sept)\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_WRITTEN = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_MONTH} {_DAY},? {_YEAR}",
        rf"{_DAY} (?:of )?{_MONTH},? {_YEAR}",
        r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})",
        rf"{_MONTH} {_DAY}(?P<year>)",
        rf"{_DAY} (?:of )?{_MONTH}(?P<year>)",
    )
]
NO_YEAR = 4  # a leap year for days of any year
_IN_SLASHES = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4})")
_TIME = re.compile(r"(\d{1,2})(?:[:.](\d{2}))?(?:[:.](\d{2}))? ?([ap])\.? ?m\.?", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")


def date_or_time(text: str) -> MathObject | None:
    """Return a date or a time of day with am or pm; None if the text is neither.

    >>> date_or_time("10 April 2025") == date_or_time("2025-04-10")
    True
    >>> len(date_or_time("4/10/2025").possible), date_or_time("1:08 pm").seconds
    (2, 47280)
    """
    for pattern in _WRITTEN:
        if match := pattern.fullmatch(text):
            month = match["month"]
            starts = [name[:3] for name in _MONTHS]
            number = int(month) if month.isdigit() else starts.index(month[:3].lower()) + 1
            days = _dates([(int(match["year"] or NO_YEAR), number, int(match["day"]))])
            return Dates(days) if days else None
    if match := _IN_SLASHES.fullmatch(text):  # the month or the day first
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        days = _dates([(year, first, second), (year, second, first)])
        return Dates(days, text) if days else None
    if match := _TIME.fullmatch(text):
        hour = int(match[1])
        if not 1 <= hour <= 12:
            return None
        afternoon = 12 if match[4] in "pP" else 0
        return TimeOfDay(_seconds(hour % 12 + afternoon, match[2], match[3]))
    return None


def seconds_of_clock(text: str) -> int | None:
    """Return the seconds of 13:08 or 13:08:30; None if the text is no time of day.

    >>> seconds_of_clock("13:08"), seconds_of_clock("2:75")
    (47280, None)
    """
    match = _CLOCK.fullmatch(text)
    if match is None or int(match[1]) > 24 or max(int(match[2]), int(match[3] or 0)) > 59:
        return None
    return _seconds(int(match[1]), match[2], match[3])


def _seconds(hour: int, minutes: str | None, seconds: str | None) -> int:
    return 3600 * hour + 60 * int(minutes or 0) + int(seconds or 0)


def _dates(candidates: list[tuple[int, int, int]]) -> frozenset[date]:
    days = set()
    for year, month, day in candidates:
        with suppress(ValueError):  # there is no such day
            days.add(date(year, month, day))
    return frozenset(days)
