"""Bindings of a real tree, and accounts as specs name them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from kitgen.kube.identity import RBAC, ObjectId
from kitgen.render.families.role_binding import DEFAULT, OPERATOR, WORDS
from kitgen.render.inverse import TreeObjects
from kitgen.render.real_objects import are_texts, bare, is_made
from kitgen.text.yaml import Json, JsonObject

DNS = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
VERSION = f"{RBAC}/v1"


class Bound(Struct, frozen=True):
    """A binding that has nothing but a role, subjects and labels."""

    id: ObjectId
    name: str
    """Without the prefix."""
    namespaced: bool
    role: tuple[str, str]
    """Its kind, and its name in full."""
    subjects: tuple[JsonObject, ...]
    labels: JsonObject


def bound(scene: TreeObjects) -> Iterator[Bound]:
    """Yield the bindings that families could have made, in order."""
    for at, given in scene.objects.items():
        if at.group != RBAC or at.kind not in ("RoleBinding", "ClusterRoleBinding"):
            continue
        body = bare(given)
        labels = body["metadata"].get("labels", {})
        if not is_made(body, VERSION, at.kind, ("roleRef", "subjects"), ("labels",)) or not are_texts(labels):
            continue
        name, role, subjects = (
            scene.short(body["metadata"]["name"]),
            body.get("roleRef"),
            body.get("subjects"),
        )
        if not name or not isinstance(role, dict) or not isinstance(subjects, list):
            continue
        if _is_reference(role) and subjects and all(isinstance(each, dict) for each in subjects):
            to = role["kind"], role["name"]
            yield Bound(at, name, at.kind == "RoleBinding", to, tuple(subjects), labels)


def _is_reference(role: JsonObject) -> bool:
    return (
        role.keys() == {"apiGroup", "kind", "name"}
        and role["apiGroup"] == RBAC
        and role["kind"] in ("Role", "ClusterRole")
        and isinstance(role["name"], str)
    )


def account(scene: TreeObjects, subject: JsonObject) -> Json:
    """Return how specs call an account that a binding names; None if they cannot."""
    name, namespace = subject.get("name"), subject.get("namespace")
    if subject.get("kind") != "ServiceAccount" or not isinstance(name, str):
        return None
    if subject.keys() == {"kind", "name", "namespace"}:
        fine = isinstance(namespace, str) and DNS.fullmatch(namespace) and DNS.fullmatch(name)
        # kustomize takes a `default` of any namespace for the component's own
        return {"name": name, "namespace": namespace} if fine and name != DEFAULT else None
    if subject.keys() != {"kind", "name"}:
        return None
    if name in (scene.account, DEFAULT):
        return OPERATOR if name == scene.account else DEFAULT
    others = scene.found.get("serviceAccounts")
    short = scene.short(name)
    known = isinstance(others, dict) and short in others
    return short if known and short not in WORDS else None


def as_text(given: Json) -> Json:
    """Write an account as one value: one of another namespace as `namespace/name`."""
    if isinstance(given, dict):
        return f"{given.get('namespace')}/{given.get('name')}"
    return given


def as_words(text: Json) -> Json:
    """Return an account as specs write it."""
    namespace, slash, name = str(text).partition("/")
    return {"name": name, "namespace": namespace} if slash else text
