"""Validate strings and numbers against formats: those that the API server enforces, and integers.

Dates, times, durations, URIs, host names, networks and mail addresses are parsed as Go does. The server reads
an integer of any format with 64 bits; a number that exceeds its declared format is reported here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

from kitgen.text.patterns import compile_late

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
LONGEST_TIME, DIGITS = 2**63 - 1, 19


def is_date(text: str) -> bool:
    """Return whether a text is a day such as 2024-02-29."""
    from datetime import date

    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return False
    with suppress(ValueError):
        # Go knows a year 0, which is a leap year too.
        date.fromisoformat(re.sub("^0000", "2000", text))
        return True
    return False


def is_date_time(text: str) -> bool:
    """Return whether a text has the format date-time; what follows a second t is not looked at."""
    day, *clocks = text.lower().split("t")
    match = re.fullmatch(CLOCK, clocks[0]) if clocks else None
    if not match or not is_date(day):
        return False
    return match[1] <= "23" and match[2] <= "59" and match[3] <= "59"


def is_timestamp(text: str) -> bool:
    """Return whether a text is a time as metadata has it (RFC 3339)."""
    if not (match := re.fullmatch(STAMP, text)) or not is_date(match[1]):
        return False
    hour, minute, second, ahead, past = (int(match[at] or 0) for at in (2, 3, 4, 6, 7))
    return hour < 24 and minute < 60 and second < 60 and ahead <= 24 and past < 60


def is_duration(text: str) -> bool:
    """Return whether a text is a duration as Go writes it, such as 1h30m, or in words, such as 3 days."""
    if re.fullmatch(GO_DURATION, text):
        return True
    if not re.fullmatch(LONG_DURATION, text):
        return False
    parts = re.findall(PART, text)
    if any(len(number.lstrip("0")) > DIGITS or int(number[-DIGITS:]) > LONGEST_TIME for number, _ in parts):
        return False
    return any(unit in UNITS or unit.startswith(UNIT_STARTS) for unit in [unit.lower() for _, unit in parts])


SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*:"
# Signs of percent that escape nothing. A group that comes again would take space for each time.
UNESCAPED = compile_late(r"%(?![0-9A-Fa-f]{2})")
USER = r"[A-Za-z0-9._:~!$&'()*+,;=%@-]*"
# Of a host only bytes beyond ASCII are escaped.
HOST = r"[A-Za-z0-9_.~!$&'()*+,;=:<>\"\[\]%\u0080-\U0010ffff-]*"
HOST_UNESCAPED = compile_late(r"%(?!25|[89A-Fa-f][0-9A-Fa-f])")
PORT = r"(:[0-9]*)?"
LETTER = r"[a-zA-Z0-9\p{S}\p{L}]"
# One label alone has a dash at most after its first letter; of several, the last has two letters at least.
HOSTNAME = (
    f"^(?:{LETTER}-?{LETTER}{{0,62}}"
    rf"|(?:{LETTER}(?:(?:{LETTER}|-){{0,61}}{LETTER})?\.)+{LETTER}(?:-?{LETTER}){{1,62}})$"
)
LARGE = 16 * 1024 * 1024
"""What the letters of every script take."""
ATOM = r"A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\U0010ffff-"
QUOTED = r'"(?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[\t\x20-\x7e])+"'
MAILBOX = rf"(?:[{ATOM}]+(?:\.[{ATOM}]+)*|{QUOTED})@[ \t]*(?:[{ATOM}]+(?:\.[{ATOM}]+)*|\[[!-Z^-~]*\])"
EMAIL = rf"(?:{MAILBOX}|(?:[{ATOM}. \t]|{QUOTED})*<{MAILBOX}>)"
MAC = r"(?:{0}([:-]){0}(?:\1{0}){{4}}(?:(?:\1{0}){{2}}(?:(?:\1{0}){{12}})?)?".format(
    "[0-9A-Fa-f]{2}"
) + r"|{0}(?:\.{0}){{2}}(?:\.{0}(?:(?:\.{0}){{6}})?)?)".format("[0-9A-Fa-f]{4}")


def is_uri(text: str) -> bool:
    """Return whether a text is a URI of a request: a path from the root, or one with a scheme."""
    if not text or re.search(r"[\x00-\x1f\x7f]", text) or text.startswith(":"):
        return False
    scheme = re.match(SCHEME, text)
    rest = text[scheme.end() :] if scheme else text
    rest = rest.partition("?")[0]
    if not rest.startswith("/"):
        return scheme is not None or text == "*"
    if scheme and rest.startswith("//"):
        authority, slash, rest = rest[2:].partition("/")
        if not _is_authority(authority):
            return False
        rest = slash + rest
    return UNESCAPED.search(rest) is None


def _is_authority(text: str) -> bool:
    user, _, host = text.rpartition("@")
    if not re.fullmatch(USER, user) or UNESCAPED.search(user):
        return False
    if host.startswith("["):
        inside, bracket, port = host.rpartition("]")
        return bool(bracket) and re.fullmatch(PORT, port) is not None and _is_host(inside)
    _, colon, port = host.rpartition(":")
    return re.fullmatch(PORT, colon + port if colon else "") is not None and _is_host(host)


def _is_host(text: str) -> bool:
    return re.fullmatch(HOST, text) is not None and HOST_UNESCAPED.search(text) is None


def is_email(text: str) -> bool:
    """Return whether a text is an address of mail, with a name before it or without."""
    return re.fullmatch(EMAIL, text.strip(" \t")) is not None


def is_hostname(text: str) -> bool:
    """Return whether a text is a host's name; letters of every script are."""
    from kitgen.text.regex_match import compile_pattern

    test = compile_pattern(HOSTNAME, LARGE)
    short = all(len(part.encode(errors="replace")) <= 63 for part in text.split("."))
    return test is not None and test(text) and short and len(text.encode(errors="replace")) <= 255


