"""Validate what no CRD declares, as the API server does: metadata, and embedded objects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kitgen.crd.columns import METADATA
from kitgen.crd.validate.rules import FIELD_MISSING, FIELD_VALUE
from kitgen.crd.validate.values import missing, type_fault, unknown
from kitgen.findings import Path, Problem, problem
from kitgen.kube.names import NAME_INVALID, NameForm, is_qualified, wrong_names, wrong_pairs
from kitgen.text.formats import is_timestamp
from kitgen.text.values import entries_at, list_at, map_at, text_entries_at, value_at
from kitgen.text.wording import choice, shown
from kitgen.text.yaml import Json, JsonObject

TIME = "time"
ANY = None
OWNER = ("apiVersion", "kind", "name", "uid")
OWNER_FIELDS = {
    **dict.fromkeys(OWNER, "string"),
    **dict.fromkeys(("blockOwnerDeletion", "controller"), "boolean"),
}
MANAGED_FIELDS = {
    **dict.fromkeys(("apiVersion", "fieldsType", "manager", "operation", "subresource"), "string"),
    "fieldsV1": ANY,
    "time": TIME,
}
ANNOTATIONS_SIZE = 256 * 1024
VERSION = re.compile(r"([^/]*/)?[^/]+", re.DOTALL)
KIND = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
DELETIONS = ("orphan", "foregroundDeletion")


def metadata_faults(meta: Json, *, namespaced: bool | None) -> Iterator[Problem]:
    """Yield every fault of an object's metadata with its path inside it.

    `namespaced` is the scope of the kind; None is for an embedded object, which needs no name.
    """
    meta = {} if meta is None else meta
    if fault := type_fault({"type": "object"}, meta):
        yield fault
        return
    yield from _typed(meta, METADATA, ())
    embedded = namespaced is None
    form = NameForm.SEGMENT if embedded else NameForm.SUBDOMAIN
    yield from (
        wrong
        for wrong in wrong_names(meta, form, needed=not embedded)
        if wrong.path != ("namespace",) or namespaced is not False
    )
    if namespaced is False and (space := meta.get("namespace")):
        text = f"found the namespace {shown(space)}, which the API server drops: the kind is cluster-scoped"
        yield problem("namespace-dropped", text, ("namespace",), "remove it")
    # A server sets the generation of an object itself.
    if embedded and isinstance(count := meta.get("generation"), int | float) and count < 0:
        yield FIELD_VALUE(f"found {shown(count)}, expected at least 0", ("generation",))
    for name in ("labels", "annotations"):
        yield from wrong_pairs(meta.get(name), (name,), values=name == "labels")
        yield from (
            fault.below(name, key)
            for key, value in map_at(meta, name).items()
            if value is not None and (fault := type_fault({"type": "string"}, value))
        )
    for index, owner in enumerate(list_at(meta, "ownerReferences")):
        where: Path = ("ownerReferences", index)
        yield from _part(owner, OWNER_FIELDS, where)
        if owner is None or isinstance(owner, dict):
            yield from (missing(key).below(*where) for key in OWNER if value_at(owner, key) is None)
    for index, entry in enumerate(list_at(meta, "managedFields")):
        yield from _part(entry, MANAGED_FIELDS, ("managedFields", index))
    for index, name in enumerate(list_at(meta, "finalizers")):
        if wrong := type_fault({"type": "string"}, name):
            yield wrong.below("finalizers", index)
    yield from asked_faults(meta)


def asked_faults(meta: JsonObject) -> Iterator[Problem]:
    """Yield violations of what an API server requires of metadata beyond types, names and labels."""
    texts = [text for pair in map_at(meta, "annotations").items() for text in pair if isinstance(text, str)]
    if (size := sum(len(text.encode(errors="replace")) for text in texts)) > ANNOTATIONS_SIZE:
        yield FIELD_VALUE(f"found {size} bytes, expected at most {ANNOTATIONS_SIZE}", ("annotations",))
    owners = entries_at(meta, "ownerReferences")
    managing = [index for index, owner in owners if owner.get("controller") is True]
    for index in managing[1:]:
        yield FIELD_VALUE(
            f"found a second controller, item {managing[0]} is one, expected at most one",
            ("ownerReferences", index),
        )
    for index, owner in owners:
        faults = [*(missing(key) for key in OWNER if owner.get(key) == ""), *_owner_values(owner)]
        yield from (fault.below("ownerReferences", index) for fault in faults)
    finalizers = text_entries_at(meta, "finalizers")
    for index, name in finalizers:
        if not is_qualified(name):
            yield NAME_INVALID(
                f"found {shown(name)}, expected a name such as example.com/finalizer", ("finalizers", index)
            )
    if {*DELETIONS} <= {name for _, name in finalizers}:
        yield FIELD_VALUE(
            f"found {choice(list(DELETIONS), last='and')}, expected only one of them", ("finalizers",)
        )


def _typed(value: JsonObject, fields: Mapping[str, str | None], path: Path) -> Iterator[Problem]:
    for key, item in value.items():
        if key not in fields:
            yield unknown(key, sorted(fields)).below(*path, key)
        elif item is None:
            continue  # the API server reads null as not set here
        elif fault := type_fault({"type": "string" if fields[key] is TIME else fields[key]}, item):
            yield fault.below(*path, key)
        elif fields[key] is TIME and not is_timestamp(item):
            yield FIELD_VALUE(
                f"found {shown(item)}, expected a time such as 2024-01-31T12:00:00Z", (*path, key)
            )


def _part(value: Json, fields: Mapping[str, str | None], path: Path) -> Iterator[Problem]:
    """Yield what is wrong with an item of a list in metadata; null is an empty one."""
    if value is not None and (fault := type_fault({"type": "object"}, value)):
        yield fault.below(*path)
    else:
        yield from _typed(value or {}, fields, path)


def _owner_values(owner: JsonObject) -> Iterator[Problem]:
    if isinstance(version := owner.get("apiVersion"), str) and version and not VERSION.fullmatch(version):
        yield _wrong_version(version).below("apiVersion")
    if (version, owner.get("kind")) == ("v1", "Event"):
        yield FIELD_VALUE("found an Event, expected an owner of another kind")


def _wrong_version(text: str) -> Problem:
    return FIELD_VALUE(f"found {shown(text)}, expected an apiVersion such as v1 or apps/v1")


def embedded_faults(value: JsonObject) -> Iterator[Problem]:
    """Yield every fault of an embedded object with its path inside it; its other fields have a schema."""
    for key in ("apiVersion", "kind"):
        if (text := value.get(key)) is None or text == "":
            yield FIELD_MISSING(f"found no {key}, expected that of an object")
        elif fault := type_fault({"type": "string"}, text):
            yield fault.below(key)
        elif key == "apiVersion" and text.count("/") > 1:
            yield _wrong_version(text).below(key)
        elif key == "kind" and not KIND.fullmatch(text.lower()):
            expected = "at most 63 letters, digits and dashes, a letter first and no dash last"
            yield NAME_INVALID(f"found the kind {shown(text)}, expected {expected}", (key,))
    yield from (fault.below("metadata") for fault in metadata_faults(value.get("metadata"), namespaced=None))
