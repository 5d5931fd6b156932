"""Validate what no CRD declares, as the API server does: metadata, and embedded objects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kitgen.crd.columns import METADATA
from kitgen.crd.validate.rules import FIELD_MISSING, FIELD_VALUE
from kitgen.crd.validate.values import check_type, report_missing_field, report_unknown_field
from kitgen.findings import Path, Problem, make_problem
from kitgen.kube.names import NAME_INVALID, NameForm, check_labels, check_names, is_qualified_name
from kitgen.text.formats import is_timestamp
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at, list_at, map_at, text_entries_at, value_at
from kitgen.text.wording import describe_value, join_words
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
VERSION = compile_late(r"([^/]*/)?[^/]+", re.DOTALL)
KIND = compile_late(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
DELETIONS = ("orphan", "foregroundDeletion")


def check_metadata(meta: Json, *, namespaced: bool | None) -> Iterator[Problem]:
    """Yield every fault of an object's metadata with its path inside it.

    `namespaced` is the scope of the kind; None is for an embedded object, which needs no name.
    """
    meta = {} if meta is None else meta
    if fault := check_type({"type": "object"}, meta):
        yield fault
        return
    yield from _check_field_types(meta, METADATA, ())
    embedded = namespaced is None
    form = NameForm.SEGMENT if embedded else NameForm.SUBDOMAIN
    yield from (
        wrong
        for wrong in check_names(meta, form, needed=not embedded)
        if wrong.path != ("namespace",) or namespaced is not False
    )
    if namespaced is False and (space := meta.get("namespace")):
        text = (
            f"found the namespace {describe_value(space)}, which the API server drops: the kind is "
            "cluster-scoped"
        )
        yield make_problem("namespace-dropped", text, ("namespace",), "remove it")
    # A server sets the generation of an object itself.
    if embedded and isinstance(count := meta.get("generation"), int | float) and count < 0:
        yield FIELD_VALUE(f"found {describe_value(count)}, expected at least 0", ("generation",))
    for name in ("labels", "annotations"):
        yield from check_labels(meta.get(name), (name,), values=name == "labels")
        yield from (
            fault.prefix_path(name, key)
            for key, value in map_at(meta, name).items()
            if value is not None and (fault := check_type({"type": "string"}, value))
        )
    for index, owner in enumerate(list_at(meta, "ownerReferences")):
        where: Path = ("ownerReferences", index)
        yield from _check_list_item(owner, OWNER_FIELDS, where)
        if owner is None or isinstance(owner, dict):
            yield from (
                report_missing_field(key).prefix_path(*where) for key in OWNER if value_at(owner, key) is None
            )
    for index, entry in enumerate(list_at(meta, "managedFields")):
        yield from _check_list_item(entry, MANAGED_FIELDS, ("managedFields", index))
    for index, name in enumerate(list_at(meta, "finalizers")):
        if wrong := check_type({"type": "string"}, name):
            yield wrong.prefix_path("finalizers", index)
    yield from check_metadata_rules(meta)


def check_metadata_rules(meta: JsonObject) -> Iterator[Problem]:
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
        faults = [*(report_missing_field(key) for key in OWNER if owner.get(key) == ""), *_check_owner(owner)]
        yield from (fault.prefix_path("ownerReferences", index) for fault in faults)
    finalizers = text_entries_at(meta, "finalizers")
    for index, name in finalizers:
        if not is_qualified_name(name):
            yield NAME_INVALID(
                f"found {describe_value(name)}, expected a name such as example.com/finalizer",
                ("finalizers", index),
            )
    if {*DELETIONS} <= {name for _, name in finalizers}:
        yield FIELD_VALUE(
            f"found {join_words(list(DELETIONS), last='and')}, expected only one of them", ("finalizers",)
        )


def _check_field_types(value: JsonObject, fields: Mapping[str, str | None], path: Path) -> Iterator[Problem]:
    for key, item in value.items():
        if key not in fields:
            yield report_unknown_field(key, sorted(fields)).prefix_path(*path, key)
        elif item is None:
            continue  # the API server reads null as not set here
        elif fault := check_type({"type": "string" if fields[key] is TIME else fields[key]}, item):
            yield fault.prefix_path(*path, key)
        elif fields[key] is TIME and not is_timestamp(item):
            yield FIELD_VALUE(
                f"found {describe_value(item)}, expected a time such as 2024-01-31T12:00:00Z", (*path, key)
            )


def _check_list_item(value: Json, fields: Mapping[str, str | None], path: Path) -> Iterator[Problem]:
    """Yield what is wrong with an item of a list in metadata; null is an empty one."""
    if value is not None and (fault := check_type({"type": "object"}, value)):
        yield fault.prefix_path(*path)
    else:
        yield from _check_field_types(value or {}, fields, path)


def _check_owner(owner: JsonObject) -> Iterator[Problem]:
    if isinstance(version := owner.get("apiVersion"), str) and version and not VERSION.fullmatch(version):
        yield _report_api_version(version).prefix_path("apiVersion")
    if (version, owner.get("kind")) == ("v1", "Event"):
        yield FIELD_VALUE("found an Event, expected an owner of another kind")


def _report_api_version(text: str) -> Problem:
    return FIELD_VALUE(f"found {describe_value(text)}, expected an apiVersion such as v1 or apps/v1")


def check_embedded_object(value: JsonObject) -> Iterator[Problem]:
    """Yield every fault of an embedded object with its path inside it; its other fields have a schema."""
    for key in ("apiVersion", "kind"):
        if (text := value.get(key)) is None or text == "":
            yield FIELD_MISSING(f"found no {key}, expected that of an object")
        elif fault := check_type({"type": "string"}, text):
            yield fault.prefix_path(key)
        elif key == "apiVersion" and text.count("/") > 1:
            yield _report_api_version(text).prefix_path(key)
        elif key == "kind" and not KIND.fullmatch(text.lower()):
            expected = "at most 63 letters, digits and dashes, a letter first and no dash last"
            yield NAME_INVALID(f"found the kind {describe_value(text)}, expected {expected}", (key,))
    yield from (
        fault.prefix_path("metadata") for fault in check_metadata(value.get("metadata"), namespaced=None)
    )
