"""Parse Go's regular expressions, as far as they decide which texts match.

Word boundaries, matches by line and classes of Unicode are an `UnknownSyntaxError`.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from msgspec import Struct

from kitgen.text.regex_match import CLASSES

TOP = 0x10FFFF
MOST = 1000
"""How often Go lets something be repeated."""
Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Characters, from one to another."""
ANY: Ranges = ((0, TOP),)
COUNT = re.compile(r"\{(0|[1-9][0-9]{0,8})(?:(,)(0|[1-9][0-9]{0,8})?)?\}")
GROUP = re.compile(r"\(\?(?:P?<[A-Za-z_]\w*>|([isU]*)(?:-([isU]+))?([:)]))", re.ASCII)
HEX = re.compile(r"x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))")
NAMED = re.compile(r"\[:(\^?)([a-z]+):\]")
CONTROL = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
FOLDED = {ord("k"): 0x212A, ord("s"): 0x17F}
"""Letters that have a third form, besides the large and the small one."""


class UnknownSyntaxError(Exception):
    """The expression has a part that is not read."""


class RegexNode(Struct, frozen=True):
    """A part of an expression."""

    kind: str
    """set (a character), at (the start or end of the text), all (one after the other), any (one of them) or
    repeat."""
    parts: tuple[RegexNode, ...] = ()
    ranges: Ranges = ()
    sign: str = ""
    least: int = 0
    most: int | None = None


def parse(pattern: str) -> RegexNode:
    """Read an expression."""
    return _Reader(pattern).whole()


def _joined(ranges: Ranges | list[tuple[int, int]]) -> Ranges:
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def _others(ranges: Ranges) -> Ranges:
    found, low = [], 0
    for start, end in _joined(ranges):
        if low < start:
            found.append((low, start - 1))
        low = end + 1
    return (*found, (low, TOP)) if low <= TOP else tuple(found)


def _folded(ranges: Ranges) -> Ranges:
    """Add the other case of letters; beyond ASCII it is not known."""
    if any(high > 0x7F for _, high in ranges):
        raise UnknownSyntaxError("letters beyond ASCII in any case")
    letters = {ord(chr(code).lower()) for low, high in ranges for code in range(low, high + 1)}
    letters = {each for each in letters if chr(each).isalpha()}
    more = letters | {each - 32 for each in letters} | {FOLDED[each] for each in letters if each in FOLDED}
    return _joined([*ranges, *((each, each) for each in more)])


def _of_class(members: str) -> Ranges:
    """Return the characters of a class that is written as between brackets, without escapes of its own."""
    known = re.compile(f"[{members}]")
    return _joined([(code, code) for code in range(128) if known.match(chr(code))])


