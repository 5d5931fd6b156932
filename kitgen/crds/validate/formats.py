"""Check strings and numbers against formats: those that the API server enforces, and those of integers.

The server reads an integer of any format as one of 64 bits. A program that has fewer for it cannot
read it, so a number that does not fit is found here, with that reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kitgen.crds.validate.addresses import is_cidr, is_email, is_hostname, is_ip, is_mac, is_uri
from kitgen.crds.validate.times import is_date, is_date_time, is_duration

NUMBERS = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}
UUID = r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?%s[0-9a-fA-F]{3}-?%s[0-9a-fA-F]{3}-?[0-9a-fA-F]{12}"
ANY, VARIANT = "[0-9a-fA-F]", "[89abAB]"
BASE64 = "[A-Za-z0-9+/]+={0,2}"
SHADE = r"[\t\n\f\r ]*(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])[\t\n\f\r ]*"
PATTERNS = {
    "bsonobjectid": r"[0-9a-fA-F]{24}",
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


def _matches(pattern: str) -> Callable[[str], bool]:
    return lambda text: re.fullmatch(pattern, text) is not None


def _is_base64(text: str) -> bool:
    return len(text) % 4 == 0 and re.fullmatch(BASE64, text) is not None


def _is_isbn(text: str, *lengths: int) -> bool:
    digits = re.sub(r"[\t\n\f\r -]+", "", text)
    if len(digits) not in lengths or not re.fullmatch(r"[0-9]+X?", digits):
        return False
    if len(digits) == 10:
        values = [10 if digit == "X" else int(digit) for digit in digits]
        return sum(value * (10 - place) for place, value in enumerate(values)) % 11 == 0
    return digits.isdigit() and sum(int(d) * (1, 3)[i % 2] for i, d in enumerate(digits)) % 10 == 0


def _is_card(text: str) -> bool:
    digits = re.sub(r"[^0-9]+", "", text)
    doubled = [int(d) * 2 - 9 * (d > "4") if i % 2 else int(d) for i, d in enumerate(reversed(digits))]
    return re.fullmatch(CARD, digits) is not None and sum(doubled) % 10 == 0


STRINGS: dict[str, Callable[[str], bool]] = {
    **{name: _matches(pattern) for name, pattern in PATTERNS.items()},
    "byte": _is_base64,
    "date": is_date,
    "datetime": is_date_time,
    "duration": is_duration,
    "email": is_email,
    "hostname": is_hostname,
    "ipv4": lambda text: is_ip(text, "."),
    "ipv6": lambda text: is_ip(text, ":"),
    "cidr": is_cidr,
    "mac": is_mac,
    "uri": is_uri,
    "isbn": lambda text: _is_isbn(text, 10, 13),
    "isbn10": lambda text: _is_isbn(text, 10),
    "isbn13": lambda text: _is_isbn(text, 13),
    "creditcard": _is_card,
    "password": lambda _: True,
}
ENDLESS = ("byte", "password", "uri")
LONGEST = 10_000
"""No text of another format has so many characters."""
ENFORCED = frozenset({*STRINGS, "date-time", *NUMBERS} - {"password"})


def is_enforced(name: str) -> bool:
    """Tell whether the API server holds strings to a format; dashes in its name do not count."""
    return name.replace("-", "") in STRINGS


def fits_format(name: str, value: object) -> bool:
    """Tell whether a value is of a format; what nobody enforces always fits."""
    if isinstance(value, str):
        plain = name.replace("-", "")
        check = STRINGS.get(plain)
        return check is None or ((len(value) <= LONGEST or plain in ENDLESS) and check(value))
    if isinstance(value, int | float) and not isinstance(value, bool) and name in NUMBERS:
        low, high = NUMBERS[name]
        return low <= value <= high
    return True
