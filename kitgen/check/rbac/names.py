"""Words in rules of roles that stand for nothing: groups, resources and verbs that are nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeAlias

from kitgen.check.context import Context
from kitgen.check.index import below, entries
from kitgen.check.rbac.below import Below, declared_below, known_below, wrong_below
from kitgen.crds.declare.names import Declared, resources
from kitgen.crds.schema.crd import is_crd
from kitgen.findings import Chapter, Path, Problem, Rule, Severity
from kitgen.kubernetes import Kind
from kitgen.load.apis import Apis
from kitgen.load.permissions import VIRTUAL, Wrong, wrong_resource, wrong_verb
from kitgen.objects.rbac.access import Role
from kitgen.objects.rbac.rules import ALL, Permit
from kitgen.schema.wording import choice, cut
from kitgen.yamlio import JsonObject

GROUP_NOWHERE = Rule(
    id="role-group-unknown",
    chapter=Chapter.PERMISSION,
    checks=(
        "Every API group in a role is Kubernetes' own, has a CRD here or in the kit, or is a known one, such "
        "as those of OpenShift, Prometheus and OLM."
    ),
    fix="Check the spelling, or add the CRD that is meant; a version is no part of a group.",
    why="Roles may name what does not exist. The API server says nothing, and the permission is for nothing.",
    severity=Severity.WARNING,
    exceptable=True,
)
RESOURCE_NOWHERE = Rule(
    id="role-resource-unknown",
    chapter=Chapter.PERMISSION,
    checks=(
        "Every resource in a role is one that its group has, as Kubernetes or the CRDs here say, and so is "
        "what stands below it, such as `pods/log`; a CRD has status and scale if it says so."
    ),
    fix="Take the plural, in lower case, as `kubectl api-resources` shows it, and what the hint offers.",
    why=(
        "Roles may name what does not exist. The API server says nothing, and who asks for the real resource "
        "is forbidden."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
VERB_NOWHERE = Rule(
    id="role-verb-unknown",
    chapter=Chapter.PERMISSION,
    checks="Every verb in a role is one that somebody asks for, and that what it is for knows.",
    fix="Take the verb that the hint offers, or leave it out.",
    why=(
        "Verbs of roles are words like any other to the API server: one that is misspelt, or for URLs or "
        "another resource, permits nothing."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

FOREIGN = re.compile(
    r"(^|\.)("
    r"openshift\.io|openshift\.com|coreos\.com|opendatahub\.io|redhat\.com|x-k8s\.io|kubeflow\.org|ray\.io"
    r"|codeflare\.dev|argoproj\.io|cert-manager\.io|istio\.io|knative\.dev|tekton\.dev|kserve\.io|volcano\.sh"
    r"|keda\.sh|kuadrant\.io|maistra\.io|open-cluster-management\.io|velero\.io|external-secrets\.io"
    r"|karpenter\.(sh|k8s\.aws)|k8s\.aws|crossplane\.io|fluxcd\.io|cilium\.io|projectcalico\.org|tigera\.io"
    r"|jaegertracing\.io|opentelemetry\.io|elastic\.co|nvidia\.com|amd\.com|intel\.com|grafana\.(com|org)"
    r"|integreatly\.org|strimzi\.io|kyverno\.io|gatekeeper\.sh|metal3\.io|kubevirt\.io|rook\.io|cncf\.io"
    r"|traefik\.(io|containo\.us)|konghq\.com|linkerd\.io|bitnami\.com|hashicorp\.com|google\.com|azure\.com"
    r"|amazonaws\.com|ibm\.com|vmware\.com|spark\.apache\.org|flink\.apache\.org|kruise\.io|oam\.dev"
    r"|sigs\.k8s\.io|operatorframework\.io|servicebinding\.io|cloud\.google\.com|snapshot\.storage\.k8s\.io"
    r"|groupsnapshot\.storage\.k8s\.io|metrics\.k8s\.io|gateway\.networking\.k8s\.io|policy\.networking\.k8s\.io"
    r"|longhorn\.io|minio\.io|min\.io|zalan\.do|postgresql\.cnpg\.io|percona\.com|mongodb\.com|trustyai\.org"
    r"|authorino\.kuadrant\.io|limitador\.kuadrant\.io|cnrm\.cloud\.google\.com|k3s\.cattle\.io|cattle\.io"
    r")$"
)
"""Groups of others that clusters have; nothing is known of their resources."""
OLD = frozenset(("extensions",))
"""Groups that Kubernetes had."""
REVIEWS = {
    "authentication.k8s.io": ("tokenreviews", "selfsubjectreviews"),
    "authorization.k8s.io": (
        *("subjectaccessreviews", "selfsubjectaccessreviews"),
        *("selfsubjectrulesreviews", "localsubjectaccessreviews"),
    ),
}
"""What is only ever created: a question, which comes back with the answer."""


OWN_VERBS = {
    "bind": ("rbac.authorization.k8s.io",),
    "escalate": ("rbac.authorization.k8s.io",),
    "impersonate": ("", "authentication.k8s.io"),
}
"""Verbs that Kubernetes asks for in few groups only."""
PLATFORMS = re.compile(r"(^|\.)(openshift\.io|coreos\.com|argoproj\.io|opendatahub\.io)$")
"""Groups of which a kit may declare some kinds only."""
MANY = 200
"""How many words of one rule are worth a look."""


class Word(NamedTuple):
    """A word that stands for nothing."""

    told: bool
    """Whether specs are told of it when they are read, or know more: a kit may have other CRDs."""
    what: str
    hint: str


class Known:
    """What is known of APIs: Kubernetes', and the CRDs of all that is checked together."""

    def __init__(self, context: Context) -> None:
        """Take the CRDs in when somebody asks."""
        self._context = context
        self._groups: dict[str, Word | None] = {}
        self._resources: dict[tuple[str, str], Word | None] = {}

    @cached_property
    def _crds(self) -> list[JsonObject]:
        return [*self._context.crds, *(m.body for _, m in self._context.objects() if is_crd(m.body))]

    @cached_property
    def below(self) -> Below:
        """Return what can be asked for below the resources of CRDs."""
        return declared_below(self._crds)

    @cached_property
    def apis(self) -> Apis:
        """Return what is known."""
        found = [each for body in self._crds if (each := _declared(body))]
        kinds = {Kind(each.group, version, each.names["kind"]) for each in found for version in each.versions}
        minors = {*self._context.minors, *(m for some in self._context.ranges.values() for m in some)}
        return Apis(tuple(sorted(minors, reverse=True)), frozenset(kinds), resources(found))

    def is_known(self, group: str) -> bool:
        """Tell whether it is known which resources a group has."""
        if self.apis.is_kubernetes(group):
            return group not in OLD
        return self.apis.is_declared(group) and not PLATFORMS.search(group)

    def wrong_group(self, group: str) -> Word | None:
        """Say that a group is nowhere."""
        if group not in self._groups:
            self._groups[group] = self._group(group)
        return self._groups[group]

    def _group(self, group: str) -> Word | None:
        if group in ("", ALL, *OLD) or self.apis.is_kubernetes(group) or self.apis.is_declared(group):
            return None
        if any(str(below(body, "metadata", "name")).endswith(f".{group}") for body in self._crds):
            return None  # the CRD says another group than its name does, and is refused
        if problem := self.apis.wrong_group(group, ""):
            # A hint that speaks of what follows the group is for specs.
            hint = 'the core group is written ""' if "core" in problem.hint else problem.hint
            return Word(True, cut(group), hint)
        if FOREIGN.search(group):
            return None
        return Word(True, cut(group), "right only if something else on the cluster has it")

    def wrong_resource(self, group: str, resource: str) -> Word | None:
        """Say that a group has no such resource, if it is known which it has."""
        key = (group, resource)
        if key not in self._resources:
            self._resources[key] = self._resource(group, resource) if self.is_known(group) else None
        return self._resources[key]

    def _resource(self, group: str, resource: str) -> Word | None:
        named = group or "core"
        name, slash, _ = resource.partition("/")
        if name in (ALL, *VIRTUAL.get(named, ())):
            return None
        if name in self.apis.resources(group).values():
            known = known_below(group, name, self.below) if slash else None
            hint = wrong_below(resource, known) if known is not None else None
            return Word(False, cut(f"{named}/{resource}"), hint) if hint else None
        wrong = wrong_resource(named, resource, self.apis)
        told = wrong is not None or not self.apis.is_kubernetes(group)
        return Word(told, cut(f"{named}/{resource}"), wrong.hint if wrong else "")


