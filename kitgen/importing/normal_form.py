"""Make a scene of a tree: its objects without the labels, the namespace and what kustomize does with both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from kitgen.findings import Path
from kitgen.importing.survey import UNLABELLED, TreeSurvey, label_places
from kitgen.kit.crd_names import DeclaredResources
from kitgen.kit.model import LabelRule, LabelScope
from kitgen.kube.identity import ObjectId, is_namespaced
from kitgen.kube.manifest import existing_value
from kitgen.render.inverse import TreeObjects
from kitgen.render.kustomize.field_paths import changed, places
from kitgen.render.kustomize.namespace import CONVERSION, SERVICES
from kitgen.text.values import map_at, value_at
from kitgen.text.yaml import Json, JsonObject

CRD = "CustomResourceDefinition"


def scene_of(
    objects: Sequence[JsonObject],
    found: TreeSurvey,
    resources: DeclaredResources,
    *,
    images: Mapping[str, str],
    config_type: JsonObject | None,
) -> TreeObjects:
    """Return what the inverses look at: everything but CRDs, and Namespaces that kustomize would rename."""
    bodies = [each for each in objects if each.get("kind") != CRD and not _is_foreign(each, found.namespace)]
    pairs = zip(bodies, taken_off(bodies, found), strict=True)
    bare = [_floating(each) if _is_nowhere(body, found.namespace) else each for body, each in pairs]
    ids = list(map(ObjectId.of, bare))
    known = dict(zip(ids, bare, strict=True))
    return TreeObjects(
        prefix=found.prefix,
        objects=known,
        everything=known,
        images=images,
        config_type=config_type,
        resources=resources,
        labelled=frozenset(_labelled(zip(bodies, ids, strict=True), found)),
    )


def _is_foreign(body: JsonObject, namespace: str) -> bool:
    """Tell whether an object is a Namespace, and not that of all."""
    found = ObjectId.of(body)
    return bool(namespace) and (found.group, found.kind) == ("", "Namespace") and found.name != namespace


def _labelled(objects: Iterable[tuple[JsonObject, ObjectId]], found: TreeSurvey) -> Iterator[ObjectId]:
    """Yield the objects that carry labels which only the operator's own objects do."""
    own, wide = (
        {key for rule in found.labels if rule.scope is scope for key in rule.pairs}
        for scope in (LabelScope.OPERATOR, LabelScope.ALL)
    )
    for body, identity in objects:
        labels = value_at(body, "metadata", "labels")
        if isinstance(labels, dict) and (own - wide) & labels.keys():
            yield identity


def _is_nowhere(body: JsonObject, namespace: str) -> bool:
    """Tell whether an object is in no namespace, of a kind that kustomize gives one."""
    found = ObjectId.of(body)
    return bool(namespace) and not found.namespace and is_namespaced(found.group, found.kind)


def _floating(body: JsonObject) -> JsonObject:
    """Return an object that says that it is in no namespace."""
    return {**body, "metadata": {**map_at(body, "metadata"), "namespace": ""}}


def taken_off(objects: Iterable[JsonObject], found: TreeSurvey) -> list[JsonObject]:
    """Return objects without what surrounds them."""
    known = list(objects)
    ids = list(map(ObjectId.of, known))
    accounts = {
        each.name for each in ids if each.kind == "ServiceAccount" and each.namespace == found.namespace
    }
    services = {each.name for each in ids if each.kind == "Service" and each.namespace == found.namespace}
    return [
        _unplaced(
            _unlabelled(_tidy(body), () if each in found.spared else found.labels),
            found.namespace,
            accounts,
            services,
        )
        for each, body in zip(ids, known, strict=True)
    ]


