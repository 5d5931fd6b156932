"""Bring objects into one form, so that two ways to make them can be compared."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator

from kitgen.kube.identity import ObjectId
from kitgen.text.yaml import Dialect, Json, JsonObject, YamlError, read_yaml, read_yaml_documents


def parsed(text: str) -> list[JsonObject]:
    return [body for body in read_yaml_documents(text, dialect=Dialect.KUBECTL) if body is not None]


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
        data = read_yaml(value, dialect=Dialect.KUBECTL)
    except YamlError:
        return value
    return data if isinstance(data, dict | list) else value


def key(body: JsonObject) -> str:
    identity = ObjectId.of(normal(body))
    return f"{identity.kind}.{identity.group or 'core'} {identity.namespace or '-'}/{identity.name}"


def by_key(bodies: Iterable[JsonObject]) -> dict[str, JsonObject]:
    """Return normalised objects by their identity; none may stand twice."""
    found: dict[str, JsonObject] = {}
    for body in bodies:
        name = key(body)
        assert name not in found, f"{name} stands twice"
        found[name] = normal(body)
    return found


def differing(got: dict[str, JsonObject], want: dict[str, JsonObject]) -> list[str]:
    """Name the objects that are not the same in both, and their fields that differ."""
    return [
        f"{name}{difference}"
        for name in sorted(got.keys() | want.keys())
        for difference in _differences(got.get(name, ABSENT), want.get(name, ABSENT))
    ]


ABSENT = object()


def _differences(got: object, want: object, path: str = "") -> Iterator[str]:
    """Yield where two values differ, types included: to Python 1, 1.0 and True are one."""
    where = f" {path}" if path else ""
    match got, want:
        case dict(), dict():
            for step in sorted(got.keys() | want.keys()):
                yield from _differences(got.get(step, ABSENT), want.get(step, ABSENT), f"{path}/{step}")
        case list(), list():
            for index, pair in enumerate(itertools.zip_longest(got, want, fillvalue=ABSENT)):
                yield from _differences(*pair, f"{path}/{index}")
        case _ if got is ABSENT:
            yield f"{where}: missing"
        case _ if want is ABSENT:
            yield f"{where}: surplus"
        case _ if type(got) is not type(want) or got != want:
            yield f"{where}: {_short(got)}, expected {_short(want)}"


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:80]}…"
