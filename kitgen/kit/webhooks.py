"""Validate webhooks of specs: the kinds and resources that they name must exist."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, Origin, Path, is_typo, make_problem, suggest_or_list, suggest_word
from kitgen.kit.apis import Apis
from kitgen.kit.model import Component, ComponentPart
from kitgen.kube.definitions import Kind
from kitgen.kube.identity import split_kind
from kitgen.text.yaml import JsonObject

BELOW_CUSTOM = ("", "*", "scale", "status")


def check_webhooks(component: Component, part: ComponentPart, apis: Apis) -> Iterator[Finding]:
    """Yield a finding for every webhook of a part that would never be called."""
    for layer in part.layers("webhooks"):
        for index, given in enumerate(layer.data.get("kinds", ())):
            entry = {"kind": given} if isinstance(given, str) else given
            yield from _check_webhook(component, entry, layer.origin.at("kinds", index), apis)


def _check_webhook(component: Component, entry: JsonObject, at: Origin, apis: Apis) -> Iterator[Finding]:
    if entry.get("mutates") == [] and entry.get("validates") == []:
        yield make_problem(
            "webhook-nothing", "found a kind that is neither mutated nor validated", hint="remove it"
        ).to_finding(at)
    elif {"mutates", "resource", "validates"} <= entry.keys():
        yield make_problem(
            "setting-unused", "found a resource beside mutates and validates, which say all", hint="remove it"
        ).to_finding(at.at("resource"))

    kind = Kind(*split_kind(entry["kind"]))
    given = entry["kind"].split("/")[0] if entry["kind"].count("/") == 2 else "core"
    if wrong := apis.check_group(given, kind.kind):
        yield wrong.to_finding(at)
    elif apis.has_kind(kind):
        yield from _check_resources(entry, kind, at, apis)
    elif apis.is_kubernetes(kind.group) or _is_kit_kind(component, kind, apis):
        owner = "the kit" if apis.is_declared(kind.group) else "Kubernetes"
        yield make_problem(
            "webhook-kind",
            f"found a webhook for {kind}, which {owner} does not have",
            hint=_suggest_kind(kind, apis),
        ).to_finding(at)
    else:
        yield from _check_foreign_kind(component, entry, kind, at, apis)


def _is_kit_kind(component: Component, kind: Kind, apis: Apis) -> bool:
    """Return whether the kit should have a kind: one of the component's own group, or a letter away from one.

    Others may be declared elsewhere: operators share groups, such as kubeflow.org.
    """
    own = any(data["group"] == kind.group for _, data in component.crds)
    return own or any(is_typo(kind.kind, each.kind) for each in apis.kinds(kind.group))


def _suggest_kind(kind: Kind, apis: Apis) -> str:
    """Return a hint with what a webhook may be for instead."""
    here = apis.kinds(kind.group)
    if versions := [each.version for each in here if each.kind == kind.kind]:
        return f"{kind.kind} is there in {', '.join(versions)}"
    names = list(dict.fromkeys(each.kind for each in here))
    return suggest_word(kind.kind, names) or f"kinds of the group are {', '.join(names[:12])}"


def _check_resources(entry: JsonObject, kind: Kind, at: Origin, apis: Apis) -> Iterator[Finding]:
    known = apis.plurals(kind.group, kind.version)
    places: list[tuple[Path, str]] = [(("resource",), entry["resource"])] if "resource" in entry else []
    places += [
        ((key, number), resource)
        for key in ("mutates", "validates")
        for number, resource in enumerate(entry.get(key, ()))
    ]
    for path, resource in places:
        name, _, below = resource.partition("/")
        custom = apis.is_declared(kind.group)
        if name not in (*known, "*") or (custom and below not in BELOW_CUSTOM):
            where = f"{kind.api_version} does not have"
            yield make_problem(
                "webhook-kind",
                f"found the resource {resource!r}, which {where}",
                hint=suggest_or_list(resource, known),
            ).to_finding(at.at(*path))


def _check_foreign_kind(
    component: Component, entry: JsonObject, kind: Kind, at: Origin, apis: Apis
) -> Iterator[Finding]:
    """Yield a warning for a kind of others that the component's own roles know nothing of."""
    plural = entry.get("resource") or apis.names.plural(kind.group, kind.kind)
    roles = (layer for part in component.parts for layer in part.layers("roles"))
    for key in (key for layer in roles for key in layer.data.get("permissions", ())):
        group, _, rest = key.partition("/")
        resources = {each.partition("/")[0] for each in rest.partition("[")[0].split(",")}
        if group in (kind.group, "*") and resources & {plural, "*"}:
            return
    yield make_problem(
        "webhook-undeclared",
        f"found a webhook for {kind}, which no CRD declares and no role of the component permits",
        hint=f"check the spelling, or permit {kind.group}/{plural}",
    ).to_finding(at)
