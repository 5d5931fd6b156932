"""Patterns of Argo CD: stars, question marks, sets of signs and choices in braces."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

MAX_CHOICES = 64
"""So many words at most are made of the choices of a pattern; beyond that, nobody knows what it means."""
MAX_PATTERN = 1000
SPECIAL = frozenset("*?[]{}\\")


class _Sign(NamedTuple):
    """What one sign of a text has to be."""

    signs: str
    """Those that fit, or do not; empty for any."""
    others: bool = False
    many: bool = False
    """It may come as often as it likes, or not at all."""
    across: bool = True
    """A slash fits, too."""

    def fits(self, sign: str) -> bool:
        if sign == "/" and not self.across:
            return False
        return not self.signs or (sign in self.signs) is not self.others


def matches(pattern: str, text: str, *, separated: bool = False) -> bool | None:
    """Tell whether a text is what a pattern says; None if the pattern says nothing that can be known.

    Where parts are separated, a star stops at a slash, and two stars do not.
    """
    if SPECIAL.isdisjoint(pattern):
        return pattern == text
    if (words := _words(pattern)) is None:
        return None
    parsed = [_signs(word, separated) for word in words]
    if any(each is None for each in parsed):
        return None
    return any(_fits(each, text) for each in parsed if each is not None)


def _fits(signs: tuple[_Sign, ...], text: str) -> bool:
    """Follow all ways through a pattern at once, so that none of them takes long."""
    places = _onward({0}, signs)
    for sign in text:
        reached = set()
        for place in places:
            if place < len(signs) and signs[place].fits(sign):
                reached.add(place if signs[place].many else place + 1)
        if not (places := _onward(reached, signs)):
            return False
    return len(signs) in places


def _onward(places: set[int], signs: tuple[_Sign, ...]) -> set[int]:
    found = set(places)
    for start in places:
        at = start
        while at < len(signs) and signs[at].many and at + 1 not in found:
            at += 1
            found.add(at)
    return found


@lru_cache(maxsize=1024)
def _signs(word: str, separated: bool) -> tuple[_Sign, ...] | None:
    found: list[_Sign] = []
    at = 0
    while at < len(word):
        sign = word[at]
        at += 1
        if sign == "*":
            double = word.startswith("*", at)
            at += double
            found.append(_Sign("", many=True, across=double or not separated))
        elif sign == "?":
            found.append(_Sign("", across=not separated))
        elif sign == "[":
            if (end := word.find("]", at + 1)) < 0:
                return None
            inside = word[at:end]
            others = inside[0] in "!^"
            found.append(_Sign(_spread(inside[1:] if others else inside), others))
            at = end + 1
        else:
            if sign == "\\" and at < len(word):
                sign, at = word[at], at + 1
            found.append(_Sign(sign))
    return tuple(found)


def _spread(inside: str) -> str:
    """Return the signs of a set; a-c stands for those between."""
    if len(inside) == 3 and inside[1] == "-" and ord(inside[2]) - ord(inside[0]) in range(256):
        return "".join(map(chr, range(ord(inside[0]), ord(inside[2]) + 1)))
    return inside


@lru_cache(maxsize=1024)
def _words(pattern: str) -> tuple[str, ...] | None:
    """Return the patterns without braces that one with braces stands for."""
    if len(pattern) > MAX_PATTERN or pattern.count("{") != pattern.count("}"):
        return None
    todo, done = [pattern], []
    while todo:
        word = todo.pop()
        if (start := word.rfind("{")) < 0:
            done.append(word)
            continue
        if (end := word.find("}", start)) < 0:
            return None
        todo += [word[:start] + each + word[end + 1 :] for each in word[start + 1 : end].split(",")]
        if len(todo) + len(done) > MAX_CHOICES:
            return None
    return tuple(done)
