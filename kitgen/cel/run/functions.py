"""The table of CEL functions by name and argument types, and the scope of an evaluation.

The memory that values take counts as steps. Whoever creates a value takes its steps first, so a value that
exceeds the limit is never created.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias, TypeVar

from msgspec import Struct

from kitgen.cel.run.values import Take, Value

Body = TypeVar("Body", bound=Callable[..., Value])


class Function(Struct, frozen=True):
    """What a function does with arguments of some types, and the type of what it gives."""

    body: Callable[..., Value]
    result: str
    metered: bool = False
    """Whether what it makes may be larger than its arguments, or takes longer: it gets what counts first."""


TABLE: dict[tuple[str, ...], Function] = {}
"""Name and types of the arguments → function. A method starts with a dot and takes its object first."""
NAMES: dict[str, list[tuple[str, ...]]] = {}
"""Name → the types of arguments that there are functions for."""


def register_function(*signatures: str, metered: bool = False) -> Callable[[Body], Body]:
    """Enter a function for signatures such as `.indexOf string string -> int`; `any` takes every type.

    Steps for the size of its arguments are taken before it is called. One that is metered takes more itself.
    """

    def enter(body: Body) -> Body:
        for signature in signatures:
            left, _, result = signature.partition(" -> ")
            name, *kinds = left.split()
            TABLE[(name, *kinds)] = Function(body, result or "dyn", metered)
            NAMES.setdefault(name, []).append(tuple(kinds))
        return body

    return enter


def register_functions(table: Mapping[str, Callable[..., Value]], *, metered: bool = False) -> None:
    """Enter functions by their signatures."""
    for signature, body in table.items():
        register_function(signature, metered=metered)(body)


def find_function(name: str, kinds: tuple[str, ...]) -> Function | None:
    """Return the function for arguments of some types, or nothing."""
    if (found := TABLE.get((name, *kinds))) or not kinds:
        return found
    return TABLE.get((name, *kinds[:-1], "any")) or TABLE.get((name, *["any"] * len(kinds)))


def find_overloads(name: str, kinds: list[str]) -> list[Function]:
    """Return the functions that arguments may be meant for, where the type of some is not known."""
    return [
        TABLE[(name, *wanted)]
        for wanted in NAMES.get(name, ())
        if len(wanted) == len(kinds)
        and all(
            "dyn" in pair or "any" in pair or pair[0] == pair[1] for pair in zip(kinds, wanted, strict=True)
        )
    ]


class CelScope:
    """The values of names; those of macros come and go while it is evaluated."""

    __slots__ = ("names", "take")

    def __init__(self, names: dict[str, Value], take: Take) -> None:
        """Take the names, and what counts steps."""
        self.names = names
        self.take = take


Run: TypeAlias = Callable[[CelScope], Value]

BYTES = 64
"""How much of memory one step stands for; what is smaller counts with what holds it."""
ENTRY, PAIR, TEXT, WIDE = 8, 128, 64, 4
"""Bytes that are taken by an entry of a list, by one of a map, by a text beside its characters, and by the
widest of these."""
COMPARED = 1024
"""How many characters are compared in one step."""


def count_bytes(value: Value) -> int:
    """Return how many bytes a text, bytes, a list or a map takes, without what its entries hold."""
    if isinstance(value, str):
        return len(value) if value.isascii() else WIDE * len(value)
    if isinstance(value, list):
        return ENTRY * len(value)
    if isinstance(value, bytes):
        return len(value)
    return PAIR * len(value) if isinstance(value, dict) else 0


def reserve_memory(size: int, take: Take) -> None:
    """Take the steps of so many bytes that are about to be made."""
    take(size // BYTES)
