"""Hints: the known word that is closest to one that is not."""

from __future__ import annotations


def near(word: str, known: list[str], *, sure: float = 0.6) -> str:
    """Return a hint with the known word that is closest, or an empty one if none is that much alike."""
    from difflib import get_close_matches

    same = next((each for each in known if each.casefold() == word.casefold()), None)
    if same is not None:
        return f"did you mean {same!r}?"
    close = get_close_matches(word, known, n=1, cutoff=sure)
    return f"did you mean {close[0]!r}?" if close else ""
