"""Compare two schemas field by field.

A field that is gone may have another name now: that is guessed only where name and shape both speak for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from kitgen.compare.change import Change, GuessBudget, Risk
from kitgen.compare.crds.keywords import compare_keywords
from kitgen.compare.crds.place import USERS, CrdCursor
from kitgen.compare.object_match import select_best_pairs
from kitgen.crd.outline_fields import format_constant, join_field_path
from kitgen.crd.schema_nodes import SchemaNode
from kitgen.text.patterns import compile_late

WORD = compile_late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
MOST_VALUES = 100
NAMES, WORDS, FIELDS = 0.6, 0.8, 0.5
"""How much of two names, of two words in them, and of the fields of two objects must be equal."""
LONG, MANY = 100, 10_000
"""No name is longer. With more pairs to choose from, a likeness says nothing, and it takes long to find."""


def guess_renamed_fields(old: SchemaNode, new: SchemaNode, patience: GuessBudget) -> dict[str, str]:
    """Return by the name of a field that is gone the name that it likely has now, each only once."""
    come = [name for name in new.properties if name not in old.properties and len(name) <= LONG]
    gone = [name for name in old.properties if name not in new.properties and len(name) <= LONG]
    size = sum(map(len, gone)) * sum(map(len, come))
    if len(gone) * len(come) > MANY or not patience.try_spend(size // 12):
        return {}
    return select_best_pairs(
        (-share, name, other)
        for name in gone
        for other in come
        if _has_similar_shape(old.properties[name], new.properties[other]) and _has_similar_words(name, other)
        if (share := _compute_similarity(name.casefold(), other.casefold())) >= NAMES
    )


def _compute_similarity(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _has_similar_words(one: str, other: str) -> bool:
    """Return whether each word of the shorter name is in the longer one: minAge is not what maxAge was."""
    if one.casefold() == other.casefold():
        return True
    short, long = sorted(([word.casefold() for word in WORD.findall(name)] for name in (one, other)), key=len)
    return bool(short) and all(
        any(_compute_similarity(word, each) >= WORDS for each in long) for word in short
    )


def _has_similar_shape(old: SchemaNode, new: SchemaNode) -> bool:
    """Return whether a value of one could be a value of the other: never across types."""
    if old is new or old.kind != new.kind:
        return old is new
    one, other = (
        {str(value) for value in (node.facts.get("enum") or ())[:MOST_VALUES]} for node in (old, new)
    )
    inside = ((old.items, new.items), (old.values, new.values))
    every, both = old.properties.keys() | new.properties.keys(), old.properties.keys() & new.properties.keys()
    return (
        (not one or not other or bool(one & other))
        and all(_has_similar_shape(before, after) for before, after in inside if before and after)
        and len(both) >= FIELDS * len(every)
    )


WIDER = {("integer", "number"), ("integer", "int-or-string"), ("string", "int-or-string")}


def compare_schema(
    old: SchemaNode, new: SchemaNode, spot: CrdCursor, *, required: bool = False
) -> Iterator[Change]:
    """Yield every change between two schemas; `required` says whether the new field must be there.

    What two types differ in is the same wherever they stand, so it is looked for once.
    """
    if old is new:
        return
    if not (old.name or new.name) and spot.top:
        yield from _compare_nodes(old, new, spot, required)
        return
    if (key := (old, new, required, spot.top)) not in spot.known:
        spot.known[key] = spot.place.path, [*_compare_nodes(old, new, spot, required)]
    path, changes = spot.known[key]
    yield from (spot.repeat_change(each, path) for each in changes)


def _compare_nodes(old: SchemaNode, new: SchemaNode, spot: CrdCursor, required: bool) -> Iterator[Change]:
    inside = spot.enter_type(old, new)
    here = inside if old.name or new.name else spot
    if old.kind != new.kind:
        refused = new.kind != "any" and (old.kind, new.kind) not in WIDER
        yield here.build_change(
            "type-changed" if refused else "type-widened", f"was {old.label}, now {new.label}"
        )
        if refused:
            return
    yield from compare_keywords(old, new, here, required=required)
    yield from _compare_fields(old, new, inside)
    for before, after, step in ((old.items, new.items, "[]"), (old.values, new.values, "{}")):
        if before and after:
            yield from compare_schema(before, after, inside.descend(step))


def _compare_fields(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    names = guess_renamed_fields(old, new, spot.patience)
    for name in sorted(old.properties.keys() | new.properties.keys()):
        below = spot.descend(join_field_path("", name))
        if name not in new.properties:
            hint = f"is it now called {names[name]!r}?" if name in names else ""
            risk = Risk.BEHAVIOUR if new.keeps_unknown_fields else None
            reason = (
                "the value is kept, but no longer checked or defaulted" if new.keeps_unknown_fields else ""
            )
            text = f"the field is gone, was {old.properties[name].label}"
            yield below.build_change("field-removed", text, risk=risk, reason=reason, hint=hint)
        elif name not in old.properties:
            yield _build_added_field_change(name, old, new, below)
        else:
            yield from _compare_required(name, old, new, below)
            yield from compare_schema(
                old.properties[name], new.properties[name], below, required=name in new.required
            )
    for name in sorted((old.required ^ new.required) - old.properties.keys() - new.properties.keys()):
        yield from _compare_required(name, old, new, spot.descend(join_field_path("", name)))
    if bool(old.items) != bool(new.items) and old.kind == new.kind:
        yield spot.build_change("keyword-changed", "whether items are declared changed", detail="items")


def _build_added_field_change(name: str, old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Change:
    node = new.properties[name]
    filled = "default" in node.facts
    text = f"{node.label} is new" + (
        f", defaults to {format_constant(node.facts['default'])}" if filled else ""
    )
    if name in new.required and not filled and name not in old.required:
        return spot.build_change("required-field-added", f"{text}, is required and has no default")
    if old.keeps_unknown_fields:
        reason = "values that were kept unchecked are now checked"
        return spot.build_change("field-added", text, risk=Risk.BEHAVIOUR, reason=reason, felt_by=USERS)
    return spot.build_change("field-added", text)


def _compare_required(name: str, old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    was, now = name in old.required, name in new.required
    if was and not now:
        yield spot.build_change("field-optional", "was required, now optional")
    elif now and not was:
        if (after := new.properties.get(name)) and "default" in after.facts:
            text, reason = "was optional, now required with a default", "the default fills it in"
            yield spot.build_change("field-required", text, risk=Risk.COSMETIC, reason=reason)
        else:
            yield spot.build_change("field-required", "was optional, now required, and has no default")
