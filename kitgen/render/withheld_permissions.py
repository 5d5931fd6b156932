"""Remove permissions that a target withholds from the roles of a component."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Generic, TypeAlias, TypeVar

from msgspec.structs import replace

from kitgen.findings import Cause, CauseKind, Finding, make_problem, suggest_or_list
from kitgen.kit.model import WithheldPermissions
from kitgen.kube.manifest import FieldSource, ListMove, Manifest
from kitgen.kube.rbac.rules import ALL, matches_rule_value, parse_permission
from kitgen.render.context import ComputedValue, RenderContext
from kitgen.text.values import texts_at
from kitgen.text.yaml import Json, JsonObject

T = TypeVar("T")
NO_GROUP = "/"
"""What rules for URLs stand under."""
KEYS = ("apiGroups", "resources", "nonResourceURLs", "resourceNames", "verbs")
KEEP = "keep"
"""Where what is withheld has the names that it is not withheld for; rules themselves have no such key."""
VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
PLAIN = {
    "": frozenset(
        (
            *("configmaps", "endpoints", "events", "limitranges", "namespaces", "persistentvolumeclaims"),
            *("persistentvolumes", "pods", "podtemplates", "resourcequotas", "secrets", "services"),
        )
    ),
    "apps": frozenset(("controllerrevisions", "daemonsets", "deployments", "replicasets", "statefulsets")),
    "batch": frozenset(("cronjobs", "jobs")),
    "coordination.k8s.io": frozenset(("leases",)),
    "networking.k8s.io": frozenset(("ingresses", "networkpolicies")),
}
"""Resources that servers know these verbs of and no others, so that a `*` can be written out."""


def _expand_verbs(rule: JsonObject, withheld: JsonObject) -> list[str]:
    """Return the verbs of a rule; a `*` is written out where something of it is to be withheld."""
    verbs: list[str] = rule.get("verbs") or []
    places = product(withheld.get("apiGroups") or ("*",), withheld.get("resources") or ("*",))
    if ALL not in verbs or ALL in withheld["verbs"]:
        return verbs
    return VERBS if all(name in PLAIN.get(group, ()) for group, name in places) else verbs


def _select_withheld(withheld: JsonObject, rule: JsonObject) -> JsonObject:
    """Return the words of a rule that are withheld, list by list; empty if there is nothing."""
    found = {}
    for key in KEYS:
        here, gone = rule.get(key) or (), withheld.get(key)
        if key == "resourceNames":
            gone = [name for name in gone or here if name not in withheld.get(KEEP, ())]
            if not here and key not in withheld:
                continue  # whatever they are called
        if key in withheld or here:
            found[key] = [
                each for each in here if any(matches_rule_value(key, wide, each) for wide in gone or ())
            ]
            if not found[key]:
                return {}
    return found


def subtract_withheld(rule: JsonObject, withheld: JsonObject) -> list[JsonObject]:
    """Return what is left of a rule: the same for other resources and names, and other verbs for these."""
    verbs = _expand_verbs(rule, withheld)
    hit = _select_withheld(withheld, {**rule, "verbs": verbs})
    left = []
    for key in (key for key in KEYS if key in hit):
        if others := [each for each in (verbs if key == "verbs" else rule[key]) if each not in hit[key]]:
            left.append({**rule, key: others})
        rule = {**rule, key: hit[key]}
    if (names := withheld.get(KEEP)) and "resources" in hit and not rule.get("resourceNames"):
        named = {**rule, "resourceNames": [*names]}
        left.append({key: named[key] for key in KEYS if key in named})
    return left if hit else [rule]


def has_common_grants(rule: JsonObject, wanted: JsonObject) -> bool:
    """Return whether a rule grants something of what another one says, in so many words or by a wildcard."""
    for key in KEYS:
        here, there = rule.get(key) or (), wanted.get(key) or ()
        if key == "resourceNames":
            names = [{*some}.difference(wanted.get(KEEP, ())) for some in (here, there) if some]
            if names and not set.intersection(*names):
                return False
            continue  # none of them is for every name
        pairs = product(here, there)
        if (here or there) and not any(
            matches_rule_value(key, a, b) or matches_rule_value(key, b, a) for a, b in pairs
        ):
            return False
    return True


class RuleIndex(Generic[T]):
    """Things that have rules, by API group: those of other groups have nothing in common."""

    def __init__(self) -> None:
        self._known: dict[str, dict[int, T]] = {}
        self._all: list[T] = []

    def add(self, rule: JsonObject, thing: T) -> None:
        """Note a thing under the groups of its rule."""
        for group in rule.get("apiGroups") or (NO_GROUP,):
            self._known.setdefault(group, {})[len(self._all)] = thing
        self._all.append(thing)

    def find_related(self, rule: JsonObject) -> list[T]:
        """Return the things that may have something in common with a rule, in the order of their coming."""
        groups = rule.get("apiGroups") or (NO_GROUP,)
        if ALL in groups:
            return self._all
        found: dict[int, T] = {}
        for group in (*groups, ALL):
            found |= self._known.get(group, {})
        return [found[at] for at in sorted(found)]


def find_missing_grants(withheld: JsonObject, rules: Iterable[JsonObject]) -> Iterator[str]:
    """Yield what is withheld and not granted, such as `core/secrets: delete`."""
    known = [rule for rule in rules if has_common_grants(rule, withheld)]
    key = "nonResourceURLs" if "nonResourceURLs" in withheld else "resources"
    group = "".join(f"{each or 'core'}/" for each in withheld.get("apiGroups", ()))
    for place, name in product(withheld[key], withheld.get("resourceNames", [""])):
        one = {**withheld, key: [place], **({"resourceNames": [name]} if name else {})}
        each_verb = ((verb, {**one, "verbs": [verb]}) for verb in withheld["verbs"])
        if verbs := [
            verb for verb, each in each_verb if not any(has_common_grants(rule, each) for rule in known)
        ]:
            yield f"{group}{place}{f'[{name}]' if name else ''}: {' '.join(verbs)}"


WITHHELD = Cause(CauseKind.SETTING, "withhold")
KINDS = ("ClusterRole", "Role")
Step: TypeAlias = tuple[JsonObject, FieldSource]
"""A permission that is taken away, and what to say of it."""
Part: TypeAlias = tuple[JsonObject, tuple[FieldSource, ...]]
"""A rule, and what was taken from it."""


def withhold_permissions(context: RenderContext, objects: list[Manifest]) -> ComputedValue[list[Manifest]]:
    """Remove from roles what the target withholds, with the reason; what no role grants is a finding."""
    if not context.settings.withheld:
        return ComputedValue(objects)
    roles = {
        id(each): each
        for each in objects
        if each.id.kind in KINDS and _is_well_formed(each.body.get("rules"))
    }
    found = (
        each
        for withheld in context.settings.withheld
        for each in _check_withheld(context, withheld, [*roles.values()])
    )
    return ComputedValue(
        [_withhold_from_role(context, each) if id(each) in roles else each for each in objects], tuple(found)
    )


def _is_well_formed(rules: Json) -> bool:
    """Return whether rules are well-formed; schemas report those that are not."""
    return isinstance(rules, list) and all(
        isinstance(rule, dict) and all(texts_at(words) == words for words in rule.values()) for rule in rules
    )


def build_withheld_rules(withheld: WithheldPermissions) -> Iterator[tuple[str, JsonObject]]:
    """Yield what is withheld by its key: a rule, with the names that it is not withheld for."""
    for key, verbs in withheld.permissions.items():
        yield key, {**parse_permission(key, verbs), **({KEEP: withheld.keep} if withheld.keep else {})}


def _matches_role(context: RenderContext, withheld: WithheldPermissions, role: Manifest) -> bool:
    return withheld.role in ("", role.id.name) or context.full_name(withheld.role) == role.id.name


def _withhold_from_role(context: RenderContext, role: Manifest) -> Manifest:
    """Take from a role what is withheld; rules keep their sources where they end up."""
    index: RuleIndex[Step] = RuleIndex()
    for withheld in (each for each in context.settings.withheld if _matches_role(context, each, role)):
        for key, gone in build_withheld_rules(withheld):
            at = withheld.origin.at("permissions", key)
            why = FieldSource(path=("rules",), cause=WITHHELD, origin=at, why=withheld.why)
            index.add(gone, (gone, why))
    rules: list[JsonObject] = []
    places: list[int | None] = []
    sources: list[FieldSource] = []
    for entry in role.body["rules"]:
        left, lost = _split_rule(entry, index.find_related(entry))
        places.append(len(rules) if left else None)
        for part, whys in left:
            sources += [replace(why, path=("rules", len(rules))) for why in whys]
            rules.append(part)
        sources += [replace(why, partial=True) for why in lost]
    if not sources:
        return role
    return role.apply_moves([ListMove(("rules",), tuple(places))]).replace_body(
        {**role.body, "rules": rules}, *sources
    )


def _split_rule(rule: JsonObject, steps: Iterable[Step]) -> tuple[list[Part], list[FieldSource]]:
    """Return what is left of a rule, each part with what made it so, and what took parts away whole."""
    parts: list[Part] = [(rule, ())]
    lost = []
    for gone, why in steps:
        found: list[Part] = []
        for part, whys in parts:
            if not (left := subtract_withheld(part, gone)):
                lost.append(why)
            elif left == [part]:
                found.append((part, whys))
            else:
                found += [(left[0], (*whys, why)), *((each, (why,)) for each in left[1:])]
        parts = found
    return parts, lost


def _check_withheld(
    context: RenderContext, withheld: WithheldPermissions, roles: list[Manifest]
) -> Iterator[Finding]:
    """Yield a finding for what is withheld and not granted, or granted so that it cannot be taken away."""
    if not (chosen := [each for each in roles if _matches_role(context, withheld, each)]) and withheld.role:
        known = [each.id.name.removeprefix(context.component.prefix) for each in roles]
        yield make_problem(
            "withhold-nothing",
            f"found no role {withheld.role!r} to withhold from",
            hint=suggest_or_list(withheld.role, known),
        ).to_finding(withheld.origin.at("role"))
        return
    index: RuleIndex[tuple[Manifest, JsonObject]] = RuleIndex()
    for role in chosen:
        for entry in role.body["rules"]:
            index.add(entry, (role, entry))
    for key, gone in build_withheld_rules(withheld):
        at = withheld.origin.at("permissions", key)
        if withheld.keep and "resources" not in gone:
            yield make_problem(
                "withhold-nothing",
                f"found names to keep, which {key!r} has not",
                hint="withhold it by itself",
            ).to_finding(withheld.origin.at("keep"))
        granting = [each for each in index.find_related(gone) if has_common_grants(each[1], gone)]
        for what in find_missing_grants(gone, [entry for _, entry in granting]):
            yield make_problem(
                "withhold-nothing", f"found {what}, which no role grants", hint="remove it"
            ).to_finding(at)
        # What still grants something of what was taken from it, by way of something wider.
        wide = {
            role.id.name: entry
            for role, entry in reversed(granting)
            if any(has_common_grants(each, gone) for each in subtract_withheld(entry, gone))
        }
        for name, entry in wide.items():
            how = "for every name" if "resourceNames" in gone and not entry.get("resourceNames") else "by '*'"
            yield make_problem(
                "withhold-nothing",
                f"found {key!r}, which {name} grants {how}, so that it is not withheld",
                hint="write out what the role grants, or name another role",
            ).to_finding(at)