def _declared(body: JsonObject) -> Declared | None:
    """Return what a CRD of any shape is called."""
    group, names = below(body, "spec", "group"), below(body, "spec", "names")
    if not (isinstance(group, str) and isinstance(names, dict) and isinstance(names.get("kind"), str)):
        return None
    said = {key: names[key] for key in ("kind", "plural", "singular") if isinstance(names.get(key), str)}
    versions = (each.get("name") for _, each in entries(body, "spec", "versions"))
    return Declared(group, said, tuple(each for each in versions if isinstance(each, str)))


def problems(role: Role, known: Known) -> Iterator[Problem]:
    """Yield the words of a role that stand for nothing; what specs are told when read is left out."""
    found: dict[Rule, list[tuple[Path, str, str]]] = {}
    for permit in role.permits:
        for rule, at, word in (*_groups(permit, known), *_resources(permit, known), *_verbs(permit, known)):
            if not _is_known(role, permit, word):
                found.setdefault(rule, []).append(((*permit.path, *at), word.what, word.hint))
    for rule, words in found.items():
        place, _, hint = words[0]
        whats = list(dict.fromkeys(what for _, what, _ in words))
        yield rule(MESSAGES[rule].format(choice(whats, last="and")), place, hint)


def _is_known(role: Role, permit: Permit, word: Word) -> bool:
    """Tell whether a spec says a rule in its own words, which were looked at when it was read.

    What is left of a whole object's rule after a target withheld a part of it has groups and resources that
    only belonged together with others.
    """
    if role.manifest is None or role.manifest.source(permit.path).verbatim:
        return False
    return word.told or role.manifest.source(()).verbatim


