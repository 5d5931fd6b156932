"""What `kitgen diff` does: tell what changes on a cluster between two states, worst first."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kitgen.pipeline.comparing import compare_states
from kitgen.pipeline.sources import Kind, Kits
from kitgen.pipeline.states import PINNED, State, only_pinned, state_of, two_sources
from kitgen.review import Diffed


class DiffRequest(Struct, frozen=True, kw_only=True):
    """What to hold against what."""

    root: Path | None = None
    before: str | None = None
    """The last commit when absent."""
    after: str | None = None
    """The work tree when absent."""


def diff(request: DiffRequest) -> Diffed:
    """Compare two states."""
    only = PINNED if only_pinned(request.before, request.after) else None
    kits = Kits(request.root, only, everywhere=True)
    one, other = two_sources(kits, request.before, request.after)
    # A whole kit on one side is narrowed to the target that the other one is.
    wanted = {each.name for each in (one, other) if each.kind is Kind.TARGET and not each.component} or None
    if one.kind is Kind.RELEASE and other.kind is Kind.KIT:
        before = state_of(kits, one)
        after = state_of(kits, other, before.parts)
    else:
        before, after = (_narrowed(state_of(kits, each, wanted), wanted) for each in (one, other))
    return compare_states(before, after, kits.declared())


def _narrowed(state: State, targets: Collection[str] | None) -> State:
    """Return a state without what stands beside the targets, such as what has OLM install their bundles."""
    if targets is None:
        return state
    return replace(state, parts={name: part for name, part in state.parts.items() if name in {*targets, ""}})
