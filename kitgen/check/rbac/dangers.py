"""Find dangerous permissions of roles: one problem per role and rule."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from kitgen.check.rbac import rules
from kitgen.findings import Path, Problem, Rule
from kitgen.kube.identity import RBAC
from kitgen.kube.rbac.access import Access, RoleName
from kitgen.kube.rbac.rules import ALL, READ, Permit, shorten_verbs
from kitgen.text.values import group_pairs
from kitgen.text.wording import join_words, quote_text

CHANGE = frozenset(("create", "update", "patch"))
WRITE = CHANGE | {"delete", "deletecollection"}
PRIVILEGED = frozenset(
    (
        *("privileged", "anyuid", "hostaccess", "hostmount-anyuid", "hostmount-anyuid-v2"),
        *("hostnetwork", "hostnetwork-v2", "node-exporter", "nested-container"),
    )
)
"""Constraints of OpenShift that let pods be root, or be on their node."""


class Danger(Struct, frozen=True, kw_only=True):
    """What is dangerous: some verbs for some resources of a group."""

    rule: Rule
    group: str
    resources: frozenset[str]
    verbs: frozenset[str]
    wide: bool = False
    """Whether it is dangerous only where it counts in the whole cluster."""
    only: frozenset[str] = frozenset()
    """Names for which it is dangerous, beside all of them."""


def _make_danger(
    rule: Rule, group: str, resources: str, verbs: frozenset[str] | str, *, wide: bool = False
) -> Danger:
    found = frozenset(verbs.split()) if isinstance(verbs, str) else verbs
    return Danger(rule=rule, group=group, resources=frozenset(resources.split()), verbs=found, wide=wide)


BY_THEMSELVES = frozenset(("approve", "bind", "escalate", "impersonate", "sign"))
"""Verbs that are for nothing harmless."""
REGISTRATION, CERTIFICATES = "admissionregistration.k8s.io", "certificates.k8s.io"
OPENSHIFT = "security.openshift.io"
CONSTRAINTS = frozenset(("securitycontextconstraints",))
DANGERS = (
    _make_danger(rules.ESCALATION, RBAC, "roles clusterroles", "escalate bind"),
    Danger(
        rule=rules.ESCALATION,
        group=RBAC,
        resources=frozenset(("clusterroles",)),
        verbs=frozenset(("bind",)),
        only=frozenset(("admin", "cluster-admin")),
    ),
    _make_danger(rules.IDENTITY, "", "users groups serviceaccounts", "impersonate"),
    Danger(
        rule=rules.IDENTITY,
        group="",
        resources=frozenset(("groups", "users")),
        verbs=frozenset(("impersonate",)),
        only=frozenset(("system:admin", "system:kube-controller-manager", "system:masters")),
    ),
    _make_danger(rules.IDENTITY, "authentication.k8s.io", "userextras uids", "impersonate"),
    _make_danger(rules.IDENTITY, "", "serviceaccounts/token", "create"),
    _make_danger(rules.IDENTITY, CERTIFICATES, "certificatesigningrequests/approval", "update patch"),
    _make_danger(rules.IDENTITY, CERTIFICATES, "signers", "approve sign"),
    _make_danger(rules.ROLES, RBAC, "roles clusterroles rolebindings clusterrolebindings", CHANGE),
    _make_danger(rules.SECRETS, "", "secrets", READ | WRITE, wide=True),
    _make_danger(rules.EXEC, "", "pods/exec pods/attach pods/portforward nodes/proxy", "get create"),
    _make_danger(rules.EXEC, "", "pods/ephemeralcontainers", "update patch"),
    _make_danger(
        rules.ADMISSION,
        REGISTRATION,
        "mutatingwebhookconfigurations validatingwebhookconfigurations mutatingadmissionpolicies "
        "validatingadmissionpolicies mutatingadmissionpolicybindings validatingadmissionpolicybindings",
        WRITE,
        wide=True,
    ),
    _make_danger(rules.SECURITY_CONTEXT, OPENSHIFT, "securitycontextconstraints", WRITE, wide=True),
    Danger(
        rule=rules.SECURITY_CONTEXT,
        group=OPENSHIFT,
        resources=CONSTRAINTS,
        verbs=frozenset(("use",)),
        only=PRIVILEGED,
    ),
    _make_danger(rules.DEFINITIONS, "apiextensions.k8s.io", "customresourcedefinitions", WRITE, wide=True),
    _make_danger(rules.DEFINITIONS, "apiregistration.k8s.io", "apiservices", WRITE, wide=True),
)
BY_RESOURCE = group_pairs((resource, each) for each in DANGERS for resource in each.resources)


def check_dangerous_rules(permits: Sequence[Permit], *, wide: bool) -> list[Problem]:
    """Return what is dangerous in the rules of a role."""
    return [
        *_check_wildcards(permits),
        *_check_dangerous_resources(permits, wide=wide),
        *_check_useless_names(permits),
    ]


def _check_dangerous_resources(permits: Sequence[Permit], *, wide: bool) -> Iterator[Problem]:
    places: dict[Rule, Path] = {}
    found: dict[Rule, dict[str, dict[str, None]]] = {}
    for permit in permits:
        for at, resource in enumerate(permit.resources):
            key = "userextras" if resource.startswith("userextras/") else resource
            for danger in BY_RESOURCE.get(key, ()):
                verbs = _select_dangerous_verbs(danger, permit) if wide or not danger.wide else []
                if verbs:
                    places.setdefault(danger.rule, _find_danger_path(danger, permit, at, verbs[0]))
                    what = resource + _format_names(permit)
                    found.setdefault(danger.rule, {}).setdefault(what, {}).update(dict.fromkeys(verbs))
    for rule, held in found.items():
        scope = " in the whole cluster" if rule in WIDE and wide else ""
        yield rule(
            f"found permission to {_describe_permissions(held)}{scope}", places[rule], HINTS.get(rule, "")
        )


WIDE = {each.rule for each in DANGERS if each.wide}
HINTS = {
    rules.ROLES: "it can give all that it holds itself to others",
    rules.ADMISSION: "name the configurations in resourceNames",
    rules.SECRETS: "name the secrets, or take a role of one namespace",
}


def _select_dangerous_verbs(danger: Danger, permit: Permit) -> list[str]:
    """Return the verbs of a rule that are dangerous for a resource that it names."""
    if danger.group not in permit.groups and ALL not in permit.groups:
        return []
    if permit.names and not danger.only & {*permit.names}:
        # Who may escalate a role may put anything into it, whatever it is called.
        return ["escalate"] if danger.rule is rules.ESCALATION and "escalate" in permit.verbs else []
    if ALL in permit.verbs:
        return [ALL]
    return [each for each in dict.fromkeys(permit.verbs) if each in danger.verbs]


def _find_danger_path(danger: Danger, permit: Permit, at: int, verb: str) -> Path:
    """Return the word that makes a rule dangerous: mostly the resource, else a verb or a name."""
    if danger.only and (names := [index for index, each in enumerate(permit.names) if each in danger.only]):
        return (*permit.path, "resourceNames", names[0])
    if verb in BY_THEMSELVES:
        return (*permit.path, "verbs", [*permit.verbs].index(verb))
    return (*permit.path, "resources", at)


def _format_names(permit: Permit) -> str:
    return f"[{','.join(quote_text(each)[1:-1] for each in permit.names[:3])}]" if permit.names else ""


def _describe_permissions(held: Mapping[str, Mapping[str, None]]) -> str:
    """Write permissions, those with the same verbs together."""
    alike: dict[str, list[str]] = {}
    for what, verbs in held.items():
        alike.setdefault(_format_verbs(verbs), []).append(what)
    return join_words(
        [f"{words} {join_words(whats, last='and')}" for words, whats in alike.items()], last="and to"
    )


def _format_verbs(verbs: Collection[str]) -> str:
    """Write verbs as people do."""
    return "do anything with" if ALL in verbs else join_words(shorten_verbs(verbs), last="and")


def _check_wildcards(permits: Sequence[Permit]) -> Iterator[Problem]:
    told: list[str] = []
    place: Path = ()
    for permit in permits:
        for key, have in (
            ("apiGroups", permit.groups),
            ("resources", permit.resources),
            ("verbs", permit.verbs),
            ("nonResourceURLs", permit.urls),
        ):
            if ALL in have:
                place = place or (*permit.path, key, [*have].index(ALL))
        if permit.urls and (ALL in permit.urls or ALL in permit.verbs):
            told.append(f"{_format_verbs(permit.verbs)} {_format_words(permit.urls, 'every URL')}")
        elif any(ALL in each for each in (permit.groups, permit.resources, permit.verbs)):
            groups = _format_words([each or "core" for each in permit.groups], "every group")
            resources = _format_words(permit.resources, "every resource")
            told.append(f"{_format_verbs(permit.verbs)} {resources} of {groups}")
    if told:
        found = join_words([*dict.fromkeys(told)], most=4, last="and to")
        yield rules.WILDCARD(f"found permission to {found}", place, "name what is needed")


def _format_words(words: Sequence[str], every: str) -> str:
    return every if ALL in words else join_words([*dict.fromkeys(words)], most=7, last="and")


def _check_useless_names(permits: Sequence[Permit]) -> Iterator[Problem]:
    """Yield that some rules permit by name what has none."""
    told: dict[str, None] = {}
    place: Path = ()
    for permit in permits:
        whole = [each for each in permit.resources if "/" not in each and each not in (ALL, "signers")]
        for at, verb in enumerate(permit.verbs if permit.names and whole else ()):
            if verb in ("create", "deletecollection"):
                place = place or (*permit.path, "verbs", at)
                told |= dict.fromkeys(f"{verb} {each}" for each in whole[:20])
    if told:
        hint = "say it in a rule without resourceNames"
        message = (
            f"found permission to {join_words([*told], most=6, last='and')} by name, which fits no request"
        )
        yield rules.USELESS_NAMES(message, place, hint)


def is_cluster_wide(access: Access, name: RoleName, into: Mapping[RoleName, Sequence[RoleName]]) -> bool:
    """Return whether a role counts in the whole cluster, or may: nothing here says that it does not."""
    kind = name[0]
    seen, todo, bound = {name}, [name], False
    while todo:
        each = todo.pop()
        for held in access.holders.get(each, ()):
            if held.where is None:
                return True
            bound = True
        more = [whole for whole in into.get(each, ()) if whole not in seen]
        seen.update(more)
        todo += more
    return kind == "ClusterRole" and not bound and len(seen) == 1