MESSAGES = {
    GROUP_NOWHERE: "found the API group {}, which neither Kubernetes nor a CRD here has",
    RESOURCE_NOWHERE: "found the resource {}, which its group does not have",
    VERB_NOWHERE: "found the verb {}, which permits nothing",
}
Found: TypeAlias = tuple[Rule, Path, Word]


def _groups(permit: Permit, known: Known) -> Iterator[Found]:
    for at, group in enumerate(permit.groups[:MANY]):
        if word := known.wrong_group(group):
            yield GROUP_NOWHERE, ("apiGroups", at), word


def _resources(permit: Permit, known: Known) -> Iterator[Found]:
    """Yield the resources that none of the groups of a rule has."""
    groups = list(dict.fromkeys(permit.groups))[:MANY]
    if not groups or not all(map(known.is_known, groups)):
        return
    for at, resource in enumerate(permit.resources[:MANY]):
        words = [known.wrong_resource(group, resource) for group in groups]
        if all(words):
            best = next((each for each in words if each and each.hint), words[0])
            yield RESOURCE_NOWHERE, ("resources", at), best or Word(False, "", "")


def _verbs(permit: Permit, known: Known) -> Iterator[Found]:
    urls = bool(permit.urls) and not permit.resources
    for at, verb in enumerate(permit.verbs[:MANY]):
        wrong = _wrong_verb(verb, urls)
        if wrong and (wrong.sure or all(map(known.apis.is_kubernetes, permit.groups[:MANY]))):
            yield VERB_NOWHERE, ("verbs", at), Word(True, cut(verb), wrong.hint)
        elif verb in OWN_VERBS and permit.groups and not {*permit.groups} & {ALL, *OWN_VERBS[verb]}:
            hint = f"it is for {choice([each or 'the core group' for each in OWN_VERBS[verb]])}"
            yield VERB_NOWHERE, ("verbs", at), Word(False, cut(verb), hint)
        elif verb not in ("create", ALL) and permit.resources and _is_asked(permit):
            what = f"{verb} for {permit.resources[0]}"
            yield VERB_NOWHERE, ("verbs", at), Word(False, cut(what), "it is only ever created")


@lru_cache(maxsize=1_000)
def _wrong_verb(verb: str, urls: bool) -> Wrong | None:
    return wrong_verb(verb, urls=urls)


def _is_asked(permit: Permit) -> bool:
    """Tell whether a rule is for questions alone."""
    asked = {each for group in permit.groups[:MANY] for each in REVIEWS.get(group, ())}
    return bool(asked) and asked.issuperset(permit.resources)
