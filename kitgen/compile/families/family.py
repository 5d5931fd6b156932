"""What a family is: what it makes of its section of a spec, finds there, and asks of the Deployment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from kitgen.compile.context import Context
from kitgen.findings import Finding
from kitgen.model import Layer
from kitgen.objects import Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Objects:
    """What all families made of a component."""

    made: Mapping[str, tuple[Manifest, ...]]
    """As each family made it, by its key."""
    patched: tuple[Manifest, ...]
    """With the operator's own labels and the patches."""


def _no_problems(_: Context, __: Objects) -> Iterable[Finding]:
    return ()


def _no_layer(_: Context) -> Layer | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One family."""

    key: str
    """What it reads of a spec."""
    objects: Callable[[Context], Iterable[Manifest]]
    problems: Callable[[Context, Objects], Iterable[Finding]] = _no_problems
    """What is wrong with what specs say, by itself or held against all objects."""
    layer: Callable[[Context], Layer | None] = _no_layer
    """What it asks of the Deployment."""