def is_ip(text: str, sign: str) -> bool:
    """Return whether a text is an IP address that has a sign: a dot for version 4, a colon for 6."""
    from ipaddress import ip_address

    with suppress(ValueError):
        ip_address(text)
        return sign in text and "%" not in text
    return False


def is_cidr(text: str) -> bool:
    """Return whether a text is an address of a network with the length of its prefix."""
    from ipaddress import ip_network

    with suppress(ValueError):
        ip_network(text, strict=False)
        return text.rpartition("/")[2].isdigit() and "/" in text and "%" not in text
    return False


NUMBERS = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}
UUID = r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?%s[0-9a-fA-F]{3}-?%s[0-9a-fA-F]{3}-?[0-9a-fA-F]{12}"
ANY, VARIANT = "[0-9a-fA-F]", "[89abAB]"
SHADE = r"[\t\n\f\r ]*(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])[\t\n\f\r ]*"
PATTERNS = {
    "byte": r"(?=(?:.{4})+\Z)[A-Za-z0-9+/]+={0,2}",
    "bsonobjectid": r"[0-9a-fA-F]{24}",
    "mac": MAC,
    "hexcolor": r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})",
    "rgbcolor": rf"rgb\({SHADE},{SHADE},{SHADE}\)",
    "ssn": r"[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}",
    "uuid": UUID % (ANY, ANY),
    "uuid3": UUID % ("3", ANY),
    "uuid4": UUID % ("4", VARIANT),
    "uuid5": UUID % ("5", VARIANT),
}
CARD = "|".join(
    (
        "4[0-9]{12}([0-9]{3})?",
        "5[1-5][0-9]{14}",
        "6(011|5[0-9]{2})[0-9]{12}",
        "3[47][0-9]{13}",
        "3(0[0-5]|[68][0-9])[0-9]{11}",
        "(2131|1800|35[0-9]{3})[0-9]{11}",
    )
)
"""The numbers of the issuers that are known, by how they start and how long they are."""


def _build_matcher(pattern: str) -> Callable[[str], bool]:
    return lambda text: re.fullmatch(pattern, text) is not None


def _is_isbn(text: str, *lengths: int) -> bool:
    digits = re.sub(r"[\t\n\f\r -]+", "", text)
    if len(digits) not in lengths or not re.fullmatch(r"[0-9]+X?", digits):
        return False
    if len(digits) == 10:
        values = [10 if digit == "X" else int(digit) for digit in digits]
        return sum(value * (10 - place) for place, value in enumerate(values)) % 11 == 0
    return digits.isdigit() and sum(int(d) * (1, 3)[i % 2] for i, d in enumerate(digits)) % 10 == 0


def _is_card_number(text: str) -> bool:
    digits = re.sub(r"[^0-9]+", "", text)
    doubled = [int(d) * 2 - 9 * (d > "4") if i % 2 else int(d) for i, d in enumerate(reversed(digits))]
    return re.fullmatch(CARD, digits) is not None and sum(doubled) % 10 == 0


STRINGS: dict[str, Callable[[str], bool]] = {
    **{name: _build_matcher(pattern) for name, pattern in PATTERNS.items()},
    "date": is_date,
    "datetime": is_date_time,
    "duration": is_duration,
    "email": is_email,
    "hostname": is_hostname,
    "ipv4": lambda text: is_ip(text, "."),
    "ipv6": lambda text: is_ip(text, ":"),
    "cidr": is_cidr,
    "uri": is_uri,
    "isbn": lambda text: _is_isbn(text, 10, 13),
    "isbn10": lambda text: _is_isbn(text, 10),
    "isbn13": lambda text: _is_isbn(text, 13),
    "creditcard": _is_card_number,
    "password": lambda _: True,
}
ENDLESS = ("byte", "password", "uri")
LONGEST = 10_000
"""No text of another format has so many characters."""
ENFORCED = frozenset({*STRINGS, "date-time", *NUMBERS} - {"password"})


def is_enforced_format(name: str) -> bool:
    """Return whether the API server validates strings against a format; dashes in its name do not count."""
    return name.replace("-", "") in STRINGS


def matches_format(name: str, value: object) -> bool:
    """Return whether a value is of a format; one that is not enforced always fits."""
    if isinstance(value, str):
        plain = name.replace("-", "")
        check = STRINGS.get(plain)
        return check is None or ((len(value) <= LONGEST or plain in ENDLESS) and check(value))
    if isinstance(value, int | float) and not isinstance(value, bool) and name in NUMBERS:
        low, high = NUMBERS[name]
        return low <= value <= high
    return True
