"""Compare the CEL rules of a field: which are new, gone or replaced, and whom a new one can refuse."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from msgspec import Struct

from kitgen.cel.parse import CelError, tokens
from kitgen.compare.cel.proof import Proof, prove
from kitgen.compare.change import UNPROVED, Change, GuessBudget, Risk, change_rules
from kitgen.compare.crds.place import CrdCursor
from kitgen.compare.object_match import best_pairs
from kitgen.crd.outline_fields import compact
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
    def flat(self) -> str:
        """Return the expression in one line, by which an exception names it."""
        return " ".join(self.text.split())

    @property
    def optional(self) -> bool:
        """Return whether oldSelf may be missing, so that the rule holds for new objects too."""
        return bool(self.body.get("optionalOldSelf"))

    def same_answer(self, other: _Rule) -> bool:
        """Return whether two rules give the same answer, or point at the same field for the same reason."""
        for key in ("message", "messageExpression"):
            if self.body.get(key):
                return bool(self.body[key] == other.body.get(key))
        return bool(self.body.get("fieldPath")) and all(
            self.body.get(key) == other.body.get(key) for key in ("fieldPath", "reason")
        )


def compare_cel(old: SchemaNode, new: SchemaNode, spot: CrdCursor) -> Iterator[Change]:
    """Yield every change of the rules of a field; space in an expression is none."""
    past, present = _rules(old), _rules(new)
    if past == present:
        return
    for key in [key for key in present if key in past]:
        yield from _same(past[key], present[key], spot)
    gone = [past[key] for key in past if key not in present]
    come = [present[key] for key in present if key not in past]
    heirs = _heirs(gone, come, spot.patience)
    yield from (
        spot.change("cel-rule-removed", f"{compact(rule.text)} is gone", detail=rule.flat)
        for index, rule in enumerate(gone)
        if index not in heirs
    )
    before = {index: compact(gone[first].text) for first, index in heirs.items()}
    for index, rule in enumerate(come):
        proof, text = _proof(rule, past, old, new, spot), compact(rule.text)
        if index in before:
            yield _judged("cel-rule-changed", f"was {before[index]}, now {text}", rule, proof, spot)
        else:
            yield _judged("cel-rule-added", f"{text} is new", rule, proof, spot)


def _rules(node: SchemaNode) -> dict[tuple[str, ...], _Rule]:
    found = {}
    for _, body in entries_at(node.facts.get("x-kubernetes-validations")):
        text = text_of(body.get("rule"))
        try:
            key = tokens(text)
        except CelError:
            key = tuple(text.split())
        found[key] = _Rule(body, text, key)
    return found


def _same(before: _Rule, after: _Rule, spot: CrdCursor) -> Iterator[Change]:
    was, now = ({key: said for key, said in rule.body.items() if key != "rule"} for rule in (before, after))
    optional = before.optional != after.optional
    if optional or was != now:
        rule, what = (
            ("cel-rule-changed", "optionalOldSelf") if optional else ("cel-message-changed", "the answer")
        )
        yield spot.change(rule, f"{what} of {compact(after.text)} changed", detail=after.flat)


def _heirs(gone: list[_Rule], come: list[_Rule], patience: GuessBudget) -> dict[int, int]:
    """Tell which rule that is gone was replaced by which new one: the likeliest pairs first."""
    size = sum(len(rule.tokens) + 1 for rule in gone) * sum(len(rule.tokens) + 1 for rule in come)
    if not patience.allows(size // 10):
        return {}
    pairs = (
        ((not rule.same_answer(other), -_alike(rule.tokens, other.tokens)), first, second)
        for first, rule in enumerate(gone)
        for second, other in enumerate(come)
    )
    return best_pairs(each for each in pairs if not each[0][0] or -each[0][1] >= ALIKE)


def _alike(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """Return the share of equal tokens; a rule that stands in the other one as a whole is all equal."""
    if max(len(one), len(other)) > LONG:
        return 0.0
    match = SequenceMatcher(None, one, other, autojunk=False)
    if 3 <= match.find_longest_match().size == min(len(one), len(other)):
        return 1.0
    return match.ratio() if match.quick_ratio() >= ALIKE else 0.0


def _proof(
    rule: _Rule, past: dict[tuple[str, ...], _Rule], old: SchemaNode, new: SchemaNode, spot: CrdCursor
) -> Proof:
    """Return whether a rule refuses no object of today."""
    if rule.optional:  # oldSelf is another thing then
        return Proof(held=False)
    given = [each.text for each in past.values() if not each.optional]
    if not spot.patience.allows(sum(map(len, (rule.text, *given)))):
        return Proof(held=False)
    found = prove(rule.text, old, new, given=given, root=not spot.place.path)
    spot.patience.spend(found.cost // 4)
    return found


def _judged(name: str, text: str, rule: _Rule, proof: Proof, spot: CrdCursor) -> Change:
    if proof.held:
        fields = ", ".join(proof.fields)
        reason = "what passed before passes" + (f", as it has no {fields} yet" if fields else "")
        who = "users who set the new field" if fields else "nobody"
        return spot.change(name, text, risk=Risk.COSMETIC, reason=reason, felt_by=who, detail=rule.flat)
    unguarded = ", ".join(proof.missed)
    hint = f"has() does not guard {unguarded}, which is new: objects without it are refused"
    reason = f"{UNPROVED}: {change_rules()[name].reason}" if name == "cel-rule-changed" else ""
    return spot.change(name, text, reason=reason, hint=hint if unguarded else "", detail=rule.flat)
