"""What of an exported object's metadata goes along: its name and what people said of it."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Chapter, Problem, Rule, Severity
from kitgen.schema.wording import cut
from kitgen.yamlio import Json, JsonObject

MIGRATION_OWNER = Rule(
    id="migration-owner",
    chapter=Chapter.MIGRATION,
    checks=(
        "An object that moves has no owner. The reference names a UID that will not be there, and is dropped."
    ),
    fix="Set the reference anew, with the UID that the owner has then, or clean up by other means.",
    severity=Severity.WARNING,
)

KEPT = ("name", "namespace", "labels", "annotations")
SERVER_SET = (
    *("uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp"),
    *("deletionGracePeriodSeconds", "managedFields", "selfLink"),
)
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""It holds the old object as a text."""
DROPPED = (LAST_APPLIED, "argocd.argoproj.io/tracking-id", "argocd.argoproj.io/installation-id")


def kept(meta: Json) -> Json:
    """Return what goes along of the metadata of an object that moves."""
    if not isinstance(meta, dict):
        return meta
    names = KEPT if meta.get("name") else ("generateName", *KEPT)
    return _annotated({key: meta[key] for key in meta if key in names})


def freed(meta: Json) -> Json:
    """Return the metadata of another object that was changed, without what a server sets."""
    if not isinstance(meta, dict):
        return meta
    return _annotated({key: item for key, item in meta.items() if key not in SERVER_SET}, LAST_APPLIED)


def _annotated(meta: JsonObject, *dropped: str) -> JsonObject:
    notes = meta.get("annotations")
    if not isinstance(notes, dict) or notes.keys().isdisjoint(dropped or DROPPED):
        return meta
    left = {key: item for key, item in notes.items() if key not in (dropped or DROPPED)}
    return {
        key: left if key == "annotations" else item
        for key, item in meta.items()
        if left or key != "annotations"
    }


def owners(meta: Json) -> Iterator[Problem]:
    """Yield the owners that an object loses."""
    for index, owner in enumerate(references(meta)):
        named = "/".join(str(owner.get(key, "")) for key in ("kind", "name"))
        message = f"found the owner {cut(named)}, whose reference is dropped"
        hint = "once both are there, set it anew with the new UID"
        yield MIGRATION_OWNER(message, ("metadata", "ownerReferences", index), hint)


def references(meta: Json) -> list[JsonObject]:
    """Return the references to owners that are mappings."""
    found = meta.get("ownerReferences") if isinstance(meta, dict) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
