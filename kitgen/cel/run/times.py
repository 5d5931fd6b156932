"""Timestamps and durations, as Go reads and writes them."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from fractions import Fraction
from functools import partial

from kitgen.cel.run.functions import register_function, register_functions
from kitgen.cel.run.values import Duration, FaultError, Timestamp, UnknownError, require
from kitgen.text.patterns import compile_late

SECOND = 10**9
UNITS = {
    "ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": SECOND, "m": 60 * SECOND,
    "h": 3600 * SECOND,
}  # fmt: skip
PARTS = compile_late(r"([0-9]*)\.?([0-9]*)(ns|us|µs|μs|ms|s|m|h)")
WHOLE = compile_late(r"[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+")
STAMP = compile_late(
    r"(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,30}))?(?:([Zz])|([+-])(\d{2}):(\d{2}))",
    re.ASCII,
)
OFFSET = compile_late(r"([+-]?)(\d{1,2}):(\d{2})", re.ASCII)
WORDS = compile_late(r"[\t\n\f\r ]*([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)[\t\n\f\r ]*")
LONG = {
    "ns": 1, "nano": 1, "us": 10**3, "µs": 10**3, "micro": 10**3, "ms": 10**6, "milli": 10**6, "s": SECOND,
    "sec": SECOND, "m": 60 * SECOND, "min": 60 * SECOND, "h": 3600 * SECOND, "hr": 3600 * SECOND,
    "hour": 3600 * SECOND, "d": 86400 * SECOND, "day": 86400 * SECOND, "w": 604800 * SECOND,
    "wk": 604800 * SECOND, "week": 604800 * SECOND,
}  # fmt: skip
LONGEST = 100
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_go_duration(text: str) -> int | None:
    """Return the nanoseconds of a duration such as 1h30m, or nothing."""
    if len(text) > LONGEST:
        return None
    if text in ("0", "+0", "-0"):
        return 0
    if not WHOLE.fullmatch(text):
        return None
    total = sum(
        int(whole + part) * UNITS[unit] // 10 ** len(part) for whole, part, unit in PARTS.findall(text)
    )
    total = -total if text.startswith("-") else total
    return total if -(2**63) <= total < 2**63 else None


def parse_duration(text: str) -> Duration:
    """Return a duration of an object: as Go writes it, or in words, such as 3 days."""
    if (found := parse_go_duration(text)) is None and len(text) <= LONGEST:
        parts = WORDS.findall(text)
        known = [
            (int(number), LONG.get(unit.lower()) or _find_unit_size(unit.lower())) for number, unit in parts
        ]
        found = sum(number * (unit or 0) for number, unit in known)
    return Duration(found or 0)


def _find_unit_size(unit: str) -> int:
    return next((size for name, size in LONG.items() if len(name) > 2 and unit.startswith(name)), 0)


@register_function("duration string -> duration")
def parse_rule_duration(text: str) -> Duration:
    """Return the duration that a rule writes as text."""
    return Duration(require(parse_go_duration(text), "invalid duration"))


@register_function("timestamp string -> timestamp")
def parse_timestamp(text: str) -> Timestamp:
    """Return the time that a text says."""
    if (match := STAMP.fullmatch(text)) is None:
        raise FaultError("invalid timestamp")
    try:
        day = datetime(*(int(part) for part in match.groups()[:6]), tzinfo=UTC)  # type: ignore[arg-type, misc]
    except ValueError as error:
        raise FaultError("invalid timestamp") from error
    seconds = (day - EPOCH) // timedelta(seconds=1)
    if match[9]:
        ahead = int(match[10]) * 3600 + int(match[11]) * 60
        seconds -= ahead if match[9] == "+" else -ahead
    return Timestamp(seconds * SECOND + int((match[7] or "0").ljust(9, "0")[:9]))


register_functions(
    {
        "timestamp int -> timestamp": lambda seconds: Timestamp(seconds * SECOND),
        "duration int -> duration": Duration,
        "timestamp timestamp -> timestamp": lambda value: value,
        "duration duration -> duration": lambda value: value,
    }
)


def decode_base64(text: str) -> bytes:
    """Return the bytes that a text stands for in base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error) as error:
        raise FaultError("invalid base64") from error


def format_timestamp(value: Timestamp) -> str:
    """Write a time as Go does."""
    seconds, nanos = divmod(value.nanos, SECOND)
    text = _to_datetime(Timestamp(seconds * SECOND), "UTC").strftime("%Y-%m-%dT%H:%M:%S")
    return text + (f".{nanos:09}".rstrip("0") if nanos else "") + "Z"


def format_duration(value: Duration) -> str:
    """Write a duration as rules do: in seconds."""
    seconds = Fraction(value.nanos, SECOND)
    return f"{int(seconds)}s" if seconds.denominator == 1 else f"{float(seconds)!r}s"


def _parse_zone(name: str) -> tzinfo:
    from datetime import timezone

    if match := OFFSET.fullmatch(name):
        ahead = timedelta(hours=int(match[2]), minutes=int(match[3]))
        return timezone(-ahead if match[1] == "-" else ahead)
    if name in ("UTC", ""):
        return UTC
    raise UnknownError(f"the time zone {name[:60]}")


def _to_datetime(value: Timestamp, zone: str) -> datetime:
    try:
        return (EPOCH + timedelta(microseconds=value.nanos // 1000)).astimezone(_parse_zone(zone))
    except OverflowError as error:
        raise FaultError("timestamp overflow") from error


DATE_PARTS: dict[str, Callable[[datetime], int]] = {
    "getFullYear": lambda at: at.year,
    "getMonth": lambda at: at.month - 1,
    "getDate": lambda at: at.day,
    "getDayOfMonth": lambda at: at.day - 1,
    "getDayOfWeek": lambda at: at.isoweekday() % 7,
    "getDayOfYear": lambda at: at.timetuple().tm_yday - 1,
    "getHours": lambda at: at.hour,
    "getMinutes": lambda at: at.minute,
    "getSeconds": lambda at: at.second,
    "getMilliseconds": lambda at: at.microsecond // 1000,
}
SPAN_PARTS = {
    "getHours": (UNITS["h"], 0),
    "getMinutes": (UNITS["m"], 0),
    "getSeconds": (SECOND, 0),
    "getMilliseconds": (UNITS["ms"], 1000),
}
"""Function → the unit that it counts, and how many of these make the next one, if only the rest counts."""


def _get_date_part(part: Callable[[datetime], int], value: Timestamp, zone: str = "UTC") -> int:
    return part(_to_datetime(value, zone))


def _get_duration_part(unit: int, within: int, value: Duration) -> int:
    whole = abs(value.nanos) // unit
    found = whole % within if within else whole
    return -found if value.nanos < 0 else found


for _name, _part in DATE_PARTS.items():
    register_function(f".{_name} timestamp -> int", f".{_name} timestamp string -> int")(
        partial(_get_date_part, _part)
    )
register_functions(
    {f".{name} duration -> int": partial(_get_duration_part, *part) for name, part in SPAN_PARTS.items()}
)
