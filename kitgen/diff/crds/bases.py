"""Notice a side that has only bases: CRDs as a generator writes them, before kustomize patches them.

A build adds labels, annotations and above all the webhook that converts between versions. Without it,
stored objects seem to lose whatever the new stored version lacks.
"""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.crds.declare.conversion import converts
from kitgen.diff.change import Change
from kitgen.diff.crds.crd import CONVERSION_CHANGED
from kitgen.yamlio import JsonObject

GENERATED = ("controller-gen.kubebuilder.io/", "api-approved.kubernetes.io")
"""How the annotations start that are in the bases already."""


def bases_hint(
    old: Iterable[JsonObject] | None, new: Iterable[JsonObject] | None, changes: Iterable[Change]
) -> str:
    """Say that a side seems to have only bases; None is a side of which it is known that it has not."""
    sides = {
        name: all(map(_is_base, side)) for name, side in (("OLD", old), ("NEW", new)) if side is not None
    }
    side = next((name for name in ("NEW", "OLD") if sides.get(name)), "")
    listed = list(changes)
    due = sum(change.rule is CONVERSION_CHANGED for change in listed)
    if side == "NEW":
        # What stored objects lose because nothing converts them.
        due += sum(all(place.former for place in change.places) for change in listed)
    if not side or not (due or False in sides.values()):
        return ""
    seems = f"{side} seems to be bases, CRDs that kustomize has yet to build: none has a conversion, " + (
        "labels or annotations of its own"
    )
    if not due:
        return f"{seems}; no change here comes from a missing conversion"
    count = "1 change comes" if due == 1 else f"{due} changes come"
    return f"{seems}; if so, {count} from the missing conversion alone: compare what kustomize builds"


def _is_base(body: JsonObject) -> bool:
    metadata = body.get("metadata") or {}
    added = [key for key in metadata.get("annotations") or () if not str(key).startswith(GENERATED)]
    return not added and not metadata.get("labels") and not converts(body)
