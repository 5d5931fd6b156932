"""Hints: the known word that is closest to an unknown one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

LONG, MANY, TOO_MANY = 100, 100, 10_000
"""Nobody means a word that long; among many words, those with the same first letter; among too many, none."""
LISTED = 50
"""Words that a hint names."""
GUESSES, SCANNED = 20_000, 100
"""How many words are compared in one run; so many count as one that are only looked through."""


class _Guesses:
    """How many words may still be compared; hints are a courtesy, and the first are worth most."""

    left: float = inf


@contextmanager
def limit_guesses(count: float = GUESSES) -> Iterator[None]:
    """Compare only so many words from here to the end of the context: after that, nothing has a hint."""
    _Guesses.left = count
    try:
        yield
    finally:
        _Guesses.left = inf


def suggest_word(word: str, known: list[str], *, sure: float = 0.6) -> str:
    """Return a hint with the known word that is closest, or an empty one if none is that much alike."""
    if len(word) > LONG or len(known) > TOO_MANY or _Guesses.left <= 0:
        return ""
    _Guesses.left -= len(known) / SCANNED
    if (same := next((each for each in known if each.casefold() == word.casefold()), None)) is not None:
        return _format_suggestion(same)
    if len(known) > MANY:
        known = [each for each in known if each[:1] == word[:1] and abs(len(each) - len(word)) < 3]
    known = [each for each in known[:MANY] if len(each) <= 2 * LONG]
    _Guesses.left -= len(known)
    # Most words differ too much in length already; then what compares them need not be imported.
    known = [each for each in known if 2 * min(len(word), len(each)) / (len(word) + len(each)) >= sure]
    if not known:
        return ""
    from difflib import get_close_matches

    close = get_close_matches(word, known, n=1, cutoff=sure)
    return _format_suggestion(close[0]) if close else ""


def suggest_or_list(word: str, known: list[str], are: str = "known are", none: str = "there is none") -> str:
    """Return a hint with the known word that is closest, or else one with the first of all known words.

    A word may be wrong thousands of times, where thousands are known.
    """
    if not known:
        return none
    more = f" and {len(known) - LISTED} more" if len(known) > LISTED else ""
    return (
        suggest_word(word, known) or f"{are} {', '.join(each[: 2 * LONG] for each in known[:LISTED])}{more}"
    )


def _format_suggestion(word: str) -> str:
    return f"did you mean {str(word)!r}?"  # a member of an enumeration would be shown as Python has it


def is_typo(word: str, meant: str) -> bool:
    """Return whether a word is another one but for a letter that is missing, added or wrong, or two swapped.

    The first letter is hardly ever wrong: `match` is a word of its own, and not `watch`.
    """
    word, meant = word.casefold(), meant.casefold()
    if word[:1] != meant[:1]:
        return False
    short, long = sorted((word, meant), key=len)
    start = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    rest, other = short[start:], long[start:]
    swapped = rest[:2] == other[1::-1] and rest[2:] == other[2:]
    return other[1:] == (rest[1:] if len(short) == len(long) else rest) or swapped
