"""Find unknown groups, resources and verbs in rules of roles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeAlias

from kitgen.check.context import CheckContext
from kitgen.check.rbac.api_groups import (
    ASKED_BY_OTHERS,
    FOREIGN,
    GONE,
    OLD,
    OWN_VERBS,
    REVIEWS,
    SHARED,
    Below,
    collect_subresources,
    find_subresources,
    hint_for_group,
    hint_for_resource,
    hint_for_subresource,
    is_within_groups,
)
from kitgen.crd.definition import is_crd
from kitgen.findings import Path, Problem, Rule, get_rule
from kitgen.kit.apis import Apis
from kitgen.kit.crd_names import DeclaredCrd, collect_resource_names
from kitgen.kit.permissions import VIRTUAL, PermissionProblem, check_resource, check_verb
from kitgen.kube.crds import CrdView
from kitgen.kube.definitions import Kind, list_api_groups
from kitgen.kube.rbac.access import RbacRole
from kitgen.kube.rbac.rules import ALL, Permit, SinglePermission, format_resource
from kitgen.text.values import map_at, value_at
from kitgen.text.wording import join_words, quote_text
from kitgen.text.yaml import JsonObject

GROUP_NOWHERE = get_rule("role-group-unknown")
RESOURCE_NOWHERE = get_rule("role-resource-unknown")
VERB_NOWHERE = get_rule("role-verb-unknown")

MANY = 200
"""How many words of one rule are worth a look."""


class UnknownWord(NamedTuple):
    """A word that stands for nothing."""

    told: bool
    """Whether specs are told of it when they are read, or know more: a kit may have other CRDs."""
    what: str
    hint: str


class KnownApis:
    """What is known of APIs: Kubernetes', and the CRDs of all that is checked together."""

    def __init__(self, context: CheckContext) -> None:
        """Read the CRDs on first use."""
        self._context = context
        self._known: dict[str, bool] = {}
        self._words: dict[int, tuple[object, list[tuple[Permit, Rule, Path, UnknownWord]]]] = {}
        self._groups: dict[str, UnknownWord | None] = {}
        self._resources: dict[tuple[str, str], UnknownWord | None] = {}

    @cached_property
    def _crds(self) -> list[JsonObject]:
        return [*self._context.crds, *(m.body for _, m in self._context.list_objects() if is_crd(m.body))]

    @cached_property
    def subresources(self) -> Below:
        """Return the subresources of CRDs."""
        return collect_subresources(self._crds)

    @cached_property
    def apis(self) -> Apis:
        """Return what is known."""
        found = [each for body in self._crds if (each := _to_declared_crd(body))]
        kinds = {Kind(each.group, version, each.names["kind"]) for each in found for version in each.versions}
        minors = {*self._context.minors, *(m for some in self._context.ranges.values() for m in some)}
        return Apis(tuple(sorted(minors, reverse=True)), frozenset(kinds), collect_resource_names(found))

    def is_known_group(self, group: str) -> bool:
        """Return whether it is known which resources a group has."""
        if group not in self._known:
            self._known[group] = self.apis.is_kubernetes(group) or self.apis.is_declared(group)
        return self._known[group]

    def find_unknown_words(self, permits: tuple[Permit, ...]) -> list[tuple[Permit, Rule, Path, UnknownWord]]:
        """Return the unknown words of rules, which roles of several targets share."""
        if id(permits) not in self._words:
            self._words[id(permits)] = permits, [*_find_unknown_words(permits, self)]
        return self._words[id(permits)][1]

    def check_group(self, group: str) -> UnknownWord | None:
        """Report that a group is unknown."""
        if group not in self._groups:
            self._groups[group] = self._check_group(group)
        return self._groups[group]

    def _check_group(self, group: str) -> UnknownWord | None:
        if group in ("", ALL, *OLD) or self.apis.is_kubernetes(group) or self.apis.is_declared(group):
            return None
        if any(str(value_at(body, "metadata", "name")).endswith(f".{group}") for body in self._crds):
            return None  # the CRD says another group than its name does, and is refused
        if group in FOREIGN:
            return None
        if problem := self.apis.check_group(group, ""):
            # A hint that speaks of what follows the group is for specs.
            hint = 'the core group is written ""' if "core" in problem.hint else problem.hint
            return UnknownWord(True, quote_text(group), hint)
        meant = hint_for_group(group)
        return UnknownWord(True, quote_text(group), meant) if meant else None

    def find_declared_group(self, permit: Permit) -> str | None:
        """Return the group of a CRD here that has a resource of a rule, if the rule's are all unknown."""
        if any(
            group == ALL or self.is_known_group(group) or is_within_groups(group, FOREIGN)
            for group in permit.groups
        ):
            return None
        names = {each.partition("/")[0] for each in permit.resources[:MANY]}
        here = sorted({kind.group for kind in self.apis.declared})
        return next((each for each in here if names & {*self.apis.plurals(each)}), None)

    def check_resource(self, group: str, resource: str) -> UnknownWord | None:
        """Report that a group has no such resource, or, if its resources are not known, cannot have it."""
        if (key := (group, resource)) not in self._resources:
            self._resources[key] = self._check_resource(group, resource)
        return self._resources[key]

    def _check_resource(self, group: str, resource: str) -> UnknownWord | None:
        said = format_resource(group, resource)
        if not self.is_known_group(group):
            hint = hint_for_resource(group, resource)
            return UnknownWord(False, quote_text(said), hint) if hint else None
        name, slash, _ = resource.partition("/")
        if group not in OLD and name in (ALL, *VIRTUAL.get(group or "core", ())):
            return None
        is_shared = is_within_groups(group, SHARED)
        if name in self.apis.resources(group).values():
            known = find_subresources(group, name, self.subresources) if slash and not is_shared else None
            hint = hint_for_subresource(resource, known) if known is not None else None
            return UnknownWord(False, quote_text(said), hint) if hint else None
        wrong = check_resource(group or "core", resource, self.apis)
        if is_shared and not (wrong and wrong.sure):
            return None
        told = wrong is not None or not self.apis.is_kubernetes(group)
        hint = wrong.hint if wrong else self._describe_removal(group, resource)
        return UnknownWord(told, quote_text(said), hint)

    def find_kubernetes_group(self, resource: str) -> str | None:
        """Return the group of Kubernetes that has a resource."""
        own = sorted({each for minor in self.apis.minors for each in list_api_groups(minor)})
        return next((each for each in own if resource.partition("/")[0] in self.apis.plurals(each)), None)

    def _describe_removal(self, group: str, resource: str) -> str:
        """Return since when Kubernetes lacks a resource, and which of its groups has it."""
        there = self.find_kubernetes_group(resource)
        minor = OLD.get(group) or GONE.get((group, resource.partition("/")[0]))
        what = "group" if group in OLD else "resource"
        gone = f"the {what} is gone since Kubernetes {minor}" if minor else ""
        meant = f"did you mean {format_resource(there, resource)!r}?" if there is not None else ""
        return "; ".join(filter(None, (gone, meant)))


