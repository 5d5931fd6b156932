"""The interface of a family: objects and findings of its section, and additions to the Deployment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from kitgen.findings import Finding
from kitgen.kit.model import Layer
from kitgen.kube.manifest import Manifest
from kitgen.render.context import RenderContext


class Objects(Struct, frozen=True, kw_only=True):
    """What all families made of a component."""

    made: Mapping[str, tuple[Manifest, ...]]
    """As each family made it, by its key."""
    patched: tuple[Manifest, ...]
    """With the operator's own labels and the patches."""


class Family(Struct, frozen=True, kw_only=True):
    """One family."""

    objects: Callable[[RenderContext], Iterable[Manifest]] = lambda _: ()
    verbatim: bool = False
    """Its objects are called as the specs say, without the component's prefix."""
    follows: tuple[str, ...] = ()
    """The keys that its objects follow from, with the prefix alone; none if they follow from more."""
    problems: Callable[[RenderContext, Objects], Iterable[Finding]] = lambda _, __: ()
    """What is wrong with what specs say, by itself or held against all objects."""
    layer: Callable[[RenderContext], Layer | None] = lambda _: None
    """What it adds to the Deployment."""
