"""Expressions that an import writes; other text with braces is no expression."""

from __future__ import annotations


class Expression(str):
    """A text that is meant as an expression of a spec."""

    __slots__ = ()
