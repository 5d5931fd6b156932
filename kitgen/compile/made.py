"""What a step of compiling returns: what it made, and what it found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

from kitgen.findings import Finding

T = TypeVar("T")


class Made(NamedTuple, Generic[T]):
    """A value, and what is wrong with what it was made from."""

    value: T
    findings: tuple[Finding, ...] = ()


def together(parts: Iterable[Made[T]]) -> Made[tuple[T, ...]]:
    """Return all values as one, with all findings."""
    known = tuple(parts)
    return Made(tuple(each.value for each in known), tuple(f for each in known for f in each.findings))
