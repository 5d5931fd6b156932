"""Compare the CEL rules of a field: which are new, gone or replaced, and whom a new one can refuse."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from msgspec import Struct

from kitgen.cel.parse import CelError, tokenize
from kitgen.compare.cel.proof import Proof, prove_rule
from kitgen.compare.change import UNPROVED, Change, GuessBudget, Risk, load_change_rules
from kitgen.compare.crds.place import CrdCursor
from kitgen.compare.object_match import select_best_pairs
from kitgen.crd.outline_fields import to_compact_json
from kitgen.crd.schema_nodes import SchemaNode
from kitgen.text.values import entries_at
from kitgen.text.wording import text_of
from kitgen.text.yaml import JsonObject

ALIKE = 0.6
"""From which share of equal tokens on a rule is taken for another form of one that is gone."""
LONG = 300
"""Rules of more tokens are not held against each other: it takes the cube of their number."""


class _Rule(Struct, frozen=True):
    """A CEL rule as it stands in the schema."""

    body: JsonObject
    text: str
    """The expression as it is written."""
    tokens: tuple[str, ...]

    @property
    def one_line_text(self) -> str:
        """Return the expression in one line, by which an exception names it."""
        return " ".join(self.text.split())

    @property
    def has_optional_old_self(self) -> bool:
        """Return whether oldSelf may be missing, so that the rule holds for new objects too."""
        return bool(self.body.get("optionalOldSelf"))

    def has_same_message(self, other: _Rule) -> bool:
        """Return whether two rules give the same answer, or point at the same field for the same reason."""
        for key in ("message", "messageExpression"):
            if self.body.get(key):
                return bool(self.body[key] == other.body.get(key))
        return bool(self.body.get("fieldPath")) and all(
            self.body.get(key) == other.body.get(key) for key in ("fieldPath", "reason")
        )


def compare_cel(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    """Yield every change of the rules of a field; space in an expression is none."""
    past, present = _parse_rules(old), _parse_rules(new)
    if past == present:
        return
    for key in [key for key in present if key in past]:
        yield from _compare_rule_bodies(past[key], present[key], spot)
    gone = [past[key] for key in past if key not in present]
    come = [present[key] for key in present if key not in past]
    heirs = _match_replaced_rules(gone, come, spot.patience)
    yield from (
        spot.build_change(
            "cel-rule-removed", f"{to_compact_json(rule.text)} is gone", detail=rule.one_line_text
        )
        for index, rule in enumerate(gone)
        if index not in heirs
    )
    before = {index: to_compact_json(gone[first].text) for first, index in heirs.items()}
    for index, rule in enumerate(come):
        proof, text = _prove_harmless(rule, past, old, new, spot), to_compact_json(rule.text)
        if index in before:
            yield _build_rule_change(
                "cel-rule-changed", f"was {before[index]}, now {text}", rule, proof, spot
            )
        else:
            yield _build_rule_change("cel-rule-added", f"{text} is new", rule, proof, spot)


def _parse_rules(node: SchemaNode) -> dict[tuple[str, ...], _Rule]:
    found = {}
    for _, body in entries_at(node.facts.get("x-kubernetes-validations")):
        text = text_of(body.get("rule"))
        try:
            key = tokenize(text)
        except CelError:
            key = tuple(text.split())
        found[key] = _Rule(body, text, key)
    return found


def _compare_rule_bodies(before: _Rule, after: _Rule, spot: CrdCursor) -> Iterator[Change]:
    was, now = ({key: said for key, said in rule.body.items() if key != "rule"} for rule in (before, after))
    optional = before.has_optional_old_self != after.has_optional_old_self
    if optional or was != now:
        rule, what = (
            ("cel-rule-changed", "optionalOldSelf") if optional else ("cel-message-changed", "the answer")
        )
        yield spot.build_change(
            rule, f"{what} of {to_compact_json(after.text)} changed", detail=after.one_line_text
        )


def _match_replaced_rules(gone: list[_Rule], come: list[_Rule], patience: GuessBudget) -> dict[int, int]:
    """Tell which rule that is gone was replaced by which new one: the likeliest pairs first."""
    size = sum(len(rule.tokens) + 1 for rule in gone) * sum(len(rule.tokens) + 1 for rule in come)
    if not patience.try_spend(size // 10):
        return {}
    pairs = (
        ((not rule.has_same_message(other), -_compute_similarity(rule.tokens, other.tokens)), first, second)
        for first, rule in enumerate(gone)
        for second, other in enumerate(come)
    )
    return select_best_pairs(each for each in pairs if not each[0][0] or -each[0][1] >= ALIKE)


def _compute_similarity(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """Return the share of equal tokens; a rule that stands in the other one as a whole is all equal."""
    if max(len(one), len(other)) > LONG:
        return 0.0
    match = SequenceMatcher(None, one, other, autojunk=False)
    if 3 <= match.find_longest_match().size == min(len(one), len(other)):
        return 1.0
    return match.ratio() if match.quick_ratio() >= ALIKE else 0.0


def _prove_harmless(
    rule: _Rule, past: dict[tuple[str, ...], _Rule], old: SchemaNode, new: SchemaNode, spot: CrdCursor
) -> Proof:
    """Return whether a rule refuses no object of today."""
    if rule.has_optional_old_self:  # oldSelf is another thing then
        return Proof(held=False)
    given = [each.text for each in past.values() if not each.has_optional_old_self]
    if not spot.patience.try_spend(sum(map(len, (rule.text, *given)))):
        return Proof(held=False)
    found = prove_rule(rule.text, old, new, given=given, root=not spot.place.path)
    spot.patience.spend(found.cost // 4)
    return found


def _build_rule_change(name: str, text: str, rule: _Rule, proof: Proof, spot: CrdCursor) -> Change:
    if proof.held:
        fields = ", ".join(proof.fields)
        reason = "what passed before passes" + (f", as it has no {fields} yet" if fields else "")
        who = "users who set the new field" if fields else "nobody"
        return spot.build_change(
            name, text, risk=Risk.COSMETIC, reason=reason, felt_by=who, detail=rule.one_line_text
        )
    unguarded = ", ".join(proof.missed)
    hint = f"has() does not guard {unguarded}, which is new: objects without it are refused"
    reason = f"{UNPROVED}: {load_change_rules()[name].reason}" if name == "cel-rule-changed" else ""
    return spot.build_change(
        name, text, reason=reason, hint=hint if unguarded else "", detail=rule.one_line_text
    )
