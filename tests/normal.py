"""Bring objects into one form, so that two ways to make them can be compared."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable

from kitgen.objects import ObjectId
from kitgen.yamlio import Dialect, Json, JsonObject, YamlError, read, read_all


def parsed(text: str) -> list[JsonObject]:
    return [body for body in read_all(text, dialect=Dialect.KUBECTL) if body is not None]


def normal(body: JsonObject) -> JsonObject:
    """Return an object without what a cluster cannot see."""
    body = dict(body)
    match body["kind"]:
        case "Role" | "ClusterRole" if "rules" in body:
            body["rules"] = granted(body["rules"])
        case "SecurityContextConstraints":
            # It is cluster-scoped, which kustomize does not know, and an API server ignores the field.
            body["metadata"] = {key: value for key, value in body["metadata"].items() if key != "namespace"}
        case "ConfigMap":
            body["data"] = {key: _held(value) for key, value in body.get("data", {}).items()}
    return body


def granted(rules: list[JsonObject]) -> list[str]:
    """Return what rules allow, one permission an item: how they are grouped does not matter."""
    found = set()
    for rule in rules:
        verbs, names = rule["verbs"], rule.get("resourceNames", ["*"])
        for each in itertools.product(rule.get("apiGroups", []), rule.get("resources", []), names, verbs):
            found.add(" ".join(each))
        found |= {f"{url} {verb}" for url in rule.get("nonResourceURLs", []) for verb in verbs}
    return sorted(found)


def _held(value: str) -> Json:
    """Return YAML that a ConfigMap holds as text, parsed; other text as it is."""
    try:
        data = read(value, dialect=Dialect.KUBECTL)
    except YamlError:
        return value
    return data if isinstance(data, dict | list) else value


def key(body: JsonObject) -> str:
    identity = ObjectId.of(normal(body))
    return f"{identity.kind}.{identity.group or 'core'} {identity.namespace or '-'}/{identity.name}"


def digests(bodies: Iterable[JsonObject]) -> dict[str, str]:
    """Return a digest for each normalised object, by its identity; none may stand twice."""
    found: dict[str, str] = {}
    for body in bodies:
        name = key(body)
        assert name not in found, f"{name} stands twice"
        text = json.dumps(normal(body), sort_keys=True, ensure_ascii=False)
        found[name] = hashlib.sha256(text.encode()).hexdigest()
    return found


def differing(got: dict[str, str], want: dict[str, str]) -> list[str]:
    """Name the objects that are not the same in both, and how."""
    return [
        f"{name}: {'differs' if name in got and name in want else 'missing' if name in want else 'surplus'}"
        for name in sorted(got.keys() | want.keys())
        if got.get(name) != want.get(name)
    ]
