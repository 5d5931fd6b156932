"""Regular expressions that are compiled when they are first used: a run needs few of all there are."""

from __future__ import annotations

import re
from typing import AnyStr, cast


class _Method:
    """A method of a pattern, which the pattern keeps once somebody asks for it."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, late: _LatePattern, owner: type) -> object:
        # What an instance holds goes before what is no property of its class: this runs once.
        method: object = getattr(re.compile(late.pattern, late.flags), self.name)
        setattr(late, self.name, method)
        return method


class _LatePattern:
    """A regular expression that is not compiled yet."""

    match, fullmatch, search = _Method(), _Method(), _Method()
    split, sub, findall, finditer = _Method(), _Method(), _Method(), _Method()

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self.flags = flags


def compile_late(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern that is compiled when it is first used; a module's patterns are made so."""
    return cast("re.Pattern[AnyStr]", _LatePattern(pattern, flags))
