"""Compare the keywords of two schemas: what values a field takes, and how it behaves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from kitgen.compare.change import UNPROVED, Change, Risk, load_change_rules
from kitgen.compare.crds.cel import compare_cel
from kitgen.compare.crds.place import OMITTERS, READERS, CrdCursor
from kitgen.crd.outline_fields import format_constant, to_compact_json
from kitgen.crd.schema_nodes import SchemaNode
from kitgen.text.formats import ENFORCED
from kitgen.text.regex import MOST
from kitgen.text.regex_inclusion import Inclusion, compute_inclusion
from kitgen.text.wording import text_of
from kitgen.text.yaml import Json

WIDER_FORMAT = {("int32", "int64"), ("float", "double")}
BOUNDS = {
    **{f"min{noun}": (1, "") for noun in ("Length", "Items", "Properties")},
    **{f"max{noun}": (-1, "") for noun in ("Length", "Items", "Properties")},
    "minimum": (1, "exclusiveMinimum"),
    "maximum": (-1, "exclusiveMaximum"),
}
"""Keyword → the sign by which a greater bound is tighter, and what leaves the bound itself out."""
ALTERNATIVES = ("allOf", "anyOf", "oneOf", "not")
LOOSER: dict[str, Callable[[Json, Json], bool]] = {
    "allOf": lambda before, after: before is not None and all(item in before for item in after),
    "anyOf": lambda before, after: before is not None and all(item in after for item in before),
    "multipleOf": lambda before, after: (
        before is not None and Fraction(str(before)) % Fraction(str(after)) == 0
    ),
    "not": lambda before, after: False,
    "oneOf": lambda before, after: False,
    "uniqueItems": lambda before, after: not after,
}
"""Keyword that demands something → whether whatever passed before still passes."""
SWITCHES = {
    "nullable": ("nullable-added", "nullable-dropped", "null"),
    "x-kubernetes-preserve-unknown-fields": (
        "unknown-fields-kept",
        "unknown-fields-dropped",
        "fields that the schema does not name",
    ),
    "x-kubernetes-embedded-resource": (
        "embedded-resource-added",
        "embedded-resource-removed",
        "being an object of its own",
    ),
}
"""Keyword → the rules for what is now allowed and what no longer is, and what that is."""
LIST_TYPE, LIST_KEYS = "x-kubernetes-list-type", "x-kubernetes-list-map-keys"
TYPES = {
    LIST_TYPE: ("atomic", "list-type-changed"),
    "x-kubernetes-map-type": ("granular", "map-type-changed"),
}
"""Keyword → what it is where it is left out, and the rule for another one."""
SEEN = {
    *("type", "format", "enum", "pattern", "default", "exclusiveMinimum", "exclusiveMaximum", LIST_KEYS),
    *("x-kubernetes-validations", "x-kubernetes-int-or-string"),
    *(*BOUNDS, *LOOSER, *SWITCHES, *TYPES),
}
LONG, MANY = 100, 50


def compare_keywords(
    old: SchemaNode, new: SchemaNode, spot: CrdCursor, *, required: bool
) -> Iterator[Change]:
    """Yield every change of a field's keywords; `required` says whether it must be there now."""
    yield from _compare_format(old, new, spot)
    yield from _compare_enum(old, new, spot)
    yield from _compare_pattern(old, new, spot)
    yield from _compare_bounds(old, new, spot)
    yield from _compare_constraints(old, new, spot)
    yield from _compare_default(old, new, spot, required)
    for key, (added, dropped, what) in SWITCHES.items():
        if old.facts.get(key) != new.facts.get(key):
            on = bool(new.facts.get(key))
            yield spot.build_change(
                added if on else dropped, f"{what}: {'now allowed' if on else 'no longer allowed'}"
            )
    yield from _compare_list_types(old, new, spot)
    yield from compare_cel(old, new, spot)
    yield from (
        spot.build_change("keyword-changed", f"{key} changed", detail=key)
        for key in sorted((old.facts.keys() | new.facts.keys()) - SEEN)
        if old.facts.get(key) != new.facts.get(key)
    )


