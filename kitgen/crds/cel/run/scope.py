"""What an expression is evaluated with: the values of its names, and how much work it may take."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from kitgen.crds.cel.run.values import Take, Value


class Scope:
    """The values of names; those of macros come and go while it is evaluated."""

    __slots__ = ("names", "take")

    def __init__(self, names: dict[str, Value], take: Take) -> None:
        """Take the names, and what counts steps."""
        self.names = names
        self.take = take


Run: TypeAlias = Callable[[Scope], Value]