def _tidy(body: JsonObject) -> JsonObject:
    """Return an object without what a cluster cannot see."""
    rest = {key: value for key, value in body.items() if key != "status"}
    meta: Json = rest.get("metadata")
    if isinstance(meta, dict) and body.get("kind") == "SecurityContextConstraints":
        meta = {key: value for key, value in meta.items() if key != "namespace"}
    if isinstance(meta, dict):
        rest["metadata"] = {
            k: v for k, v in meta.items() if v not in (None, {}, []) and k != "creationTimestamp"
        }
    for path, _ in places(rest, "spec/template/metadata"):
        rest = changed(rest, path, _without_timestamp)
    return rest


def _without_timestamp(value: Json) -> Json:
    if isinstance(value, dict) and "creationTimestamp" in value and value["creationTimestamp"] is None:
        return {key: each for key, each in value.items() if key != "creationTimestamp"}
    return value


def _unlabelled(body: JsonObject, rules: Iterable[LabelRule]) -> JsonObject:
    for rule in rules:
        if rule.scope is LabelScope.OPERATOR and body.get("kind") in UNLABELLED:
            continue
        ways = ["metadata/labels"]
        ways += [spec.path for spec in label_places(rule) if body.get("kind") in spec.kinds and spec.create]
        for way in ways:
            for path, labels in places(body, way):
                if isinstance(labels, dict):
                    body = _without(body, path, {k for k, v in rule.pairs.items() if labels.get(k) == v})
    return body


def _without(body: JsonObject, path: Path, keys: set[str]) -> JsonObject:
    """Return an object without some keys of a mapping, and without mappings that are empty then."""
    body = _dropped(body, path, keys)
    for size in range(len(path), 1, -1):
        if existing_value(body, path[:size]) != {} or not isinstance(path[size - 1], str):
            break
        body = _dropped(body, path[: size - 1], {str(path[size - 1])})
    return body


def _dropped(body: JsonObject, path: Path, keys: set[str]) -> JsonObject:
    made: JsonObject = changed(body, path, lambda value: {k: v for k, v in value.items() if k not in keys})
    return made


def _unplaced(body: JsonObject, namespace: str, accounts: set[str], services: set[str]) -> JsonObject:
    """Return an object without its namespace, and what it refers to without it, where kustomize sets it."""
    identity = ObjectId.of(body)
    ways: list[Path] = []
    if namespace and identity.namespace == namespace and is_namespaced(identity.group, identity.kind):
        ways.append(("metadata",))
    here = identity.namespace in ("", namespace)  # subjects of bindings elsewhere say where they are
    if identity.kind in ("RoleBinding", "ClusterRoleBinding") and here:
        ways += [path for path, each in places(body, "subjects[]") if _is_own(each, accounts, namespace)]
    if identity.kind in SERVICES:
        ways += [
            path
            for path, each in places(body, SERVICES[identity.kind])
            if _in(each, namespace) and str(each.get("name")) in services
        ]
    if identity.kind == "APIService":
        ways += [path for path, each in places(body, "spec/service") if _in(each, namespace)]
    for path in ways:
        body = changed(body, path, lambda value: {k: v for k, v in value.items() if k != "namespace"})
    if identity.kind == CRD:
        for path, each in places(body, CONVERSION):
            if _in(each, namespace):
                body = changed(body, path, lambda value: {**value, "namespace": "system"})
    return body


def _in(value: Json, namespace: str) -> bool:
    return isinstance(value, dict) and bool(namespace) and value.get("namespace") == namespace


def _is_own(subject: Json, accounts: set[str], namespace: str) -> bool:
    if not _in(subject, namespace) or subject.get("kind") != "ServiceAccount":
        return False
    return str(subject.get("name")) in {*accounts, "default"}


def later(
    scene: TreeObjects, key: str, section: Json, taken: Iterable[ObjectId], account: str
) -> TreeObjects:
    """Return the scene that is left for the next inverse."""
    gone = set(taken)
    rest = {each: body for each, body in scene.objects.items() if each not in gone}
    return replace(scene, objects=rest, found={**scene.found, key: section}, account=account or scene.account)
