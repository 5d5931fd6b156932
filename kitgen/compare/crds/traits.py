"""Compare how a field behaves: defaults, null, unknown fields, list and map types."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compare.change import Change, Risk
from kitgen.compare.crds.cel import compare_cel
from kitgen.compare.crds.place import OMITTERS, CrdCursor
from kitgen.compare.crds.values import ALTERNATIVES
from kitgen.compare.crds.values import SEEN as VALUES
from kitgen.crd.outline_fields import compact, constant
from kitgen.crd.schema_nodes import SchemaNode
from kitgen.text.wording import text_of

APPLIERS = "clients that apply it"

SWITCHES = (
    ("nullable", "nullable-added", "nullable-dropped", "null"),
    (
        "x-kubernetes-preserve-unknown-fields",
        "unknown-fields-kept",
        "unknown-fields-dropped",
        "fields that the schema does not name",
    ),
    (
        "x-kubernetes-embedded-resource",
        "embedded-resource-added",
        "embedded-resource-removed",
        "being an object of its own",
    ),
)
SEEN = (
    VALUES
    | {switch[0] for switch in SWITCHES}
    | {"default", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"}
    | {"x-kubernetes-validations", "x-kubernetes-int-or-string", *ALTERNATIVES}
)


def compare_traits(old: SchemaNode, new: SchemaNode, spot: CrdCursor, *, required: bool) -> Iterator[Change]:
    """Yield every change of how a field behaves; `required` says whether it must be there now."""
    yield from _default(old, new, spot, required)
    for key, added, dropped, what in SWITCHES:
        if old.facts.get(key) != new.facts.get(key):
            on = bool(new.facts.get(key))
            yield spot.change(
                added if on else dropped, f"{what}: {'now allowed' if on else 'no longer allowed'}"
            )
    yield from _list_type(old, new, spot)
    before, after = (node.facts.get("x-kubernetes-map-type", "granular") for node in (old, new))
    if before != after:
        yield spot.change("map-type-changed", f"was {text_of(before)}, now {text_of(after)}")
    yield from compare_cel(old, new, spot)
    for key in sorted((old.facts.keys() | new.facts.keys()) - SEEN):
        if old.facts.get(key) != new.facts.get(key):
            yield spot.change("keyword-changed", f"{key} changed", detail=key)


def _default(old: SchemaNode, new: SchemaNode, spot: CrdCursor, required: bool) -> Iterator[Change]:
    both = [compact(node.facts["default"]) if "default" in node.facts else "none" for node in (old, new)]
    if both[0] == both[1]:
        return
    before, after = (
        constant(node.facts["default"]) if "default" in node.facts else "none" for node in (old, new)
    )
    text = f"was {before}, now {after}"
    if after == "none" and required:
        reason, who = "it must be there, and nothing fills it in any more", OMITTERS
        text += ", and the field is required"
        yield spot.change("default-removed", text, risk=Risk.BREAKING, reason=reason, felt_by=who)
    else:
        gone, come = after == "none", before == "none"
        yield spot.change("default-removed" if gone else "default-added" if come else "default-changed", text)


def _list_type(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    before, after = (node.facts.get("x-kubernetes-list-type", "atomic") for node in (old, new))
    if before != after:
        text = f"was {text_of(before)}, now {text_of(after)}"
        if after == "atomic":
            reason = "apply replaces the whole list, items of other owners are lost"
            yield spot.change("list-type-changed", text, risk=Risk.BEHAVIOUR, reason=reason, felt_by=APPLIERS)
        else:
            yield spot.change("list-type-changed", text)
    keys = [sorted(map(text_of, node.facts.get("x-kubernetes-list-map-keys") or ())) for node in (old, new)]
    if keys[0] != keys[1] and before == after:
        yield spot.change("list-map-keys-changed", f"were {', '.join(keys[0])}, now {', '.join(keys[1])}")
