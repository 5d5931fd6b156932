"""Parse Go's regular expressions, as far as they decide which texts match.

Word boundaries, matches by line, classes that have a name, characters by number and those beyond ASCII are an
`UnknownSyntaxError`.
"""

from __future__ import annotations

import re
from string import ascii_letters, digits
from typing import TypeAlias

from msgspec import Struct

from kitgen.text.patterns import compile_late

MOST = 1000
"""How often Go lets something be repeated."""
Characters: TypeAlias = frozenset[str]
OTHER = "\x80"
"""What stands for every character that no expression names."""
ALPHABET = frozenset({*map(chr, range(0x80)), "\u017f", "\u212a", OTHER})
"""ASCII; the long s and the sign of Kelvin, an s and a k to Go where case does not count; and the rest."""
PERL = {"d": frozenset(digits), "w": frozenset(f"{ascii_letters}{digits}_"), "s": frozenset("\t\n\f\r ")}
COUNT = compile_late(r"\{(0|[1-9][0-9]{0,8})(?:(,)(0|[1-9][0-9]{0,8})?)?\}")
GROUP = compile_late(r"\(\?(?:P?<[A-Za-z_]\w*>|([isU]*)(?:-([isU]+))?([:)]))", re.ASCII)


class UnknownSyntaxError(Exception):
    """The expression has a part that is not read."""


class RegexNode(Struct, frozen=True):
    """A part of an expression."""

    kind: str
    """set (a character), at (the start or end of the text), all (one after the other), any (one of them) or
    repeat."""
    parts: tuple[RegexNode, ...] = ()
    characters: Characters = frozenset()
    sign: str = ""
    least: int = 0
    most: int | None = None


def parse_regex(pattern: str) -> RegexNode:
    """Read an expression."""
    reader = _Reader(pattern)
    found = reader.parse_choice()
    if reader.at < len(pattern):
        raise UnknownSyntaxError("a bracket that closes nothing")
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.flags: frozenset[str] = frozenset()

    def _next_character(self) -> str:
        """Take one character; nothing is left at the end."""
        self.at += 1
        return self.text[self.at - 1 : self.at]

    def _accept(self, sign: str) -> bool:
        found = self.text.startswith(sign, self.at)
        self.at += len(sign) if found else 0
        return found

    def parse_choice(self) -> RegexNode:
        flags = self.flags
        ways = [self._parse_sequence()]
        while self._accept("|"):
            ways.append(self._parse_sequence())
        self.flags = flags
        return ways[0] if len(ways) == 1 else RegexNode("any", tuple(ways))

    def _parse_sequence(self) -> RegexNode:
        found: list[RegexNode] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            if (part := self._parse_atom()) is not None:
                found.append(self._parse_repetition(part))
        return RegexNode("all", tuple(found))

    def _parse_repetition(self, part: RegexNode) -> RegexNode:
        sign = self.text[self.at : self.at + 1]
        if counted := COUNT.match(self.text, self.at):
            least = int(counted[1])
            most = (int(counted[3]) if counted[3] else None) if counted[2] else least
            self.at = counted.end()
        elif sign and sign in "*+?":
            least, most = int(sign == "+"), 1 if sign == "?" else None
            self.at += 1
        else:
            return part
        self._accept("?")  # which of several matches is found does not matter
        twice = self.text[self.at : self.at + 1] in ("*", "+", "?") or COUNT.match(self.text, self.at)
        if twice or max(least, most or 0) > MOST or (most is not None and most < least):
            raise UnknownSyntaxError("a repetition that Go refuses")
        return RegexNode("repeat", (part,), least=least, most=most)

    def _parse_atom(self) -> RegexNode | None:
        """Read what may be repeated; None for flags."""
        if COUNT.match(self.text, self.at):
            raise UnknownSyntaxError("a repetition of nothing")
        match self._next_character():
            case "*" | "+" | "?":
                raise UnknownSyntaxError("a repetition of nothing")
            case "(":
                return self._parse_group()
            case "^" | "$" as sign:
                return RegexNode("at", sign=sign)
            case ".":
                return RegexNode("set", characters=ALPHABET if "s" in self.flags else ALPHABET - {"\n"})
            case "[":
                return RegexNode("set", characters=self._parse_class())
            case "\\" if self._accept("A"):
                return RegexNode("at", sign="^")
            case "\\" if self._accept("z"):
                return RegexNode("at", sign="$")
            case sign:
                return RegexNode("set", characters=self._fold_case(self._parse_character(sign)))

    def _fold_case(self, characters: Characters) -> Characters:
        """Add the other forms of letters if their case does not count."""
        if "i" not in self.flags:
            return characters
        folded = {each.casefold() for each in characters}
        return frozenset(each for each in ALPHABET if each.casefold() in folded)

    def _parse_group(self) -> RegexNode | None:
        flags = self.flags
        if head := GROUP.match(self.text, self.at - 1):
            self.at = head.end()
            if head[3]:
                self.flags = (self.flags | {*(head[1] or "")}) - {*(head[2] or "")}
            if head[3] == ")":
                return None  # for the rest of the group around it
        elif self._accept("?"):
            raise UnknownSyntaxError("a group that is not known")
        found = self.parse_choice()
        self.flags = flags
        if not self._accept(")"):
            raise UnknownSyntaxError("a group that does not end")
        return found

    def _parse_character(self, sign: str) -> Characters:
        """Return what a character stands for: itself, or with a backslash a class or what follows."""
        if sign == "\\":
            sign = self._next_character()
            if sign.lower() in PERL:
                found = self._fold_case(PERL[sign.lower()])
                return ALPHABET - found if sign.isupper() else found
            if sign.isalnum():
                raise UnknownSyntaxError("an escape that is not known")
        if sign not in ALPHABET or sign == OTHER:
            raise UnknownSyntaxError("a character beyond ASCII, or none")
        return frozenset(sign)

    def _parse_class(self) -> Characters:
        is_negated = self._accept("^")
        found = self._parse_range()  # a bracket that comes first closes nothing
        while not self._accept("]"):
            found |= self._parse_range()
        return ALPHABET - found if is_negated else found

    def _parse_range(self) -> Characters:
        """Read one character of a class, or from one to another."""
        if self.text.startswith("[:", self.at):
            raise UnknownSyntaxError("a class that has a name")
        low = self._parse_character(self._next_character())
        if self.text[self.at : self.at + 1] != "-" or self.text[self.at + 1 : self.at + 2] in ("]", ""):
            return self._fold_case(low)
        self.at += 1
        high = self._parse_character(self._next_character())
        if len(low) > 1 or len(high) > 1 or not min(low) <= min(high) < OTHER:
            raise UnknownSyntaxError("a range that is none, or leads beyond ASCII")
        return self._fold_case(frozenset(map(chr, range(ord(min(low)), ord(min(high)) + 1))))
