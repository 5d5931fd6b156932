"""Check rules and paths of webhooks: webhooks that are never called, or called where nothing answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kitgen.check.rbac.names import KnownApis
from kitgen.findings import Path, Problem, is_slip, problem
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.rules import ALL
from kitgen.text.values import entries_at, texts_at, value_at
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import JsonObject

DOING = {"MutatingWebhookConfiguration": "mutate", "ValidatingWebhookConfiguration": "validate"}
SCHEME = re.compile(r"/(?P<verb>mutate|validate)-(?P<what>.+)\Z")
VERSION = re.compile(r"-v[0-9]+((alpha|beta)[0-9]+)?-")
MANY = 100


class _Hook(NamedTuple):
    """A webhook, and what it is called for: groups, versions and kinds as paths have them."""

    manifest: Manifest
    at: Path
    path: str
    whats: frozenset[str]
    """Empty if it is for anything of some sort."""


def problems(manifests: Iterable[Manifest], known: KnownApis) -> Iterator[tuple[Manifest, Problem]]:
    """Yield what is wrong with the rules and paths of webhooks; those of specs are checked on reading."""
    hooks: list[_Hook] = []
    for manifest in manifests:
        if manifest.id.kind not in DOING or not manifest.source(("webhooks",)).verbatim:
            continue
        for index, hook in entries_at(manifest.body, "webhooks"):
            wrong = [
                fault.below("webhooks", index, "rules", at)
                for at, rule in entries_at(hook, "rules")
                for fault in _rule(rule, known)
            ]
            yield from ((manifest, fault) for fault in wrong)
            where: Path = ("webhooks", index, "clientConfig", "service", "path")
            if isinstance(path := value_at(manifest.body, *where), str) and not wrong:
                hooks.append(_Hook(manifest, where, path, _whats(hook, known)))
    whats = frozenset(what for each in hooks for what in each.whats)
    for each in hooks[:MANY]:
        if hint := _wrong_path(each, whats):
            verb = DOING[each.manifest.id.kind]
            message = f"found the path {cut(each.path)}, expected that of what its rules name"
            yield each.manifest, problem("webhook-path", message, each.at, f"did you mean '/{verb}-{hint}'?")


def _texts(rule: JsonObject, key: str) -> list[str]:
    return texts_at(rule, key)[:MANY]


def _rule(rule: JsonObject, known: KnownApis) -> Iterator[Problem]:
    groups = _texts(rule, "apiGroups")
    for at, group in enumerate(groups):
        if word := known.wrong_group(group):
            yield problem(
                "webhook-rule-unknown",
                f"found the API group {word.what}, which neither Kubernetes nor a CRD here has",
                ("apiGroups", at),
                word.hint,
            )
    if not groups or not all(map(known.is_known, groups)):
        return
    found = []
    for at, resource in enumerate(_texts(rule, "resources")):
        name, _, part = resource.partition("/")
        words = [known.wrong_resource(group, name if part == ALL else resource) for group in groups]
        if all(words):
            best = next((each for each in words if each and each.hint), words[0])
            yield problem(
                "webhook-rule-unknown",
                f"found the resource {cut(resource)}, which its group does not have",
                ("resources", at),
                best.hint if best else "",
            )
        elif name != ALL:
            found.append(name)
    yield from _versions(rule, groups, found, known)


def _versions(
    rule: JsonObject, groups: list[str], resources: list[str], known: KnownApis
) -> Iterator[Problem]:
    """Yield that no resource of a rule has any of its versions."""
    asked = _texts(rule, "apiVersions")
    there = sorted(
        {
            kind.version
            for group in groups
            for kind in known.apis.kinds(group)
            if known.apis.names.plural(group, kind.kind) in resources
        }
    )
    if asked and there and not {ALL, *there} & {*asked}:
        yield problem(
            "webhook-rule-unknown",
            f"found the version {cut(asked[0])}, which {choice(resources, last='and')} does not have",
            ("apiVersions", 0),
            f"there is {choice(there, last='and')}",
        )


def _whats(hook: JsonObject, known: KnownApis) -> frozenset[str]:
    """Return what a webhook is called for, in the words of paths; nothing if it is for all of a sort."""
    found: set[str] = set()
    for _, entry in entries_at(hook, "rules"):
        parts = [_texts(entry, key) for key in ("apiGroups", "apiVersions", "resources")]
        if any(ALL in each for part in parts for each in part):
            return frozenset()
        groups, versions, resources = parts
        found |= {
            f"{group.replace('.', '-')}-{version}-{one}"
            for group in groups
            for version in versions
            for resource in resources
            for one in _ones(group, resource.partition("/")[0], known)
        }
    return frozenset(found)


def _ones(group: str, resource: str, known: KnownApis) -> list[str]:
    """Return the singular of a resource; by the usual plural, if unknown."""
    told = [one for one, many in known.apis.resources(group).items() if many == resource and one != many]
    ends = (("ies", "y"), ("es", ""), ("s", ""))
    return told or [resource.removesuffix(end) + last for end, last in ends if resource.endswith(end)]


def _wrong_path(hook: _Hook, whats: frozenset[str]) -> str:
    """Return what a path is meant for, if it surely is for something else; empty if unknown."""
    if not (match := SCHEME.match(hook.path)) or not hook.whats:
        return ""
    verb, what = match["verb"], match["what"]
    own = sorted(hook.whats)
    if what in hook.whats:
        return what if verb != DOING[hook.manifest.id.kind] else ""
    if what in whats:
        return own[0]
    plain = VERSION.sub("-", what)
    return next((each for each in own if is_slip(what, each) or VERSION.sub("-", each) == plain), "")
