"""Objects that label rules leave alone, since a patch says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kitgen.compile.context import Context
from kitgen.compile.patches import CRD, patches_of
from kitgen.compile.size import bounded
from kitgen.findings import Finding, near
from kitgen.kustomize.labels import label
from kitgen.kustomize.strategic import PATCH_NOTHING
from kitgen.model import LabelRule
from kitgen.objects import Manifest


def spared(context: Context) -> frozenset[str]:
    """Return what patches call the objects that no label rule reaches."""
    return frozenset(each.data["object"] for each in patches_of(context) if "unlabelled" in each.data)


def labelled(objects: Iterable[Manifest], rules: Sequence[LabelRule], context: Context) -> list[Manifest]:
    """Put the labels of rules on objects, but for those that patches spare."""
    if not rules:
        return list(objects)
    without = spared(context)
    made = (each if str(each.id) in without else label(each, rules) for each in objects)
    return list(bounded(made))


def spared_nothing(context: Context, objects: Iterable[Manifest]) -> Iterator[Finding]:
    """Yield a finding for every patch that spares an object which is not there.

    Where CRDs stand elsewhere, nothing can be told of them.
    """
    known = {str(each.id): each.id.kind for each in objects}
    for layer in patches_of(context):
        wanted: str = layer.data["object"]
        if "unlabelled" not in layer.data or wanted in known:
            continue
        if wanted.partition("/")[0] != CRD or CRD in known.values():
            message = f"found no object {wanted!r}, so the patch matches nothing"
            yield PATCH_NOTHING(message, hint=near(wanted, list(known))).at(layer.origin.at("object"))
