"""Label rules of a new version: the component's, and those of each target."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from kitgen.importing.survey import fits, same_reach, shared_rules
from kitgen.importing.trees import InvertedTree, rules_of
from kitgen.kit.model import Component, LabelRule, LabelScope
from kitgen.text.yaml import JsonObject


def kept_rules(reads: Sequence[InvertedTree], older: Component) -> tuple[LabelRule, ...]:
    """Return the component's label rules as far as they fit all trees."""
    kept = []
    for rule in older.labels:
        pairs = {
            key: value
            for key, value in rule.pairs.items()
            if all(fits([replace(rule, pairs={key: value})], read.given.bodies) for read in reads)
        }
        kept += [rule if pairs == rule.pairs else replace(rule, pairs=pairs)] if pairs else []
    return tuple(kept)


def is_relabelled(read: InvertedTree) -> bool:
    """Tell whether the label rules of an older spec do not fit a target's tree."""
    older = read.given.older
    return bool(read.given.who) and older is not None and not fits(rules_of(older), read.given.bodies)


def all_pairs(rules: Sequence[LabelRule]) -> set[tuple[str, str, LabelScope, bool, bool]]:
    """Return all labels of some rules, each with how far it reaches."""
    return {
        (key, value, rule.scope, rule.selectors, rule.templates)
        for rule in rules
        for key, value in rule.pairs.items()
    }


def component_rules(reads: Sequence[InvertedTree]) -> tuple[LabelRule, ...]:
    """Return the label rules that all trees have."""
    return shared_rules([read.found.labels for read in reads])


def rule_data(rule: LabelRule) -> JsonObject:
    """Return a label rule as a spec has it."""
    made: JsonObject = {"pairs": dict(rule.pairs)}
    if rule.selectors:
        made["selectors"] = True
    if rule.templates:
        made["templates"] = True
    if rule.scope is not LabelScope.ALL:
        made["scope"] = rule.scope.value
    return made


def target_labels(read: InvertedTree, reads: Sequence[InvertedTree]) -> list[JsonObject]:
    """Return the label rules of a target that are neither the component's nor its own already."""
    if read.given.older is not None:
        older, first = read.given.older, reads[0]
        known = kept_rules(reads, older.component) if first.given.who else first.found.labels
        known = known if is_relabelled(read) else (*known, *older.settings.labels)
    else:
        known = component_rules(reads)
    made = []
    for rule in read.found.labels:
        pairs = {
            key: value
            for key, value in rule.pairs.items()
            if not any(same_reach(rule, each) and each.pairs.get(key) == value for each in known)
        }
        if pairs:
            made.append({**rule_data(rule), "pairs": pairs})
    return made
