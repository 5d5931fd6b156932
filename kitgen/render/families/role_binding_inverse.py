"""Bindings of a real tree, with accounts as specs name them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from kitgen.kube.identity import RBAC, ObjectId
from kitgen.render.families.role_binding import DEFAULT, OPERATOR, WORDS
from kitgen.render.inverse import TreeObjects
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at, map_at, text_at
from kitgen.text.yaml import Json, JsonObject

DNS = compile_late(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
VERSION = f"{RBAC}/v1"
BINDINGS = {"RoleBinding", "ClusterRoleBinding"}


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


def find_role_bindings(scene: TreeObjects) -> Iterator[Bound]:
    """Yield the bindings that families could have made, in order."""
    for at, name, body in scene.find_family_objects(VERSION, BINDINGS, ("roleRef", "subjects"), ("labels",)):
        subjects = tuple(each for _, each in entries_at(body, "subjects"))
        match body.get("roleRef"):
            case {"apiGroup": group, "kind": "Role" | "ClusterRole" as kind, "name": str(role), **rest}:
                if group == RBAC and not rest and subjects and len(subjects) == len(body["subjects"]):
                    labels = map_at(body, "metadata", "labels")
                    yield Bound(at, name, at.kind == "RoleBinding", (kind, role), subjects, labels)


def to_spec_account(scene: TreeObjects, subject: JsonObject) -> Json:
    """Return how specs call an account that a binding names; None if they cannot."""
    name, namespace = text_at(subject, "name"), text_at(subject, "namespace")
    if subject.get("kind") != "ServiceAccount" or not name:
        return None
    if subject.keys() == {"kind", "name", "namespace"}:
        # kustomize takes a `default` of any namespace for the component's own
        fine = DNS.fullmatch(namespace) and DNS.fullmatch(name) and name != DEFAULT
        return {"name": name, "namespace": namespace} if fine else None
    if subject.keys() != {"kind", "name"}:
        return None
    if name in (scene.account, DEFAULT):
        return OPERATOR if name == scene.account else DEFAULT
    short = scene.strip_prefix(name)
    return short if short in map_at(scene.found, "serviceAccounts") and short not in WORDS else None


def format_account(given: Json) -> Json:
    """Write an account as one value: one of another namespace as `namespace/name`."""
    return f"{given.get('namespace')}/{given.get('name')}" if isinstance(given, dict) else given


def parse_account(text: Json) -> Json:
    """Return an account as specs write it."""
    namespace, slash, name = str(text).partition("/")
    return {"name": name, "namespace": namespace} if slash else text
