"""Validate permissions of roles and access roles: known verbs, groups and resources."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

from kitgen.crd.types import VERSION
from kitgen.findings import Finding, Problem, Rule, get_rule, is_typo, suggest_word
from kitgen.kit.apis import Apis
from kitgen.kit.model import ComponentPart, Layer
from kitgen.kit.model.component import list_access_sets

WORDS = ("manage", "read")
ON_RESOURCES = (
    *("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"),
    *("approve", "attest", "bind", "escalate", "impersonate", "proxy", "sign", "use"),
)
"""Verbs that Kubernetes or OpenShift asks for; an API may have more of its own."""
ON_URLS = ("delete", "get", "head", "options", "patch", "post", "put")
INSTEAD = {"post": "create", "put": "update", "head": "get"}
ALIKE = 0.75
"""How much a resource is like a known one before it is worth a word; clusters have others too."""
VIRTUAL = {
    "core": ("groups", "users"),
    "authentication.k8s.io": ("uids", "userextras"),
    "cert-manager.io": ("signers",),
    "certificates.k8s.io": ("signers",),
}
"""Names that are only there to be permitted: whom one may be, and for whom one may sign."""


def check_permissions(parts: Collection[ComponentPart], apis: Apis) -> Iterator[Finding]:
    """Yield a finding for every verb, group and resource in some parts that permits nothing."""
    # Many roles name the same.
    check_verbs, check_resources = cache(_check_verbs), cache(partial(_check_resources, apis))
    for layer in _list_layers(parts, "roles"):
        for key, verbs in layer.data.get("permissions", {}).items():
            urls = key.startswith("/")
            named = () if urls else check_resources(key.partition("[")[0])
            wrong = (*check_verbs(verbs, urls), *named)
            yield from (each.to_finding(layer.origin.at("permissions", key)) for each in wrong)
    for layer in _list_layers(parts, "accessRoles"):
        for step, content in list_access_sets(layer.data):
            for number, given in enumerate(content["resources"]):
                resource = given["resource"] if isinstance(given, dict) else given
                yield from (
                    each.to_finding(layer.origin.at("sets", step, "resources", number))
                    for each in check_resources(resource)
                )


def _list_layers(parts: Collection[ComponentPart], key: str) -> Iterable[Layer]:
    """Return what parts say of a section; what one version takes over from another is there once."""
    return {id(layer.data): layer for part in parts for layer in part.layers(key)}.values()


class PermissionProblem(NamedTuple):
    """A word that permits nothing, or perhaps not what is meant."""

    sure: bool
    message: str
    hint: str


def check_verb(verb: str, *, urls: bool, words: Sequence[str] = ()) -> PermissionProblem | None:
    """Return what is wrong with a verb for resources or URLs, beside which words may stand for several."""
    known, other = (ON_URLS, ON_RESOURCES) if urls else (ON_RESOURCES, ON_URLS)
    allowed = known if urls else (*known, *words)
    if verb in ("*", *allowed):
        return None
    if verb in (*other, *words):
        message = f"found the verb {verb!r}, which no {'URL' if urls else 'resource'} is asked with"
        instead = None if urls else INSTEAD.get(verb)
        return PermissionProblem(
            True,
            message,
            f"did you mean {instead!r}?" if instead else f"verbs for it are {', '.join(known[:8])}",
        )
    if meant := next((each for each in allowed if is_typo(verb, each)), None):
        return PermissionProblem(True, f"found the unknown verb {verb!r}", f"did you mean {meant!r}?")
    return PermissionProblem(
        False,
        f"found the verb {verb!r}, which Kubernetes does not know",
        "right only if the API asks for it by itself",
    )


def _check_verbs(verbs: str, urls: bool) -> tuple[Problem, ...]:
    wrong = (check_verb(verb, urls=urls, words=WORDS) for verb in verbs.split())
    return _to_problems(wrong, get_rule("verb-misspelt"), get_rule("verb-unknown"))


def _check_resources(apis: Apis, named: str) -> tuple[Problem, ...]:
    group, _, rest = named.partition("/")
    if problem := apis.check_group(group, rest):
        return (problem,)
    wrong = (check_resource(group, resource, apis) for resource in rest.split(","))
    return _to_problems(wrong, get_rule("resource-misspelt"), get_rule("resource-unknown"))


def _to_problems(
    wrong: Iterable[PermissionProblem | None], misspelt: Rule, unknown: Rule
) -> tuple[Problem, ...]:
    found = filter(None, wrong)
    return tuple((misspelt if each.sure else unknown)(each.message, hint=each.hint) for each in found)


def check_resource(group: str, resource: str, apis: Apis) -> PermissionProblem | None:
    """Return what is wrong with a resource, or with what stands in its place; its group is known."""
    known = apis.resources("" if group == "core" else group)
    plurals = [*known.values(), *VIRTUAL.get(group, ()), "*"]
    name, _, below = resource.partition("/")
    if name in plurals:
        return None
    if VERSION.fullmatch(name):
        hint = f"did you mean '{group}/{below}'?" if below else "name a resource"
        return PermissionProblem(True, f"found the version {name!r} where a resource belongs", hint)
    message = f"found the resource {name!r}, which {group} does not have"
    if meant := next((known[each] for each in known if is_typo(name, each)), None):
        return PermissionProblem(True, message, f"did you mean {meant!r}?")
    hint = suggest_word(name, plurals, sure=ALIKE)
    return PermissionProblem(False, message, hint) if hint else None
