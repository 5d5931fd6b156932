"""What roles and access roles permit: verbs, groups and resources that there are."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.crds.names import VERSION
from kitgen.findings import Finding, Origin, Severity, is_slip, near
from kitgen.load.apis import Apis
from kitgen.model import Part

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
    "certificates.k8s.io": ("signers",),
}
"""Names that are only there to be permitted: whom one may be, and for whom one may sign."""


def check_permissions(part: Part, apis: Apis) -> Iterator[Finding]:
    """Yield a finding for every verb, group and resource of a part that permits nothing."""
    for item in part.roles:
        for layer in item.layers:
            for key, verbs in layer.data["permissions"].items():
                at = layer.origin.at("permissions", key)
                yield from _verbs(key, verbs.split(), at)
                if not key.startswith("/"):
                    group, _, rest = key.partition("/")
                    yield from _resources(group, rest.partition("[")[0], at, apis)
    for item in part.access_roles:
        for layer in item.layers:
            for index, content in enumerate(layer.data.get("sets", ())):
                for number, resource in enumerate(content["resources"]):
                    group, _, rest = resource.partition("/")
                    at = layer.origin.at("sets", index, "resources", number)
                    yield from _resources(group, rest, at, apis)


def _verbs(key: str, verbs: list[str], at: Origin) -> Iterator[Finding]:
    known, other = (ON_URLS, ON_RESOURCES) if key.startswith("/") else (ON_RESOURCES, ON_URLS)
    what = "URL" if known is ON_URLS else "resource"
    words = () if known is ON_URLS else WORDS
    for verb in verbs:
        if verb in ("*", *known, *words):
            continue
        if verb in (*other, *WORDS):
            message = f"found the verb {verb!r}, which no {what} is asked with"
            instead = INSTEAD.get(verb) if what == "resource" else None
            hint = f"did you mean {instead!r}?" if instead else f"verbs for it are {', '.join(known[:8])}"
            yield Finding(rule="verb-misspelt", message=message, origin=at, hint=hint)
        elif meant := next((each for each in (*known, *words) if is_slip(verb, each)), None):
            message = f"found the unknown verb {verb!r}"
            yield Finding(rule="verb-misspelt", message=message, origin=at, hint=f"did you mean {meant!r}?")
        else:
            message = f"found the verb {verb!r}, which Kubernetes does not know"
            hint, severity = "right only if the API asks for it by itself", Severity.WARNING
            yield Finding(rule="verb-unknown", message=message, origin=at, hint=hint, severity=severity)


def _resources(group: str, rest: str, at: Origin, apis: Apis) -> Iterator[Finding]:
    if problem := apis.wrong_group(group, rest):
        yield Finding(rule="group-unknown", message=problem[0], origin=at, hint=problem[1])
        return
    known = apis.resources("" if group == "core" else group)
    plurals = [*known.values(), *VIRTUAL.get(group, ()), "*"]
    for resource in rest.split(","):
        name, _, below = resource.partition("/")
        if name in plurals:
            continue
        meant = next((known[each] for each in known if is_slip(name, each)), None)
        if VERSION.fullmatch(name):
            message = f"found the version {name!r} where a resource belongs"
            hint = f"did you mean '{group}/{below}'?" if below else "name a resource"
            yield Finding(rule="resource-misspelt", message=message, origin=at, hint=hint)
        elif meant:
            message = f"found the resource {name!r}, which {group} does not have"
            hint = f"did you mean {meant!r}?"
            yield Finding(rule="resource-misspelt", message=message, origin=at, hint=hint)
        elif hint := near(name, plurals, sure=ALIKE):
            message = f"found the resource {name!r}, which {group} does not have"
            severity = Severity.WARNING
            yield Finding(rule="resource-unknown", message=message, origin=at, hint=hint, severity=severity)
