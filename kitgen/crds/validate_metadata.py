"""Check the metadata of an object, which no CRD declares, as the API server does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.crds.validate_values import Fault, kind_of
from kitgen.findings import Path, near
from kitgen.wording import TYPES, shown
from kitgen.yamlio import Json

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
OWNER_FIELDS = frozenset({*OWNER, "blockOwnerDeletion", "controller"})
DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
DNS_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
LABEL_PART = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
SUBDOMAIN_HINT = "use lower case letters, digits, '-' and '.', at most 253 characters"
LABEL_HINT = "use lower case letters, digits and '-', at most 63 characters"
ANNOTATIONS_SIZE = 256 * 1024

Faults = Iterator[tuple[Path, Fault]]


def metadata_faults(meta: Json, *, namespaced: bool | None) -> Faults:
    """Yield every fault of an object's metadata with its path inside it.

    `namespaced` is the scope of the kind; None is for an embedded object, which needs no name.
    """
    if not isinstance(meta, dict):
        yield (), Fault("field-type", f"found {shown(meta)}, expected a mapping")
        return
    typed = {}
    for key, value in meta.items():
        if key not in FIELDS:
            yield (key,), Fault("unknown-field", f"unknown field {key!r}", near(key, list(FIELDS)))
        elif value is None:
            continue  # the API server reads null as not set here
        elif kind_of(value) != FIELDS[key]:
            yield (key,), Fault("field-type", f"found {shown(value)}, expected {TYPES[FIELDS[key]]}")
        else:
            typed[key] = value
    yield from _names(typed, namespaced)
    yield from _labels(typed.get("labels", {}))
    yield from _annotations(typed.get("annotations", {}))
    yield from _owners(typed.get("ownerReferences", []))
    for index, text in enumerate(typed.get("finalizers", [])):
        if not isinstance(text, str) or not _qualified(text):
            yield (
                ("finalizers", index),
                Fault("metadata-name", f"found {shown(text)}, expected a qualified name"),
            )


def _names(meta: dict[str, Json], namespaced: bool | None) -> Faults:
    name, stem, space = (meta.get(key, "") for key in ("name", "generateName", "namespace"))
    if namespaced is None:
        if name in (".", "..") or "/" in name or "%" in name:
            yield ("name",), Fault("object-name", f"found {shown(name)}, expected no '/' or '%'")
    else:
        if not name and not stem:
            yield (), Fault("object-name", "found no name, expected name or generateName")
        if name and (len(name) > 253 or not DNS_SUBDOMAIN.fullmatch(name)):
            yield ("name",), Fault("object-name", f"found {shown(name)}, expected a DNS name", SUBDOMAIN_HINT)
        if stem and not DNS_SUBDOMAIN.fullmatch(stem.rstrip("-.") or "-"):
            text = f"found {shown(stem)}, expected the start of a DNS name"
            yield ("generateName",), Fault("object-name", text, SUBDOMAIN_HINT)
    if space and namespaced is False:
        text = f"found the namespace {shown(space)}, expected none: the kind is cluster-scoped"
        yield ("namespace",), Fault("object-namespace", text, "remove it")
    elif space and (len(space) > 63 or not DNS_LABEL.fullmatch(space)):
        yield (
            ("namespace",),
            Fault("object-namespace", f"found {shown(space)}, expected a DNS label", LABEL_HINT),
        )


def _qualified(text: str) -> bool:
    prefix, slash, name = text.rpartition("/")
    if slash and (len(prefix) > 253 or not DNS_SUBDOMAIN.fullmatch(prefix.lower())):
        return False
    return len(name) <= 63 and LABEL_PART.fullmatch(name) is not None


def _labels(labels: dict[str, Json]) -> Faults:
    for key, value in labels.items():
        if not _qualified(key):
            yield (
                ("labels", key),
                Fault("metadata-name", f"found the label {shown(key)}, expected a qualified name"),
            )
        if value is not None and not isinstance(value, str):
            hint = "quote it" if not isinstance(value, dict | list) else ""
            yield ("labels", key), Fault("field-type", f"found {shown(value)}, expected a string", hint)
        elif value and (len(value) > 63 or not LABEL_PART.fullmatch(value)):
            text = f"found {shown(value)}, expected at most 63 letters, digits, '-', '_' and '.'"
            yield ("labels", key), Fault("metadata-label", text)


def _annotations(annotations: dict[str, Json]) -> Faults:
    size = 0
    for key, value in annotations.items():
        if not _qualified(key):
            text = f"found the annotation {shown(key)}, expected a qualified name"
            yield ("annotations", key), Fault("metadata-name", text)
        if isinstance(value, str):
            size += len(key.encode()) + len(value.encode())
        elif value is not None:
            hint = "quote it" if not isinstance(value, dict | list) else ""
            yield (
                ("annotations", key),
                Fault("field-type", f"found {shown(value)}, expected a string", hint),
            )
    if size > ANNOTATIONS_SIZE:
        yield (
            ("annotations",),
            Fault("field-bound", f"found {size} bytes, expected at most {ANNOTATIONS_SIZE}"),
        )


def _owners(owners: list[Json]) -> Faults:
    for index, owner in enumerate(owners):
        where: Path = ("ownerReferences", index)
        if not isinstance(owner, dict):
            yield where, Fault("field-type", f"found {shown(owner)}, expected a mapping")
            continue
        for key in sorted(owner.keys() - OWNER_FIELDS):
            yield (
                (*where, key),
                Fault("unknown-field", f"unknown field {key!r}", near(key, sorted(OWNER_FIELDS))),
            )
        for key in OWNER:
            if not owner.get(key):
                yield where, Fault("field-required", f"required field {key!r} is missing")
