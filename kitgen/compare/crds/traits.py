"""Compare how a field behaves: defaults, null, unknown fields, list and map types."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compare.change import Change, Risk, change_rule
from kitgen.compare.crds.cel import compare_cel
from kitgen.compare.crds.place import OMITTERS, CrdCursor
from kitgen.compare.crds.values import ALTERNATIVES
from kitgen.compare.crds.values import SEEN as VALUES
from kitgen.crd.outline_fields import compact, constant
from kitgen.crd.schema_nodes import SchemaNode
from kitgen.text.wording import text_of

APPLIERS = "clients that apply it"
UNKNOWN_FIELDS_DROPPED = change_rule("unknown-fields-dropped")
UNKNOWN_FIELDS_KEPT = change_rule("unknown-fields-kept")
DEFAULT_ADDED = change_rule("default-added")
DEFAULT_CHANGED = change_rule("default-changed")
DEFAULT_REMOVED = change_rule("default-removed")
NULLABLE_DROPPED = change_rule("nullable-dropped")
NULLABLE_ADDED = change_rule("nullable-added")
EMBEDDED_RESOURCE_ADDED = change_rule("embedded-resource-added")
EMBEDDED_RESOURCE_REMOVED = change_rule("embedded-resource-removed")
LIST_TYPE_CHANGED = change_rule("list-type-changed")
LIST_MAP_KEYS_CHANGED = change_rule("list-map-keys-changed")
MAP_TYPE_CHANGED = change_rule("map-type-changed")
KEYWORD_CHANGED = change_rule("keyword-changed")

SWITCHES = (
    ("nullable", NULLABLE_ADDED, NULLABLE_DROPPED, "null"),
    (
        "x-kubernetes-preserve-unknown-fields",
        UNKNOWN_FIELDS_KEPT,
        UNKNOWN_FIELDS_DROPPED,
        "fields that the schema does not name",
    ),
    (
        "x-kubernetes-embedded-resource",
        EMBEDDED_RESOURCE_ADDED,
        EMBEDDED_RESOURCE_REMOVED,
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
        yield spot.change(MAP_TYPE_CHANGED, f"was {text_of(before)}, now {text_of(after)}")
    yield from compare_cel(old, new, spot)
    for key in sorted((old.facts.keys() | new.facts.keys()) - SEEN):
        if old.facts.get(key) != new.facts.get(key):
            yield spot.change(KEYWORD_CHANGED, f"{key} changed", detail=key)


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
        yield spot.change(DEFAULT_REMOVED, text, risk=Risk.BREAKING, reason=reason, felt_by=who)
    else:
        gone, come = after == "none", before == "none"
        yield spot.change(DEFAULT_REMOVED if gone else DEFAULT_ADDED if come else DEFAULT_CHANGED, text)


def _list_type(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    before, after = (node.facts.get("x-kubernetes-list-type", "atomic") for node in (old, new))
    if before != after:
        text = f"was {text_of(before)}, now {text_of(after)}"
        if after == "atomic":
            reason = "apply replaces the whole list, items of other owners are lost"
            yield spot.change(LIST_TYPE_CHANGED, text, risk=Risk.BEHAVIOUR, reason=reason, felt_by=APPLIERS)
        else:
            yield spot.change(LIST_TYPE_CHANGED, text)
    keys = [sorted(map(text_of, node.facts.get("x-kubernetes-list-map-keys") or ())) for node in (old, new)]
    if keys[0] != keys[1] and before == after:
        yield spot.change(LIST_MAP_KEYS_CHANGED, f"were {', '.join(keys[0])}, now {', '.join(keys[1])}")