PERL = {"d": _of_class("0-9"), "w": _of_class(r"0-9A-Za-z_"), "s": _of_class(r"\t\n\f\r ")}


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.flags: frozenset[str] = frozenset()

    def whole(self) -> RegexNode:
        found = self._choice()
        if self.at < len(self.text):
            raise UnknownSyntaxError("a bracket that closes nothing")
        return found

    def _take(self, sign: str) -> bool:
        if self.text.startswith(sign, self.at):
            self.at += len(sign)
            return True
        return False

    def _choice(self) -> RegexNode:
        flags = self.flags
        ways = [self._row()]
        while self._take("|"):
            ways.append(self._row())
        self.flags = flags
        return ways[0] if len(ways) == 1 else RegexNode("any", tuple(ways))

    def _row(self) -> RegexNode:
        found: list[RegexNode] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            if (one := self._one()) is not None:
                found.append(self._repeated(one))
        return RegexNode("all", tuple(found))

    def _repeated(self, one: RegexNode) -> RegexNode:
        sign = self.text[self.at : self.at + 1]
        if counted := COUNT.match(self.text, self.at):
            least = int(counted[1])
            most = (int(counted[3]) if counted[3] else None) if counted[2] else least
            self.at = counted.end()
        elif sign and sign in "*+?":
            least, most = int(sign == "+"), 1 if sign == "?" else None
            self.at += 1
        else:
            return one
        self._take("?")  # which of several matches is found does not matter
        twice = self.text[self.at : self.at + 1] in ("*", "+", "?") or COUNT.match(self.text, self.at)
        if twice or max(least, most or 0) > MOST or (most is not None and most < least):
            raise UnknownSyntaxError("a repetition that Go refuses")
        return RegexNode("repeat", (one,), least=least, most=most)

    def _one(self) -> RegexNode | None:
        """Read what may be repeated; None for flags."""
        if (sign := self.text[self.at]) == "(":
            return self._group()
        if sign in "*+?" or COUNT.match(self.text, self.at):
            raise UnknownSyntaxError("a repetition of nothing")
        self.at += 1
        match sign:
            case "^" | "$":
                return RegexNode("at", sign=sign)
            case ".":
                return RegexNode("set", ranges=ANY if "s" in self.flags else _others(((10, 10),)))
            case "[":
                return RegexNode("set", ranges=self._class())
            case "\\" if self.text[self.at : self.at + 1] in ("A", "z"):
                self.at += 1
                return RegexNode("at", sign="^" if self.text[self.at - 1] == "A" else "$")
            case "\\":
                found = self._escaped()
                return RegexNode("set", ranges=self._cased(found) if _is_one(found) else found)
        return RegexNode("set", ranges=self._cased(((ord(sign), ord(sign)),)))

    def _cased(self, ranges: Ranges) -> Ranges:
        return _folded(ranges) if "i" in self.flags else ranges

    def _group(self) -> RegexNode | None:
        flags = self.flags
        if self._take("(?"):
            if (head := GROUP.match(self.text, self.at - 2)) is None:
                raise UnknownSyntaxError("a group that is not known")
            self.at = head.end()
            if head[3]:
                self.flags = (self.flags | {*(head[1] or "")}) - {*(head[2] or "")}
            if head[3] == ")":
                return None  # for the rest of the group around it
        else:
            self.at += 1
        found = self._choice()
        self.flags = flags
        if not self._take(")"):
            raise UnknownSyntaxError("a group that does not end")
        return found

    def _escaped(self) -> Ranges:
        """Read what follows a backslash: one character as it is, or a class."""
        sign = self.text[self.at : self.at + 1]
        if given := HEX.match(self.text, self.at):
            self.at = given.end()
            if (code := int(given[1] or given[2], 16)) > TOP:
                raise UnknownSyntaxError("no character")
            return ((code, code),)
        self.at += 1
        if sign and sign.lower() in PERL:
            found = self._cased(PERL[sign.lower()])
            return _others(found) if sign.isupper() else found
        if sign in CONTROL:
            return ((CONTROL[sign], CONTROL[sign]),)
        if not sign or sign.isalnum() or ord(sign) > 0x7F:
            raise UnknownSyntaxError("an escape that is not known")
        return ((ord(sign), ord(sign)),)

    def _class(self) -> Ranges:
        negated = self._take("^")
        found: list[tuple[int, int]] = []
        first = True
        while first or not self._take("]"):
            first = False
            if named := NAMED.match(self.text, self.at):
                if named[2] not in CLASSES:
                    raise UnknownSyntaxError("a class that is not known")
                self.at = named.end()
                members = self._cased(_of_class(CLASSES[named[2]]))
                found += _others(members) if named[1] else members
            else:
                found += self._span()
        return _others(_joined(found)) if negated else _joined(found)

    def _span(self) -> Ranges:
        """Read one character of a class, or from one to another."""
        low = self._member()
        if self.text[self.at : self.at + 1] != "-" or self.text[self.at + 1 : self.at + 2] in ("]", ""):
            return self._cased(low) if _is_one(low) else low
        self.at += 1
        high = self._member()
        if not _is_one(low) or not _is_one(high) or low > high:
            raise UnknownSyntaxError("a range that is none")
        return self._cased(((low[0][0], high[0][1]),))

    def _member(self) -> Ranges:
        if self.at >= len(self.text):
            raise UnknownSyntaxError("a class that does not end")
        sign = self.text[self.at]
        self.at += 1
        return self._escaped() if sign == "\\" else ((ord(sign), ord(sign)),)


def _is_one(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]
