"""Compare what values a field takes: formats, enums, patterns, bounds, alternatives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from kitgen.compare.change import UNPROVED, Change, Risk, change_rules
from kitgen.compare.crds.place import READERS, CrdCursor
from kitgen.crd.outline_fields import compact, constant
from kitgen.crd.schema_nodes import SchemaNode
from kitgen.text.formats import ENFORCED
from kitgen.text.regex import MOST
from kitgen.text.regex_inclusion import Inclusion, includes
from kitgen.text.wording import text_of
from kitgen.text.yaml import Json

FORMAT = {"added": "format-added", "removed": "format-removed", "changed": "format-changed"}
PATTERN = {"added": "pattern-added", "changed": "pattern-changed"}
LENGTHS = ("minLength", "maxLength")
WIDER_FORMAT = {("int32", "int64"), ("float", "double")}
LOWER = (("minimum", "exclusiveMinimum"), ("minLength", ""), ("minItems", ""), ("minProperties", ""))
UPPER = (("maximum", "exclusiveMaximum"), ("maxLength", ""), ("maxItems", ""), ("maxProperties", ""))
SEEN = frozenset({"type", "format", "enum", "pattern", "multipleOf", "uniqueItems"}) | {
    key for pair in LOWER + UPPER for key in pair if key
}
LONG, MANY = 100, 50
ALTERNATIVES = ("allOf", "anyOf", "oneOf", "not")


def compare_values(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    """Yield every change of the values that a field takes."""
    yield from _format(old, new, spot)
    yield from _enum(old, new, spot)
    yield from _pattern(old, new, spot)
    yield from _bounds(old, new, spot)
    yield from _multiple(old, new, spot)
    yield from _alternatives(old, new, spot)


def _ways(old: SchemaNode, new: SchemaNode, key: str) -> tuple[str, str]:
    """Return whether a keyword was added, removed or changed, and what it was and is; nothing if neither."""
    before, after = old.facts.get(key), new.facts.get(key)
    if before == after:
        return "", ""
    was, now = ("any" if value is None else text_of(value) for value in (before, after))
    return "added" if before is None else "removed" if after is None else "changed", f"was {was}, now {now}"


def _format(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    how, text = _ways(old, new, "format")
    before, after = old.facts.get("format"), new.facts.get("format")
    risk, reason = None, ""
    if (before, after) in WIDER_FORMAT:
        risk, reason = Risk.BEHAVIOUR, "old values pass, readers may meet larger ones"
    elif after is not None and str(after).replace("-", "") not in ENFORCED:  # it does not count dashes
        risk, reason = Risk.COSMETIC, "the API server does not check this format"
    if how:
        yield spot.change(FORMAT[how], text, risk=risk, reason=reason)


def _judged(rule: str, text: str, wanted: str, old: SchemaNode, spot: CrdCursor, detail: str = "") -> Change:
    """Return a change of the texts that a field takes, by whether what it took matches what is wanted now."""
    known = _matched(old)
    if not known or not wanted:
        return spot.change(
            rule, text, detail=detail, reason=f"{UNPROVED}: {change_rules()[rule].reason}" if known else ""
        )
    found = includes(wanted, known[0]) if spot.patience.left else Inclusion(None)
    if not found.held and len(known) > 1 and spot.patience.left:
        found = includes(wanted, *known)
    spot.patience.spend(found.steps // 4)
    if found.held:
        reason = "whatever passed before passes"
        return spot.change(rule, text, risk=Risk.COSMETIC, reason=reason, felt_by=READERS, detail=detail)
    reason = f"{UNPROVED}: {change_rules()[rule].reason}"
    if found.held is False:
        # It is made of public patterns alone, so nothing in it is secret.
        example = found.example[:LONG] + "…" * (len(found.example) > LONG)
        reason = f"values that passed are refused, such as {compact(example)}"
    return spot.change(rule, text, reason=reason, detail=detail)


def _matched(node: SchemaNode) -> list[str]:
    """Return patterns that all texts match which a field takes."""
    facts = node.facts
    found = [str(facts["pattern"])] if "pattern" in facts else []
    enum = facts.get("enum") or ()
    if enum and all(isinstance(each, str) for each in enum):
        found.append(_one_of(enum))
    return found + [_length(key, facts[key]) for key in LENGTHS if _length(key, facts.get(key))]


def _one_of(values: Iterable[str]) -> str:
    return f"^(?:{'|'.join(map(re.escape, values))})$"


def _length(key: str, limit: Json) -> str:
    """Return the pattern of a bound on the length of texts; nothing for one that is none or too large."""
    if key not in LENGTHS or type(limit) is not int or not 0 <= limit <= MOST:
        return ""
    return f"(?s)^.{{{limit},}}$" if key == "minLength" else f"(?s)^.{{0,{limit}}}$"


def _enum(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    before, after = (node.facts.get("enum") for node in (old, new))
    past, present = ({compact(each): constant(each) for each in values or ()} for values in (before, after))
    if before is None and after is not None:
        text = f"was any, now one of {_some([*present.values()])}"
        # Numbers and null match no pattern, and are refused all the same.
        texts = old.kind == "string" and not old.facts.get("nullable")
        every = texts and all(isinstance(each, str) for each in after)
        yield _judged("enum-added", text, _one_of(after) if every else "", old, spot)
    elif before is not None and after is None:
        yield spot.change("enum-removed", f"was one of {_some([*past.values()])}, now any")
    else:
        left = _some([*present.values()])
        for value in (told for value, told in past.items() if value not in present):
            yield spot.change("enum-value-removed", f"{value} is gone, now one of {left}", detail=value)
        for value in (told for value, told in present.items() if value not in past):
            yield spot.change("enum-value-added", f"{value} is new", detail=value)


def _some(values: list[str]) -> str:
    """List values; of many only the first, since each change of them says so again."""
    first = [value if len(value) <= LONG else f"{value[:LONG]}…" for value in values[:MANY]]
    return ", ".join(first) + (f" and {len(values) - MANY} more" if len(values) > MANY else "")


def _pattern(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    how, text = _ways(old, new, "pattern")
    if how == "removed":
        yield spot.change("pattern-removed", text)
    elif how:
        yield _judged(PATTERN[how], text, str(new.facts["pattern"]), old, spot)


def _bounds(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    for sign, pairs in ((1, LOWER), (-1, UPPER)):
        for key, exclusive in pairs:
            before, after = _bound(old, key, exclusive), _bound(new, key, exclusive)
            if before == after:
                continue
            text = f"{key} was {_limit(before)}, now {_limit(after)}"
            loose = after is None or (before is not None and _strict(after, sign) < _strict(before, sign))
            wanted = _length(key, new.facts.get(key))
            if wanted and not loose and "pattern" in old.facts:
                yield _judged("bound-tightened", text, wanted, old, spot, key)
            else:
                yield spot.change("bound-loosened" if loose else "bound-tightened", text, detail=key)
    if old.facts.get("uniqueItems") != new.facts.get("uniqueItems"):
        rule = "bound-tightened" if new.facts.get("uniqueItems") else "bound-loosened"
        yield spot.change(rule, "whether items must be unique changed", detail="uniqueItems")


def _bound(node: SchemaNode, key: str, exclusive: str) -> tuple[Json, bool] | None:
    if key not in node.facts:
        return None
    return node.facts[key], bool(exclusive and node.facts.get(exclusive))


def _strict(bound: tuple[Json, bool], sign: int) -> tuple[Json, bool]:
    return sign * bound[0], bound[1]


def _limit(bound: tuple[Json, bool] | None) -> str:
    if bound is None:
        return "none"
    return f"{compact(bound[0])}{' (exclusive)' if bound[1] else ''}"


def _multiple(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    how, text = _ways(old, new, "multipleOf")
    before, after = old.facts.get("multipleOf"), new.facts.get("multipleOf")
    loose = how == "removed" or (how == "changed" and Fraction(str(before)) % Fraction(str(after)) == 0)
    if how:
        rule = "bound-loosened" if loose else "bound-tightened"
        yield spot.change(rule, f"multipleOf {text}", detail="multipleOf")


def _alternatives(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    for key in ALTERNATIVES:
        how, _ = _ways(old, new, key)
        loose = how == "removed" or (how == "changed" and _fewer_demands(key, old.facts[key], new.facts[key]))
        if how:
            rule = "alternatives-loosened" if loose else "alternatives-tightened"
            text = {"added": "is new", "removed": "is gone"}.get(how, how)
            reason = "" if loose else f"{UNPROVED}: {change_rules()[rule].reason}"
            yield spot.change(rule, f"{key} {text}", detail=key, reason=reason)


def _fewer_demands(key: str, before: Json, after: Json) -> bool:
    """Tell whether whatever passed before still passes: one more way out, or one demand less."""
    if key == "anyOf":
        return all(item in after for item in before)
    return key == "allOf" and all(item in before for item in after)
