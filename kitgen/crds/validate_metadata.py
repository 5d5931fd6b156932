"""Check the metadata of an object, which no CRD declares, as the API server does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from kitgen.crds.validate_values import Fault, missing, type_fault, unknown
from kitgen.findings import Path
from kitgen.objects import Form, is_qualified, wrong_names, wrong_pairs
from kitgen.wording import shown
from kitgen.yamlio import Json, JsonObject

FIELDS = {
    "annotations": "object",
    "creationTimestamp": "string",
    "deletionGracePeriodSeconds": "integer",
    "deletionTimestamp": "string",
    "finalizers": "array",
    "generateName": "string",
    "generation": "integer",
    "labels": "object",
    "managedFields": "array",
    "name": "string",
    "namespace": "string",
    "ownerReferences": "array",
    "resourceVersion": "string",
    "selfLink": "string",
    "uid": "string",
}
OWNER = ("apiVersion", "kind", "name", "uid")
OWNER_FIELDS = {
    **dict.fromkeys(OWNER, "string"),
    **dict.fromkeys(("blockOwnerDeletion", "controller"), "boolean"),
}
ANNOTATIONS_SIZE = 256 * 1024

Faults: TypeAlias = Iterator[tuple[Path, Fault]]


def metadata_faults(meta: Json, *, namespaced: bool | None) -> Faults:
    """Yield every fault of an object's metadata with its path inside it.

    `namespaced` is the scope of the kind; None is for an embedded object, which needs no name.
    """
    if fault := type_fault({"type": "object"}, meta):
        yield (), fault
        return
    yield from _typed(meta, FIELDS, ())
    embedded = namespaced is None
    for path, message in wrong_names(meta, Form.SEGMENT if embedded else Form.SUBDOMAIN, needed=not embedded):
        yield path, Fault("name-invalid", message)
    if namespaced is False and (space := meta.get("namespace")):
        text = f"found the namespace {shown(space)}, expected none: the kind is cluster-scoped"
        yield ("namespace",), Fault("name-invalid", text, "remove it")
    yield from _pairs(meta)
    yield from _owners(_list(meta, "ownerReferences"))
    for index, text in enumerate(_list(meta, "finalizers")):
        if wrong := type_fault({"type": "string"}, text):
            yield ("finalizers", index), wrong
        elif not is_qualified(text):
            message = f"found {shown(text)}, expected a name such as example.com/finalizer"
            yield ("finalizers", index), Fault("name-invalid", message)


def _typed(value: JsonObject, fields: dict[str, str], path: Path) -> Faults:
    for key, item in value.items():
        if key not in fields:
            yield (*path, key), unknown(key, list(fields))
        # The API server reads null as not set here.
        elif item is not None and (fault := type_fault({"type": fields[key]}, item)):
            yield (*path, key), fault


def _list(meta: JsonObject, key: str) -> list[Json]:
    value = meta.get(key)
    return value if isinstance(value, list) else []


def _pairs(meta: JsonObject) -> Faults:
    for name in ("labels", "annotations"):
        pairs = meta.get(name)
        for path, message in wrong_pairs(pairs, (name,), values=name == "labels"):
            yield path, Fault("label-invalid", message)
        for key, value in pairs.items() if isinstance(pairs, dict) else ():
            if value is not None and (fault := type_fault({"type": "string"}, value)):
                yield (name, key), fault
    annotations = meta.get("annotations")
    if isinstance(annotations, dict):
        texts = [text for pair in annotations.items() for text in pair if isinstance(text, str)]
        size = sum(len(text.encode()) for text in texts)
        if size > ANNOTATIONS_SIZE:
            message = f"found {size} bytes, expected at most {ANNOTATIONS_SIZE}"
            yield ("annotations",), Fault("field-value", message)


def _owners(owners: list[Json]) -> Faults:
    for index, owner in enumerate(owners):
        where: Path = ("ownerReferences", index)
        if fault := type_fault({"type": "object"}, owner):
            yield where, fault
            continue
        yield from _typed(owner, OWNER_FIELDS, where)
        for key in OWNER:
            if not owner.get(key):
                yield where, missing(key)
