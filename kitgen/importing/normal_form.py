"""Remove labels, namespace and kustomize's effects from the objects of a tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kitgen.findings import Path
from kitgen.importing.survey import UNLABELLED, TreeSurvey, list_label_fields
from kitgen.kit.crd_names import DeclaredResources
from kitgen.kit.model import LabelRule, LabelScope
from kitgen.kube.identity import ObjectId, is_namespaced
from kitgen.kube.manifest import existing_value
from kitgen.render.inverse import TreeObjects
from kitgen.render.kustomize.field_paths import apply_change, find_values
from kitgen.render.kustomize.namespace import CONVERSION, SERVICES
from kitgen.text.values import map_at
from kitgen.text.yaml import Json, JsonObject

CRD = "CustomResourceDefinition"


def build_tree_objects(
    objects: Sequence[JsonObject],
    found: TreeSurvey,
    resources: DeclaredResources,
    *,
    images: Mapping[str, str],
    config_type: JsonObject | None,
) -> TreeObjects:
    """Return what the inverses look at: everything but CRDs, and Namespaces that kustomize would rename."""
    named = ((ObjectId.of(body), body) for body in objects if body.get("kind") != CRD)
    some = [
        (at, body)
        for at, body in named
        if (at.group, at.kind) != ("", "Namespace") or found.namespace in ("", at.name)
    ]
    own_keys = _operator_label_keys(found)
    known: dict[ObjectId, JsonObject] = {}
    labelled: list[ObjectId] = []
    for (at, body), bare in zip(some, normalize_objects([body for _, body in some], found), strict=True):
        # What is in no namespace, of a kind that kustomize gives one, says so.
        nowhere = found.namespace and not at.namespace and is_namespaced(at.group, at.kind)
        meta = {**map_at(bare, "metadata"), **({"namespace": ""} if nowhere else {})}
        made = {**bare, "metadata": meta} if nowhere else bare
        known[ObjectId.of(made)] = made
        labelled += [ObjectId.of(made)] if own_keys & map_at(body, "metadata", "labels").keys() else []
    return TreeObjects(
        prefix=found.prefix,
        objects=known,
        everything=known,
        images=images,
        config_type=config_type,
        resources=resources,
        labelled=frozenset(labelled),
    )


def _operator_label_keys(found: TreeSurvey) -> set[str]:
    """Return the keys of labels that only the operator's own objects carry."""
    own, wide = (
        {key for rule in found.labels if rule.scope is scope for key in rule.pairs}
        for scope in (LabelScope.OPERATOR, LabelScope.ALL)
    )
    return own - wide


def normalize_objects(objects: Iterable[JsonObject], found: TreeSurvey) -> list[JsonObject]:
    """Return objects without what surrounds them."""
    known = list(objects)
    ids = list(map(ObjectId.of, known))
    accounts = {
        each.name for each in ids if each.kind == "ServiceAccount" and each.namespace == found.namespace
    }
    services = {each.name for each in ids if each.kind == "Service" and each.namespace == found.namespace}
    return [
        _remove_namespace(
            _remove_labels(_drop_ignored_fields(body), () if each in found.spared else found.labels),
            found.namespace,
            accounts,
            services,
        )
        for each, body in zip(ids, known, strict=True)
    ]


def _drop_ignored_fields(body: JsonObject) -> JsonObject:
    """Return an object without what a cluster cannot see."""
    rest = {key: value for key, value in body.items() if key != "status"}
    meta: Json = rest.get("metadata")
    if isinstance(meta, dict) and body.get("kind") == "SecurityContextConstraints":
        meta = {key: value for key, value in meta.items() if key != "namespace"}
    if isinstance(meta, dict):
        rest["metadata"] = {
            k: v for k, v in meta.items() if v not in (None, {}, []) and k != "creationTimestamp"
        }
    for path, each in find_values(rest, "spec/template/metadata"):
        if isinstance(each, dict) and each.get("creationTimestamp", "") is None:
            rest = _drop_keys(rest, path, {"creationTimestamp"})
    return rest


def _remove_labels(body: JsonObject, rules: Iterable[LabelRule]) -> JsonObject:
    for rule in rules:
        if rule.scope is LabelScope.OPERATOR and body.get("kind") in UNLABELLED:
            continue
        ways = ["metadata/labels"]
        ways += [
            spec.path for spec in list_label_fields(rule) if body.get("kind") in spec.kinds and spec.create
        ]
        for way in ways:
            for path, labels in find_values(body, way):
                if isinstance(labels, dict):
                    body = remove_keys(body, path, {k for k, v in rule.pairs.items() if labels.get(k) == v})
    return body


def remove_keys(body: JsonObject, path: Path, keys: set[str]) -> JsonObject:
    """Return an object without some keys of a mapping, and without mappings that are empty then."""
    body = _drop_keys(body, path, keys)
    for size in range(len(path), 1, -1):
        if existing_value(body, path[:size]) != {} or not isinstance(path[size - 1], str):
            break
        body = _drop_keys(body, path[: size - 1], {str(path[size - 1])})
    return body


def _drop_keys(body: JsonObject, path: Path, keys: set[str]) -> JsonObject:
    made: JsonObject = apply_change(
        body, path, lambda value: {k: v for k, v in value.items() if k not in keys}
    )
    return made


def _remove_namespace(body: JsonObject, namespace: str, accounts: set[str], services: set[str]) -> JsonObject:
    """Return an object without its namespace, and what it refers to without it, where kustomize sets it."""
    identity = ObjectId.of(body)
    ways: list[Path] = []
    if namespace and identity.namespace == namespace and is_namespaced(identity.group, identity.kind):
        ways.append(("metadata",))
    here = identity.namespace in ("", namespace)  # subjects of bindings elsewhere say where they are
    if identity.kind in ("RoleBinding", "ClusterRoleBinding") and here:
        ways += [
            path
            for path, each in find_values(body, "subjects[]")
            if _is_operator_account(each, accounts, namespace)
        ]
    if identity.kind in SERVICES:
        ways += [
            path
            for path, each in find_values(body, SERVICES[identity.kind])
            if _is_in_namespace(each, namespace) and str(each.get("name")) in services
        ]
    if identity.kind == "APIService":
        ways += [
            path for path, each in find_values(body, "spec/service") if _is_in_namespace(each, namespace)
        ]
    for path in ways:
        body = _drop_keys(body, path, {"namespace"})
    if identity.kind == CRD:
        for path, each in find_values(body, CONVERSION):
            if _is_in_namespace(each, namespace):
                body = apply_change(body, path, lambda value: {**value, "namespace": "system"})
    return body


def _is_in_namespace(value: Json, namespace: str) -> bool:
    return isinstance(value, dict) and bool(namespace) and value.get("namespace") == namespace


def _is_operator_account(subject: Json, accounts: set[str], namespace: str) -> bool:
    return (
        _is_in_namespace(subject, namespace)
        and subject.get("kind") == "ServiceAccount"
        and str(subject.get("name")) in {*accounts, "default"}
    )