def _describe_keyword_change(old: SchemaNode, new: SchemaNode, key: str) -> tuple[str, str]:
    """Return whether a keyword was added, removed or changed, and what it was and is; nothing if neither."""
    before, after = old.facts.get(key), new.facts.get(key)
    if before == after:
        return "", ""
    was, now = ("any" if value is None else text_of(value) for value in (before, after))
    return "added" if before is None else "removed" if after is None else "changed", f"was {was}, now {now}"


def _compare_format(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    how, text = _describe_keyword_change(old, new, "format")
    before, after = old.facts.get("format"), new.facts.get("format")
    risk, reason = None, ""
    if (before, after) in WIDER_FORMAT:
        risk, reason = Risk.BEHAVIOUR, "old values pass, readers may meet larger ones"
    elif after is not None and str(after).replace("-", "") not in ENFORCED:  # it does not count dashes
        risk, reason = Risk.COSMETIC, "the API server does not check this format"
    if how:
        rules = {"added": "format-added", "removed": "format-removed", "changed": "format-changed"}
        yield spot.build_change(rules[how], text, risk=risk, reason=reason)


def _compare_enum(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    before, after = (node.facts.get("enum") for node in (old, new))
    past, present = (
        {to_compact_json(each): format_constant(each) for each in values or ()} for values in (before, after)
    )
    if before is None and after is not None:
        text = f"was any, now one of {_format_values([*present.values()])}"
        # Numbers and null match no pattern, and are refused all the same.
        texts = old.kind == "string" and not old.facts.get("nullable")
        every = texts and all(isinstance(each, str) for each in after)
        yield _build_pattern_change(
            "enum-added", text, _build_enum_pattern(after) if every else "", old, spot
        )
    elif before is not None and after is None:
        yield spot.build_change("enum-removed", f"was one of {_format_values([*past.values()])}, now any")
    else:
        left = _format_values([*present.values()])
        gone = (said for value, said in past.items() if value not in present)
        yield from (
            spot.build_change("enum-value-removed", f"{said} is gone, now one of {left}", detail=said)
            for said in gone
        )
        come = (said for value, said in present.items() if value not in past)
        yield from (spot.build_change("enum-value-added", f"{said} is new", detail=said) for said in come)


def _format_values(values: list[str]) -> str:
    """List values; of many only the first, since each change of them says so again."""
    first = [value if len(value) <= LONG else f"{value[:LONG]}…" for value in values[:MANY]]
    return ", ".join(first) + (f" and {len(values) - MANY} more" if len(values) > MANY else "")


def _compare_pattern(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    how, text = _describe_keyword_change(old, new, "pattern")
    if how == "removed":
        yield spot.build_change("pattern-removed", text)
    elif how:
        rule = "pattern-added" if how == "added" else "pattern-changed"
        yield _build_pattern_change(rule, text, str(new.facts["pattern"]), old, spot)


def _build_pattern_change(
    rule: str, text: str, wanted: str, old: SchemaNode, spot: CrdCursor, detail: str = ""
) -> Change:
    """Return a change of the texts that a field takes, by whether what it took matches what is wanted now."""
    known = _collect_patterns(old)
    unproved = f"{UNPROVED}: {load_change_rules()[rule].reason}"
    if not known or not wanted:
        return spot.build_change(rule, text, detail=detail, reason=unproved if known else "")
    found = compute_inclusion(wanted, known[0]) if spot.patience.left else Inclusion(None)
    if not found.held and len(known) > 1 and spot.patience.left:
        found = compute_inclusion(wanted, *known)
    spot.patience.spend(found.steps // 4)
    if found.held:
        reason = "whatever passed before passes"
        return spot.build_change(
            rule, text, risk=Risk.COSMETIC, reason=reason, felt_by=READERS, detail=detail
        )
    # An example is made of public patterns alone, so nothing in it is secret.
    example = to_compact_json(found.example[:LONG] + "…" * (len(found.example) > LONG))
    refused = f"values that passed are refused, such as {example}"
    return spot.build_change(rule, text, reason=refused if found.held is False else unproved, detail=detail)


def _collect_patterns(node: SchemaNode) -> list[str]:
    """Return patterns that all texts match which a field takes."""
    facts = node.facts
    found = [str(facts["pattern"])] if "pattern" in facts else []
    if (enum := facts.get("enum") or ()) and all(isinstance(each, str) for each in enum):
        found.append(_build_enum_pattern(enum))
    return [
        *found,
        *filter(None, (_build_length_pattern(key, facts.get(key)) for key in ("minLength", "maxLength"))),
    ]


def _build_enum_pattern(values: Iterable[str]) -> str:
    return f"^(?:{'|'.join(map(re.escape, values))})$"


def _build_length_pattern(key: str, limit: Json) -> str:
    """Return the pattern of a bound on the length of texts; nothing for one that is none or too large."""
    if key not in ("minLength", "maxLength") or type(limit) is not int or not 0 <= limit <= MOST:
        return ""
    return f"(?s)^.{{{limit},}}$" if key == "minLength" else f"(?s)^.{{0,{limit}}}$"


def _compare_bounds(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    for key, (sign, exclusive) in BOUNDS.items():
        before, after = (
            (node.facts[key], bool(node.facts.get(exclusive))) if key in node.facts else None
            for node in (old, new)
        )
        if before == after:
            continue
        was, now = (_format_bound(*bound) if bound else "none" for bound in (before, after))
        text = f"{key} was {was}, now {now}"
        loose = not after or (before and (sign * after[0], after[1]) < (sign * before[0], before[1]))
        if (
            (wanted := _build_length_pattern(key, new.facts.get(key)))
            and not loose
            and "pattern" in old.facts
        ):
            yield _build_pattern_change("bound-tightened", text, wanted, old, spot, key)
        else:
            yield spot.build_change("bound-loosened" if loose else "bound-tightened", text, detail=key)


def _format_bound(bound: Json, exclusive: bool) -> str:
    return f"{to_compact_json(bound)}{' (exclusive)' if exclusive else ''}"


def _compare_constraints(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    for key, is_looser in LOOSER.items():
        how, text = _describe_keyword_change(old, new, key)
        if not how:
            continue
        loose = how == "removed" or is_looser(old.facts.get(key), new.facts[key])
        if key in ALTERNATIVES:
            rule = "alternatives-loosened" if loose else "alternatives-tightened"
            reason = "" if loose else f"{UNPROVED}: {load_change_rules()[rule].reason}"
            verb = {"added": "is new", "removed": "is gone", "changed": "changed"}[how]
            yield spot.build_change(rule, f"{key} {verb}", detail=key, reason=reason)
        else:
            text = f"multipleOf {text}" if key == "multipleOf" else "whether items must be unique changed"
            yield spot.build_change("bound-loosened" if loose else "bound-tightened", text, detail=key)


def _compare_default(old: SchemaNode, new: SchemaNode, spot: CrdCursor, required: bool) -> Iterator[Change]:
    facts = [node.facts.get("default", ...) for node in (old, new)]
    if len({"none" if each is ... else to_compact_json(each) for each in facts}) == 1:
        return
    before, after = ("none" if each is ... else format_constant(each) for each in facts)
    text = f"was {before}, now {after}"
    if after == "none" and required:
        reason, who = "it must be there, and nothing fills it in any more", OMITTERS
        text += ", and the field is required"
        yield spot.build_change("default-removed", text, risk=Risk.BREAKING, reason=reason, felt_by=who)
    else:
        come = "default-added" if before == "none" else "default-changed"
        yield spot.build_change("default-removed" if after == "none" else come, text)


def _compare_list_types(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    for key, (default, rule) in TYPES.items():
        before, after = (text_of(node.facts.get(key, default)) for node in (old, new))
        text = f"was {before}, now {after}"
        if before != after == "atomic" and key == LIST_TYPE:
            reason = "apply replaces the whole list, items of other owners are lost"
            yield spot.build_change(
                rule, text, risk=Risk.BEHAVIOUR, reason=reason, felt_by="clients that apply it"
            )
        elif before != after:
            yield spot.build_change(rule, text)
    same = old.facts.get(LIST_TYPE, "atomic") == new.facts.get(LIST_TYPE, "atomic")
    were, are = (sorted(map(text_of, node.facts.get(LIST_KEYS) or ())) for node in (old, new))
    if were != are and same:
        yield spot.build_change("list-map-keys-changed", f"were {', '.join(were)}, now {', '.join(are)}")
