"""The metadata that an exported object keeps: its name, labels and annotations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Problem, make_problem
from kitgen.migrate.resources.kinds import Policies
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at, list_at, map_at
from kitgen.text.wording import quote_text
from kitgen.text.yaml import Json, JsonObject

NAME = compile_late(r"(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/)?[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?", re.ASCII)
"""A finalizer, as a server takes it."""
LONGEST = 317
NEW_OWNER = "once both are there, set it anew with the new UID"
SET_ANEW = "a controller that needs it sets it anew; the old object waits for the one that takes it off"
KEPT = ("name", "namespace", "labels", "annotations")
SERVER_SET = (
    *("uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp"),
    *("deletionGracePeriodSeconds", "managedFields", "selfLink"),
)
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""It holds the old object as a text."""
DROPPED = (LAST_APPLIED, "argocd.argoproj.io/tracking-id", "argocd.argoproj.io/installation-id")


def filter_metadata(meta: Json, keys: Policies, *, cluster_wide: bool = False) -> Json:
    """Return what goes along of the metadata of an object that moves, whose keys have their new names.

    An object of the cluster has no namespace.
    """
    if not isinstance(meta, dict):
        return meta
    names = KEPT if meta.get("name") else ("generateName", *KEPT)
    made = {key: meta[key] for key in meta if key in names and not (cluster_wide and key == "namespace")}
    if stays := [each for each in list_at(meta, "finalizers") if _is_declared_finalizer(each, keys)]:
        made["finalizers"] = stays
    return _remove_annotations(made)


def check_finalizers(meta: Json, keys: Policies) -> Iterator[Problem]:
    """Yield the finalizers that an object loses; what is no name of one is not shown."""
    for index, each in enumerate(list_at(meta, "finalizers")):
        if not _is_declared_finalizer(each, keys):
            named = isinstance(each, str) and len(each) <= LONGEST and NAME.fullmatch(each)
            what = f"the finalizer {quote_text(each)}" if named else "a finalizer that has no name of one"
            path = ("metadata", "finalizers", index)
            yield make_problem("migration-finalizer", f"found {what}, which is dropped", path, SET_ANEW)


def _is_declared_finalizer(name: Json, keys: Policies) -> bool:
    """Return whether a migration says what becomes of a finalizer, or has made it."""
    return isinstance(name, str) and (keys.find(name) is not None or keys.is_new_key(name))


def remove_server_fields(meta: Json) -> Json:
    """Return the metadata of another object that was changed, without what a server sets."""
    if not isinstance(meta, dict):
        return meta
    return _remove_annotations(
        {key: item for key, item in meta.items() if key not in SERVER_SET}, LAST_APPLIED
    )


def _remove_annotations(meta: JsonObject, *dropped: str) -> JsonObject:
    notes = map_at(meta, "annotations")
    if notes.keys().isdisjoint(dropped or DROPPED):
        return meta
    left = {key: item for key, item in notes.items() if key not in (dropped or DROPPED)}
    return {
        key: left if key == "annotations" else item
        for key, item in meta.items()
        if left or key != "annotations"
    }


def check_owners(meta: Json) -> Iterator[Problem]:
    """Yield the owners that an object loses."""
    for index, owner in enumerate(list_owner_references(meta)):
        named = "/".join(str(owner.get(key, "")) for key in ("kind", "name"))
        path = ("metadata", "ownerReferences", index)
        yield make_problem(
            "migration-owner",
            f"found the owner {quote_text(named)}, whose reference is dropped",
            path,
            NEW_OWNER,
        )


def list_owner_references(meta: Json) -> list[JsonObject]:
    """Return the references to owners that are mappings."""
    return [each for _, each in entries_at(meta, "ownerReferences")]
