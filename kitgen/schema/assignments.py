"""Leave out what a line of text assigns to the name of a secret: a setting, a flag, a header, an element."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.schema.logins import HIDDEN
from kitgen.schema.secrets import is_secret

ASSIGNMENT = re.compile(r"(\s*(?:- )?[\"']?(-{0,2}[A-Za-z][\w.-]*)[\"']?\s*[=:]\s*)(?!true$|false$)(\S.*)")
NAME = r"([A-Za-z][\w.-]{0,99})"
ASSIGNED = re.compile(rf"(?<![\w.-])(?:-{{0,2}}{NAME}=|--?{NAME}\s+(?!-)|{NAME}:\s+|{NAME}\\*[\"']\s*:\s*)")
"""What stands before a value within a text: a name and a sign, a flag, or the key of a mapping."""
VALUE = re.compile(r"(\\*\")[^\"]+|(\\*')[^']+|()(?!(?:true|false|null)\b)[^\s\"',;&\\{\[]+")
"""A value there, without the quote that closes it."""
HEADER = re.compile(
    r"(?i)(?<![\w.-])((?:bearer|basic)\s+|authorization\\*[\"']?\s*[:=]\s*\\*[\"']?[a-z-]+\s+)"
    r"(?!(?:true|false)\b)[^\s\"',;&]+"
)
"""A secret in the header of a request."""
ELEMENT = re.compile(rf"(<{NAME}>)[^<]+(?=</)")
"""A secret in XML."""


def without_assigned(line: str) -> str:
    """Return a line without the secrets that it assigns to names, as a whole or within it."""
    match = ASSIGNMENT.fullmatch(line)
    if match and is_secret(match[2]):
        return f"{match[1]}{HIDDEN}"
    line = ELEMENT.sub(lambda found: f"{found[1]}{HIDDEN}" if is_secret(found[2]) else found[0], line)
    return "".join(_pieces(HEADER.sub(rf"\1{HIDDEN}", line)))


def _pieces(line: str) -> Iterator[str]:
    """Yield a line without the secrets within it."""
    at = 0
    for found in ASSIGNED.finditer(line):
        if found.end() > at and is_secret(next(filter(None, found.groups()))):
            value = VALUE.match(line, found.end())
            if value:
                yield f"{line[at : found.end()]}{value[1] or value[2] or ''}{HIDDEN}"
                at = value.end()
    yield line[at:]
