"""Survey a tree: what all of its objects share, which a spec declares once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kitgen.crd.importer.component_metadata import label_pairs
from kitgen.findings import Origin
from kitgen.kit.model import LabelRule, LabelScope
from kitgen.kube.identity import ObjectId, is_namespaced
from kitgen.render.kustomize.field_paths import find_values
from kitgen.render.kustomize.labels import SELECTORS, TEMPLATES, FieldSpec
from kitgen.text.yaml import Json, JsonObject

SHORT_NAMES = frozenset(
    {
        *("controller-manager", "manager", "manager-role", "manager-rolebinding", "manager-config"),
        *("leader-election-role", "leader-election-rolebinding", "webhook-service", "webhook-server-cert"),
        *("mutating-webhook-configuration", "validating-webhook-configuration", "serving-cert"),
        *("metrics-reader", "metrics-auth-role", "proxy-role", "proxy-rolebinding", "metrics-service"),
        *("controller-manager-metrics-service", "controller-manager-metrics-monitor", "manager-metrics"),
        "selfsigned-issuer",
    }
)
"""How kubebuilder calls things before kustomize puts the prefix on."""
UNNAMED = frozenset({"CustomResourceDefinition", "Namespace"})
UNLABELLED = UNNAMED
FEW = 6
"""Objects whose labels are rather said one by one than by a rule with exceptions."""
NOWHERE = Origin("")
Reach: TypeAlias = tuple[LabelScope, bool, bool]
"""The scope of a label rule, and whether it goes into selectors, or into templates."""


class TreeSurvey(Struct, frozen=True, kw_only=True):
    """What surrounds the objects of a tree."""

    prefix: str = ""
    namespace: str = ""
    """Where most of them are; empty if they say none."""
    labels: tuple[LabelRule, ...] = ()
    spared: frozenset[ObjectId] = frozenset()
    """Objects that these rules are to leave alone."""
    created: JsonObject | None = None
    """The Namespace object of that name, if the tree has it and it holds nothing but labels."""


def survey_objects(objects: Sequence[JsonObject], prefix: str | None = None) -> TreeSurvey:
    """Look at a tree; with a prefix that is known, that one is taken."""
    namespace, rules = main_namespace(objects), find_label_rules(objects)
    created = (
        body
        for body in objects
        if replace(ObjectId.of(body), namespace="") == ObjectId("", "Namespace", "", namespace)
        and {*body["metadata"]} <= {"name", "labels", "creationTimestamp"}
        and not body.get("spec")
    )
    return TreeSurvey(
        prefix=find_name_prefix(objects) if prefix is None else prefix,
        namespace=namespace,
        labels=rules,
        spared=find_unlabelled_objects((each for each in rules if each.scope is LabelScope.ALL), objects),
        created=next(created, None),
    )


def main_namespace(objects: Iterable[JsonObject]) -> str:
    """Return where most objects are; empty if they say no namespace."""
    found = [each.namespace for each in map(ObjectId.of, objects) if is_namespaced(each.group, each.kind)]
    ((name, _),) = Counter(found).most_common(1) or [("", 0)]
    return name


def find_name_prefix(objects: Iterable[JsonObject]) -> str:
    """Return the prefix of the names of most objects; empty if there is none."""
    return _common_prefix(_list_names(objects), SHORT_NAMES)


def find_newer_prefix(objects: Iterable[JsonObject], before: Iterable[JsonObject], prefix: str) -> str:
    """Return the prefix of a newer tree: the older one, unless no name starts with it any more."""
    if not (names := _list_names(objects)) or any(each.startswith(prefix) for each in names):
        return prefix
    return _common_prefix(names, {each.removeprefix(prefix) for each in _list_names(before)} | SHORT_NAMES)


def _list_names(objects: Iterable[JsonObject]) -> list[str]:
    return [each.name for each in map(ObjectId.of, objects) if each.kind not in UNNAMED]


def _common_prefix(names: Sequence[str], shorts: Collection[str]) -> str:
    """Return the prefix that makes known names of most; empty if none does."""
    votes: Counter[str] = Counter()
    for name in names:
        for short in shorts:
            if name.endswith(f"-{short}") or name == short:
                votes[name.removesuffix(short)] += 1

    def weight(prefix: str) -> tuple[int, int, str]:
        return votes[prefix], sum(name.startswith(prefix) for name in names), prefix

    chosen = max(votes, key=weight, default="")
    return chosen if weight(chosen)[1] * 2 > len(names) else ""


def find_label_rules(objects: Sequence[JsonObject]) -> tuple[LabelRule, ...]:
    """Return the rules that give objects the labels that all share, or nearly all; and as far as they reach.

    What does without is left to patches.
    """
    own = [each for each in objects if each.get("kind") not in UNLABELLED]
    others = [each for each in objects if each.get("kind") in UNLABELLED]
    if len(own) < 2:
        return ()
    found = list(map(label_pairs, own))
    counts = Counter(pair for pairs in found for pair in pairs)
    shared = {pair for pair, count in counts.items() if count == len(own)}
    wide = set.intersection(*map(label_pairs, others)) if others else shared
    rules: dict[Reach, dict[str, str]] = {}
    for key, value in sorted(pair for pair, count in counts.items() if _is_common_label(count, len(own))):
        have, lack = (
            [body for body, pairs in zip(own, found, strict=True) if ((key, value) in pairs) is carries]
            for carries in (True, False)
        )
        templates = _has_label_everywhere(have, lack, TEMPLATES, key, value)
        selectors = templates and _has_label_everywhere(have, lack, SELECTORS, key, value)
        scope = LabelScope.ALL if (key, value) in wide else LabelScope.OPERATOR
        rules.setdefault((scope, selectors, templates and not selectors), {})[key] = value
    return _build_rules(rules)


def _is_common_label(count: int, total: int) -> bool:
    """Return whether a rule and patches for some are shorter than the label on each of the others."""
    return count == total or (count >= FEW and (total - count) * 4 <= count)


def _has_label_everywhere(
    have: Sequence[JsonObject],
    lack: Sequence[JsonObject],
    specs: Sequence[FieldSpec],
    key: str,
    value: str,
) -> bool:
    """Return whether a label stands wherever a rule of that reach would put it, and in one place at least."""
    found = [
        isinstance(labels, dict) and labels.get(key) == value
        for body in have
        for spec in specs
        if body.get("kind") in spec.kinds
        for _, labels in find_values(body, spec.path, create=spec.create)
    ]
    return (
        bool(found)
        and all(found)
        and not any(each.get("kind") in spec.kinds for each in lack for spec in specs)
    )


def can_use_rules(rules: Iterable[LabelRule], objects: Sequence[JsonObject]) -> bool:
    """Return whether rules are right for all objects, or for so many that patches say who does without."""
    return all(_can_use_rule(rule, objects) for rule in rules)


def _can_use_rule(rule: LabelRule, objects: Sequence[JsonObject]) -> bool:
    reached = [each for each in objects if _is_rule_applicable(rule, each)]
    less = len(find_unlabelled_objects([rule], reached))
    if rule.scope is LabelScope.OPERATOR:
        return not less or _is_common_label(len(reached) - less, len(reached))
    return less * 5 <= len(reached)


def find_unlabelled_objects(rules: Iterable[LabelRule], objects: Iterable[JsonObject]) -> frozenset[ObjectId]:
    """Return the objects that do not carry all labels which rules would give them."""
    return frozenset(
        ObjectId.of(body)
        for rule in rules
        for body in objects
        if _is_rule_applicable(rule, body)
        and not all(map({*rule.pairs.items()}.issubset, _list_label_sets(rule, body)))
    )


def _is_rule_applicable(rule: LabelRule, body: JsonObject) -> bool:
    return rule.scope is LabelScope.ALL or body.get("kind") not in UNLABELLED


def _list_label_sets(rule: LabelRule, body: JsonObject) -> Iterator[set[tuple[str, Json]]]:
    """Yield the labels in all places of an object that a rule gives its labels to."""
    yield {*label_pairs(body)}
    for spec in list_label_fields(rule):
        if body.get("kind") in spec.kinds:
            found = find_values(body, spec.path, create=spec.create)
            yield from (set(labels.items()) if isinstance(labels, dict) else set() for _, labels in found)


def list_label_fields(rule: LabelRule) -> tuple[FieldSpec, ...]:
    """Return where besides the metadata a rule puts its labels."""
    return (*(TEMPLATES if rule.selectors or rule.templates else ()), *(SELECTORS if rule.selectors else ()))


def find_common_labels(objects: Sequence[JsonObject]) -> frozenset[tuple[str, str]]:
    """Return the labels that more than half of the objects carry."""
    counts = Counter(pair for body in objects for pair in label_pairs(body))
    return frozenset(pair for pair, count in counts.items() if count * 2 > len(objects))


def drop_known_labels(rules: Iterable[LabelRule], known: Container[tuple[str, str]]) -> list[LabelRule]:
    """Return rules for those labels that are not known."""
    left = [
        replace(rule, pairs={key: value for key, value in rule.pairs.items() if (key, value) not in known})
        for rule in rules
    ]
    return [rule for rule in left if rule.pairs]


def find_shared_rules(all_rules: Sequence[tuple[LabelRule, ...]]) -> tuple[LabelRule, ...]:
    """Return the rules that trees have in common, pair by pair, as far as each reaches in all of them."""
    found: dict[Reach, dict[str, str]] = {}
    for key, value in dict.fromkeys(pair for rule in (all_rules or [()])[0] for pair in rule.pairs.items()):
        own = [[each for each in some if each.pairs.get(key) == value] for some in all_rules]
        if all(own):
            rules = [each for some in own for each in some]
            wide = all(each.scope is LabelScope.ALL for each in rules)
            selectors = all(each.selectors for each in rules)
            templates = not selectors and all(each.selectors or each.templates for each in rules)
            reach = (LabelScope.ALL if wide else LabelScope.OPERATOR, selectors, templates)
            found.setdefault(reach, {})[key] = value
    return _build_rules(found)


def _build_rules(found: Mapping[Reach, dict[str, str]]) -> tuple[LabelRule, ...]:
    return tuple(
        LabelRule(pairs=pairs, scope=scope, selectors=selectors, templates=templates, origin=NOWHERE)
        for (scope, selectors, templates), pairs in found.items()
    )
