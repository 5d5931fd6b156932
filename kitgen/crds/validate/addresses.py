"""Tell addresses as Go reads them, which is how the API server reads them: URIs, hosts, networks, mail."""

from __future__ import annotations

import re

SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*:"
# Signs of percent that escape nothing. A group that comes again would take space for each time.
UNESCAPED = re.compile(r"%(?![0-9A-Fa-f]{2})")
USER = r"[A-Za-z0-9._:~!$&'()*+,;=%@-]*"
# Of a host only bytes beyond ASCII are escaped.
HOST = r"[A-Za-z0-9_.~!$&'()*+,;=:<>\"\[\]%\u0080-\U0010ffff-]*"
HOST_UNESCAPED = re.compile(r"%(?!25|[89A-Fa-f][0-9A-Fa-f])")
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
    """Tell whether a text is a URI of a request: a path from the root, or one with a scheme."""
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
    """Tell whether a text is an address of mail, with a name before it or without."""
    return re.fullmatch(EMAIL, text.strip(" \t")) is not None


def is_hostname(text: str) -> bool:
    """Tell whether a text is a host's name; letters of every script are."""
    from kitgen.schema.patterns import matcher

    test = matcher(HOSTNAME, LARGE)
    short = all(len(part.encode(errors="replace")) <= 63 for part in text.split("."))
    return test is not None and test(text) and short and len(text.encode(errors="replace")) <= 255


def is_ip(text: str, sign: str) -> bool:
    """Tell whether a text is an IP address that has a sign: a dot for version 4, a colon for 6."""
    from ipaddress import ip_address

    try:
        ip_address(text)
    except ValueError:
        return False
    return sign in text and "%" not in text


def is_cidr(text: str) -> bool:
    """Tell whether a text is an address of a network with the length of its prefix."""
    from ipaddress import ip_network

    try:
        ip_network(text, strict=False)
    except ValueError:
        return False
    return text.rpartition("/")[2].isdigit() and "/" in text and "%" not in text


def is_mac(text: str) -> bool:
    """Tell whether a text is a hardware address of 6, 8 or 20 bytes."""
    return re.fullmatch(MAC, text) is not None