def _to_declared_crd(body: JsonObject) -> DeclaredCrd | None:
    """Return what a CRD of any shape is called."""
    crd, names = CrdView(body), map_at(body, "spec", "names")
    if not (crd.kind and isinstance(value_at(body, "spec", "group"), str)):
        return None
    said = {key: names[key] for key in ("kind", "plural", "singular") if isinstance(names.get(key), str)}
    versions = (each.get("name") for each in crd.versions)
    return DeclaredCrd(crd.group, said, tuple(each for each in versions if isinstance(each, str)))


def check_role(role: RbacRole, known: KnownApis) -> Iterator[Problem]:
    """Yield the unknown words of a role; what is reported when specs are read is left out."""
    found: dict[Rule, list[tuple[Path, str, str]]] = {}
    for permit, broken, at, word in known.find_unknown_words(role.permits):
        if not _is_checked_in_spec(role, permit, word):
            found.setdefault(broken, []).append(((*permit.path, *at), word.what, word.hint))
    for broken, words in found.items():
        place, first, hint = words[0]
        whats = list(dict.fromkeys(what for _, what, _ in words))
        message = MESSAGES[broken][len(whats) > 1].format(join_words(whats, last="and"))
        if hint and any(each != hint for _, _, each in words):
            hint = f"{first}: {hint}"
        yield broken(message, place, hint)


def _find_unknown_words(
    permits: Sequence[Permit], known: KnownApis
) -> Iterator[tuple[Permit, Rule, Path, UnknownWord]]:
    for permit in permits:
        yield from ((permit, *each) for each in _check_groups(permit, known))
        yield from ((permit, *each) for each in _check_resources(permit, known, permits))
        yield from ((permit, *each) for each in _check_verbs(permit, known))


