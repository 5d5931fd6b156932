"""Check strings and numbers against the formats that the API server enforces."""

from __future__ import annotations

import re
from collections.abc import Callable

NUMBERS = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}
UUID = r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?%s[0-9a-fA-F]{3}-?%s[0-9a-fA-F]{3}-?[0-9a-fA-F]{12}"
ANY, VARIANT = "[0-9a-fA-F]", "[89abAB]"
LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
GO_DURATION = r"[-+]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+|[-+]?0"
LONG_DURATION = (
    r"([0-9]+\s*(nanoseconds?|ns|microseconds?|us|µs|milliseconds?|ms|millis?|seconds?|secs?|s"
    + (r"|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|wks?|w)\s*)+")
)
PATTERNS = {
    "bsonobjectid": r"[0-9a-fA-F]{24}",
    "byte": r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?",
    "duration": f"{GO_DURATION}|{LONG_DURATION}",
    "email": rf"[^@\s<>()\[\],;:\"\\]+@{LABEL}(\.{LABEL})*",
    "hexcolor": r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})",
    "hostname": rf"(?=.{{1,255}}$){LABEL}(\.{LABEL})*\.?",
    "mac": r"([0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}|[0-9A-Fa-f]{4}(\.[0-9A-Fa-f]{4}){2})",
    "rgbcolor": r"rgb\(\s*(25[0-5]|2[0-4]\d|1?\d?\d)\s*(,\s*(25[0-5]|2[0-4]\d|1?\d?\d)\s*){2}\)",
    "ssn": r"\d{3}[- ]?\d{2}[- ]?\d{4}",
    "uri": r"([A-Za-z][A-Za-z0-9+.-]*:|/)[^\s\x00-\x1f\x7f]*",
    "uuid": UUID % (ANY, ANY),
    "uuid3": UUID % ("3", ANY),
    "uuid4": UUID % ("4", VARIANT),
    "uuid5": UUID % ("5", VARIANT),
}
CLOCK = re.compile(r"(\d{2}):(\d{2}):(\d{2})([.,]\d+)?([zZ]|[+-]\d{2}:\d{2})$", re.ASCII)


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None


def _is_date(text: str) -> bool:
    from datetime import date

    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_date_time(text: str) -> bool:
    day, _, clock = text.replace("t", "T").partition("T")
    match = CLOCK.match(clock)
    if not match or not _is_date(day):
        return False
    return int(match[1]) < 24 and int(match[2]) < 60 and int(match[3]) <= 60


def _is_ip(text: str, version: int) -> bool:
    from ipaddress import ip_address

    try:
        return ip_address(text).version == version
    except ValueError:
        return False


def _is_cidr(text: str) -> bool:
    from ipaddress import ip_network

    try:
        ip_network(text, strict=False)
    except ValueError:
        return False
    return "/" in text and text.rpartition("/")[2].isdigit()


def _is_isbn(text: str, *lengths: int) -> bool:
    digits = text.replace("-", "").replace(" ", "")
    if len(digits) not in lengths or not re.fullmatch(r"[0-9]+X?", digits):
        return False
    if len(digits) == 10:
        values = [10 if digit == "X" else int(digit) for digit in digits]
        return sum(value * (10 - place) for place, value in enumerate(values)) % 11 == 0
    return digits.isdigit() and sum(int(d) * (1, 3)[i % 2] for i, d in enumerate(digits)) % 10 == 0


def _is_card(text: str) -> bool:
    digits = [int(char) for char in text if char.isdigit() and char.isascii()]
    if not 13 <= len(digits) <= 19 or re.search(r"[^0-9 -]", text):
        return False
    doubled = [digit * 2 - 9 * (digit > 4) if i % 2 else digit for i, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


STRINGS: dict[str, Callable[[str], bool]] = {
    **{name: _matches(pattern) for name, pattern in PATTERNS.items()},
    "date": _is_date,
    "date-time": _is_date_time,
    "datetime": _is_date_time,
    "ipv4": lambda text: _is_ip(text, 4),
    "ipv6": lambda text: _is_ip(text, 6),
    "cidr": _is_cidr,
    "isbn": lambda text: _is_isbn(text, 10, 13),
    "isbn10": lambda text: _is_isbn(text, 10),
    "isbn13": lambda text: _is_isbn(text, 13),
    "creditcard": _is_card,
}
ENFORCED = frozenset(STRINGS) | frozenset(NUMBERS)


def fits_format(name: str, value: object) -> bool:
    """Tell whether a value is of a format; what the API server does not enforce always fits."""
    if isinstance(value, str):
        check = STRINGS.get(name)
        return check is None or check(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and name in NUMBERS:
        low, high = NUMBERS[name]
        return low <= value <= high
    return True
