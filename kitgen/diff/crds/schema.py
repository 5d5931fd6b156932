"""Compare two schemas field by field."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.crds.outline.fields import constant, join
from kitgen.crds.outline.nodes import Node
from kitgen.diff.change import Change
from kitgen.diff.crds.rename import renames
from kitgen.diff.crds.spot import AUTHORS, OMITTERS, READERS, USERS, Spot
from kitgen.diff.crds.traits import KEYWORD_CHANGED, compare_traits
from kitgen.diff.crds.values import compare_values
from kitgen.diff.risk import Risk, behaviour, breaking, cosmetic

FIELD_REMOVED = breaking(
    "field-removed", "the value is dropped without a word, strict clients are refused", USERS
)
FIELD_ADDED = cosmetic("field-added", "it may be left out", "nobody yet")
REQUIRED_FIELD_ADDED = breaking("required-field-added", "objects without it are refused", AUTHORS)
FIELD_REQUIRED = breaking("field-required", "objects without it are refused", OMITTERS)
FIELD_OPTIONAL = cosmetic("field-optional", "it may be left out; readers may not find it", READERS)
TYPE_CHANGED = breaking("type-changed", "values of the old type are refused", USERS)
TYPE_WIDENED = behaviour("type-widened", "values of the old type pass, readers may meet the new one", READERS)

WIDER = {("integer", "number"), ("integer", "int-or-string"), ("string", "int-or-string")}


def compare_schema(old: Node, new: Node, spot: Spot, *, required: bool = False) -> Iterator[Change]:
    """Yield every change between two schemas; `required` says whether the new field must be there."""
    if old is new:
        return
    inside = spot.enter(old, new)
    here = inside if old.name or new.name else spot
    if old.kind != new.kind:
        refused = new.kind != "any" and (old.kind, new.kind) not in WIDER
        text = f"was {old.label}, now {new.label}"
        yield here.change(TYPE_CHANGED if refused else TYPE_WIDENED, text)
        if refused:
            return
    yield from compare_values(old, new, here)
    yield from compare_traits(old, new, here, required=required)
    yield from _fields(old, new, inside)
    if old.items and new.items:
        yield from compare_schema(old.items, new.items, inside.step("[]"))
    if old.values and new.values:
        yield from compare_schema(old.values, new.values, inside.step("{}"))


def _fields(old: Node, new: Node, spot: Spot) -> Iterator[Change]:
    names = renames(old, new, spot.patience)
    for name in sorted(old.properties.keys() | new.properties.keys()):
        below = spot.step(join("", name))
        if name not in new.properties:
            yield _removed(name, names.get(name, ""), old, new, below)
        elif name not in old.properties:
            yield _added(name, old, new, below)
        else:
            before, after = old.properties[name], new.properties[name]
            yield from _presence(name, old, new, below)
            yield from compare_schema(before, after, below, required=name in new.required)
    for name in sorted((old.required ^ new.required) - old.properties.keys() - new.properties.keys()):
        yield from _presence(name, old, new, spot.step(join("", name)))
    if bool(old.items) != bool(new.items) and old.kind == new.kind:
        yield spot.change(KEYWORD_CHANGED, "whether items are declared changed", detail="items")


def _removed(name: str, heir: str, old: Node, new: Node, spot: Spot) -> Change:
    text = f"the field is gone, was {old.properties[name].label}"
    hint = f"is it now called {heir!r}?" if heir else ""
    if new.keeps_unknown:
        reason = "the value is kept, but no longer checked or defaulted"
        return spot.change(FIELD_REMOVED, text, risk=Risk.BEHAVIOUR, reason=reason, hint=hint)
    return spot.change(FIELD_REMOVED, text, hint=hint)


def _added(name: str, old: Node, new: Node, spot: Spot) -> Change:
    node = new.properties[name]
    filled = "default" in node.facts
    text = f"{node.label} is new" + (f", defaults to {constant(node.facts['default'])}" if filled else "")
    if name in new.required and not filled and name not in old.required:
        return spot.change(REQUIRED_FIELD_ADDED, f"{text}, is required and has no default")
    if old.keeps_unknown:
        reason = "values that were kept unchecked are now checked"
        return spot.change(FIELD_ADDED, text, risk=Risk.BEHAVIOUR, reason=reason, felt_by=USERS)
    return spot.change(FIELD_ADDED, text)


def _presence(name: str, old: Node, new: Node, spot: Spot) -> Iterator[Change]:
    was, now = name in old.required, name in new.required
    if was and not now:
        yield spot.change(FIELD_OPTIONAL, "was required, now optional")
    elif now and not was:
        after = new.properties.get(name)
        if after and "default" in after.facts:
            text, reason = "was optional, now required with a default", "the default fills it in"
            yield spot.change(FIELD_REQUIRED, text, risk=Risk.COSMETIC, reason=reason)
        else:
            yield spot.change(FIELD_REQUIRED, "was optional, now required, and has no default")
