"""What roles and access roles permit: verbs, groups and resources that there are."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.crds.types.names import VERSION
from kitgen.findings import Finding, Origin, Severity, near
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
SURE = 0.75
"""How alike two words are before one is taken for the other misspelt."""


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
        hint = near(verb, [*known, *words], sure=SURE)
        if verb in (*other, *WORDS):
            message = f"found the verb {verb!r}, which no {what} is asked with"
            instead = INSTEAD.get(verb) if what == "resource" else None
            hint = f"did you mean {instead!r}?" if instead else f"verbs for it are {', '.join(known[:8])}"
            yield Finding(rule="verb-misspelt", message=message, origin=at, hint=hint)
        elif hint:
            message = f"found the unknown verb {verb!r}"
            yield Finding(rule="verb-misspelt", message=message, origin=at, hint=hint)
        else:
            message = f"found the verb {verb!r}, which Kubernetes does not know"
            yield Finding(
                rule="verb-unknown",
                message=message,
                origin=at,
                hint="right only if the API asks for it by itself",
                severity=Severity.WARNING,
            )


def _resources(group: str, rest: str, at: Origin, apis: Apis) -> Iterator[Finding]:
    if problem := apis.wrong_group(group, rest):
        yield Finding(rule="group-unknown", message=problem[0], origin=at, hint=problem[1])
        return
    known = apis.plurals("" if group == "core" else group)
    for resource in rest.split(","):
        name, _, below = resource.partition("/")
        if VERSION.fullmatch(name):
            message = f"found the version {name!r} where a resource belongs"
            hint = f"did you mean '{group}/{below}'?" if below else "name a resource"
            yield Finding(rule="resource-misspelt", message=message, origin=at, hint=hint)
        elif name not in known and (hint := near(name, known, sure=SURE)):
            message = f"found the resource {name!r}, which {group} does not have"
            yield Finding(rule="resource-misspelt", message=message, origin=at, hint=hint)
