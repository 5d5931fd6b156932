"""Label rules of a new version: the component's, and those of each target."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from kitgen.importing.survey import can_use_rules, find_shared_rules
from kitgen.importing.trees import InvertedTree, collect_label_rules
from kitgen.kit.model import Component, LabelRule, LabelScope
from kitgen.text.yaml import JsonObject


def select_fitting_rules(reads: Sequence[InvertedTree], older: Component) -> tuple[LabelRule, ...]:
    """Return the component's label rules as far as they fit all trees."""
    found = (
        _filter_rule_labels(
            rule, lambda each: all(can_use_rules([each], read.given.bodies) for read in reads)
        )
        for rule in older.labels
    )
    return tuple(rule for rule in found if rule.pairs)


def _filter_rule_labels(rule: LabelRule, is_kept: Callable[[LabelRule], bool]) -> LabelRule:
    """Return a rule with the labels that are kept; each is tested as a rule of its own."""
    pairs = {k: v for k, v in rule.pairs.items() if is_kept(replace(rule, pairs={k: v}))}
    return rule if pairs == rule.pairs else replace(rule, pairs=pairs)


def is_relabelled(read: InvertedTree) -> bool:
    """Return whether the label rules of an older spec do not fit a target's tree."""
    older = read.given.older
    return (
        bool(read.given.who)
        and older is not None
        and not can_use_rules(collect_label_rules(older), read.given.bodies)
    )


def collect_label_pairs(rules: Sequence[LabelRule]) -> set[tuple[str, str, LabelScope, bool, bool]]:
    """Return all labels of some rules, each with how far it reaches."""
    return {
        (key, value, rule.scope, rule.selectors, rule.templates)
        for rule in rules
        for key, value in rule.pairs.items()
    }


def select_component_rules(reads: Sequence[InvertedTree]) -> tuple[LabelRule, ...]:
    """Return the label rules that all trees have."""
    return find_shared_rules([read.found.labels for read in reads])


def to_rule_data(rule: LabelRule) -> JsonObject:
    """Return a label rule as a spec has it."""
    flags = {"selectors": rule.selectors, "templates": rule.templates}
    scope = {} if rule.scope is LabelScope.ALL else {"scope": rule.scope.value}
    return {"pairs": dict(rule.pairs), **{key: True for key, on in flags.items() if on}, **scope}


def select_target_rules(read: InvertedTree, reads: Sequence[InvertedTree]) -> list[JsonObject]:
    """Return the label rules of a target that are neither the component's nor its own already."""
    known = select_component_rules(reads)
    if (older := read.given.older) is not None:
        known = select_fitting_rules(reads, older.component) if reads[0].given.who else reads[0].found.labels
        known = known if is_relabelled(read) else (*known, *older.settings.labels)
    said = collect_label_pairs(known)
    found = (
        _filter_rule_labels(rule, lambda each: collect_label_pairs([each]).isdisjoint(said))
        for rule in read.found.labels
    )
    return [to_rule_data(rule) for rule in found if rule.pairs]
