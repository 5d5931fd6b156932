"""Label rules of a tree: what nearly all objects carry is said once."""

from __future__ import annotations

from typing import Any

from some import rows

from kitgen.importing.survey import NOWHERE, can_use_rules, find_label_rules, find_shared_rules
from kitgen.kit.model import LabelRule, LabelScope

NAME = {"app.kubernetes.io/name": "hello"}


def config_map(name: str, labels: dict[str, Any] | None = None) -> dict[str, Any]:
    metadata = {"name": name, **({"labels": labels} if labels else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def deployment(labels: dict[str, str], pods: dict[str, str]) -> dict[str, Any]:
    spec = {"selector": {"matchLabels": pods}, "template": {"metadata": {"labels": pods}}}
    metadata = {"name": "manager", "labels": labels}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}


def crd(labels: dict[str, str] | None = None) -> dict[str, Any]:
    metadata = {"name": "a.b", **({"labels": labels} if labels else {})}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata}


def many(count: int) -> list[dict[str, Any]]:
    return [config_map(f"a-{number}", dict(NAME)) for number in range(count)]


def test_one_that_lacks_a_label_leaves_the_rule_for_the_others() -> None:
    (rule,) = find_label_rules([*many(8), config_map("odd")])
    assert (dict(rule.pairs), rule.scope) == (NAME, LabelScope.OPERATOR)


def test_one_of_another_value_leaves_the_rule_for_the_others() -> None:
    (rule,) = find_label_rules([*many(8), config_map("odd", {"app.kubernetes.io/name": "other"})])
    assert dict(rule.pairs) == NAME


def test_few_objects_say_their_labels_themselves() -> None:
    assert find_label_rules([*many(4), config_map("odd")]) == ()


def test_what_many_lack_is_no_rule() -> None:
    assert find_label_rules([*many(8), *(config_map(f"odd-{number}") for number in range(3))]) == ()


def test_labels_of_all_reach_crds() -> None:
    (rule,) = find_label_rules([*many(3), crd(NAME)])
    assert rule.scope is LabelScope.ALL
    (rule,) = find_label_rules([*many(3), crd()])
    assert rule.scope is LabelScope.OPERATOR


def test_a_rule_reaches_pods_only_if_all_carry_it() -> None:
    (rule,) = find_label_rules([*many(8), deployment(NAME, NAME)])
    assert rule.selectors
    (rule,) = find_label_rules([*many(8), deployment(NAME, {"app": "other"})])
    assert not rule.selectors and not rule.templates


def test_pods_that_do_without_keep_a_rule_from_pods() -> None:
    first = deployment(NAME, NAME)
    second = {**deployment({}, {"app": "other"}), "metadata": {"name": "other"}}
    (rule,) = find_label_rules([*many(8), first, second])
    assert dict(rule.pairs) == NAME and not rule.selectors and not rule.templates


def test_rules_of_an_older_spec_fit_with_few_exceptions() -> None:
    rules = find_label_rules(many(9))
    assert rules[0].scope is LabelScope.ALL
    assert can_use_rules(rules, many(9))
    assert can_use_rules(rules, [*many(9), config_map("odd")])
    assert not can_use_rules(rules, [*many(9), *(config_map(f"odd-{number}") for number in range(3))])
    rules = find_label_rules([*many(8), config_map("odd")])
    assert can_use_rules(rules, [*many(8), config_map("odd"), crd()])
    assert not can_use_rules(rules, [*many(4), config_map("odd")])


def test_labels_that_are_none_are_left() -> None:
    strange = [config_map("a", {"x": 1}), config_map("b", {"x": 1}), {"kind": "ConfigMap", "metadata": []}]
    assert find_label_rules(strange) == ()


def rule(
    scope: LabelScope = LabelScope.ALL, *, selectors: bool = False, templates: bool = False
) -> LabelRule:
    return LabelRule(pairs=NAME, scope=scope, selectors=selectors, templates=templates, origin=NOWHERE)


@rows(
    ("one", "other", "want"),
    [
        (rule(), rule(), rule()),
        (
            rule(selectors=True),
            rule(LabelScope.OPERATOR, selectors=True),
            rule(LabelScope.OPERATOR, selectors=True),
        ),
        (rule(templates=True), rule(selectors=True), rule(templates=True)),
        (rule(selectors=True), rule(), rule()),
    ],
)
def test_trees_share_a_label_as_far_as_it_reaches_in_all(
    one: LabelRule, other: LabelRule, want: LabelRule
) -> None:
    assert find_shared_rules([(one,), (other,)]) == find_shared_rules([(other,), (one,)]) == (want,)


def test_a_label_that_one_tree_lacks_is_not_shared() -> None:
    assert find_shared_rules([(rule(),), ()]) == ()