def _is_checked_in_spec(role: RbacRole, permit: Permit, word: UnknownWord) -> bool:
    """Return whether a spec says a rule in its own words, which were looked at when it was read.

    What is left of a whole object's rule after a target withheld a part of it has groups and resources that
    only belonged together with others.
    """
    if role.manifest is None or role.manifest.find_source(permit.path).verbatim:
        return False
    return word.told or role.manifest.find_source(()).verbatim


MESSAGES = {
    GROUP_NOWHERE: (
        "found the API group {}, which neither Kubernetes nor a CRD here has",
        "found the API groups {}, which neither Kubernetes nor a CRD here has",
    ),
    RESOURCE_NOWHERE: (
        "found the resource {}, which its group does not have",
        "found the resources {}, which their groups do not have",
    ),
    VERB_NOWHERE: ("found the verb {}, which permits nothing", "found the verbs {}, which permit nothing"),
}
"""Rule → what it says of one word, and of several."""
Found: TypeAlias = tuple[Rule, Path, UnknownWord]


def _check_groups(permit: Permit, known: KnownApis) -> Iterator[Found]:
    meant = known.find_declared_group(permit)
    for at, group in enumerate(permit.groups[:MANY]):
        word = UnknownWord(True, quote_text(group), f"did you mean {meant!r}?") if meant is not None else None
        if word := known.check_group(group) or word:
            yield GROUP_NOWHERE, ("apiGroups", at), word


def _check_resources(permit: Permit, known: KnownApis, beside: Sequence[Permit]) -> Iterator[Found]:
    """Yield the resources that none of the groups of a rule has; old ones may stand beside the new."""
    groups = list(dict.fromkeys(permit.groups))[:MANY]
    is_old = OLD.keys() >= {*groups}
    for at, resource in enumerate(permit.resources[:MANY]):
        words = [known.check_resource(group, resource) for group in groups]
        now = known.find_kubernetes_group(resource) if is_old else None
        if now is not None and all(
            any(each.allows(SinglePermission(verb, now, resource)) for each in beside)
            for verb in permit.verbs
        ):
            continue
        if words and all(words):
            best = next((each for each in words if each and each.hint), words[0])
            yield RESOURCE_NOWHERE, ("resources", at), best or UnknownWord(False, "", "")


def _check_verbs(permit: Permit, known: KnownApis) -> Iterator[Found]:
    urls = bool(permit.urls) and not permit.resources
    for at, verb in enumerate(permit.verbs[:MANY]):
        wrong = _check_verb(verb, urls)
        if wrong and (wrong.sure or all(map(known.apis.is_kubernetes, permit.groups[:MANY]))):
            yield VERB_NOWHERE, ("verbs", at), UnknownWord(True, quote_text(verb), wrong.hint)
        elif verb in OWN_VERBS and _is_misplaced_verb(verb, permit, known):
            meant = [format_resource(group, each) for group, some in OWN_VERBS[verb].items() for each in some]
            hint = f"it is for {join_words(meant, most=3, last='and')}"
            yield VERB_NOWHERE, ("verbs", at), UnknownWord(False, quote_text(verb), hint)
        elif verb not in ("create", ALL) and permit.resources and _is_review_rule(permit):
            what = f"{verb} for {permit.resources[0]}"
            yield VERB_NOWHERE, ("verbs", at), UnknownWord(False, quote_text(what), "it is only ever created")


def _is_misplaced_verb(verb: str, permit: Permit, known: KnownApis) -> bool:
    """Return whether a verb that Kubernetes uses for few resources is used for others."""
    groups, resources = {*permit.groups[:MANY]}, {each.partition("/")[0] for each in permit.resources[:MANY]}
    if not groups or not resources or ALL in groups:
        return False
    if verb in ASKED_BY_OTHERS and not all(map(known.apis.is_kubernetes, groups)):
        return False
    return not any(
        resources & {ALL, *OWN_VERBS[verb].get(group, ())} for group in groups & {*OWN_VERBS[verb]}
    )


@lru_cache(maxsize=1_000)
def _check_verb(verb: str, urls: bool) -> PermissionProblem | None:
    return check_verb(verb, urls=urls)


def _is_review_rule(permit: Permit) -> bool:
    """Return whether a rule is for questions alone."""
    asked = {each for group in permit.groups[:MANY] for each in REVIEWS.get(group, ())}
    return bool(asked) and asked.issuperset(permit.resources)
