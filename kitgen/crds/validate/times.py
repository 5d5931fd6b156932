"""Tell dates, times and durations as Go reads them, which is how the API server reads them."""

from __future__ import annotations

import re

CLOCK = r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})"
STAMP = (
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})([.,][0-9]+)?"
    r"(?:Z|[+-]([0-9]{2}):([0-9]{2}))"
)
GO_DURATION = r"[-+]?((([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+|0)"
LONG_DURATION = r"[\t\n\f\r ]*([0-9]+[\t\n\f\r ]*[A-Za-zµ]+[\t\n\f\r ]*)+"
PART = r"([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)"
UNITS = frozenset({"ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"})
UNIT_STARTS = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")
LONGEST, DIGITS = 2**63 - 1, 19


def is_date(text: str) -> bool:
    """Tell whether a text is a day such as 2024-02-29."""
    from datetime import date

    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return False
    year, month, day = (int(part) for part in text.split("-"))
    try:
        date(year or 2000, month, day)  # Go knows a year 0, which is a leap year too
    except ValueError:
        return False
    return True


def is_date_time(text: str) -> bool:
    """Tell whether a text has the format date-time; what follows a second t is not looked at."""
    day, *clocks = text.lower().split("t")
    match = re.fullmatch(CLOCK, clocks[0]) if clocks else None
    if not match or not is_date(day):
        return False
    return match[1] <= "23" and match[2] <= "59" and match[3] <= "59"


def is_timestamp(text: str) -> bool:
    """Tell whether a text is a time as metadata has it (RFC 3339)."""
    match = re.fullmatch(STAMP, text)
    if not match or not is_date(match[1]):
        return False
    hour, minute, second, ahead, past = (int(match[at] or 0) for at in (2, 3, 4, 6, 7))
    return hour < 24 and minute < 60 and second < 60 and ahead <= 24 and past < 60


def is_duration(text: str) -> bool:
    """Tell whether a text is a duration as Go writes it, such as 1h30m, or in words, such as 3 days."""
    if re.fullmatch(GO_DURATION, text):
        return True
    if not re.fullmatch(LONG_DURATION, text):
        return False
    parts = re.findall(PART, text)
    if any(len(number.lstrip("0")) > DIGITS or int(number[-DIGITS:]) > LONGEST for number, _ in parts):
        return False
    units = [unit.lower() for _, unit in parts]
    return any(unit in UNITS or unit.startswith(UNIT_STARTS) for unit in units)
