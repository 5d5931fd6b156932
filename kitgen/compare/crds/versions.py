"""Compare the versions of a CRD, and what surrounds the schema of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.compare.change import Change, Risk, behaviour, breaking, cosmetic
from kitgen.compare.crds.place import OPERATOR, STORED, Spot
from kitgen.crd.outline import version_rank, versions_of
from kitgen.text.wording import text_of
from kitgen.text.yaml import JsonObject

CLIENTS = "clients that use the version"
SCREENS = "people and scripts that read kubectl get"
SCALERS = "autoscalers and kubectl scale"
VERSION_REMOVED = breaking("version-removed", "requests for the version are not found", CLIENTS)
VERSION_UNSERVED = breaking("version-unserved", "requests for the version are not found", CLIENTS)
VERSION_SERVED = cosmetic("version-served", "the version can be used again", CLIENTS)
VERSION_ADDED = cosmetic("version-added", "a new version can be used", "nobody yet")
VERSION_DEPRECATED = cosmetic("version-deprecated", "clients get a warning", CLIENTS)
VERSION_UNDEPRECATED = cosmetic("version-undeprecated", "clients get no warning any more", CLIENTS)
STORED_VERSION_REMOVED = breaking(
    "stored-version-removed",
    "the API server refuses it while status.storedVersions names the version",
    STORED,
)
STORAGE_MOVED = behaviour(
    "storage-moved", "objects stay in the old version until each is written again; migrate them", STORED
)
STATUS_REMOVED = breaking(
    "status-subresource-removed", "writes to /status are not found, and users can write the status", OPERATOR
)
STATUS_ADDED = behaviour(
    "status-subresource-added",
    "writes to the object no longer change its status, only those to /status do",
    OPERATOR,
)
SCALE_REMOVED = breaking("scale-subresource-removed", "/scale is not found", SCALERS)
SCALE_CHANGED = behaviour("scale-subresource-changed", "/scale reads or writes other fields", SCALERS)
SCALE_ADDED = cosmetic("scale-subresource-added", "/scale can be used", SCALERS)
COLUMN_REMOVED = behaviour("column-removed", "kubectl get no longer shows it", SCREENS)
COLUMN_CHANGED = behaviour("column-changed", "kubectl get shows something else in it", SCREENS)
COLUMN_ADDED = cosmetic("column-added", "kubectl get shows one more column", SCREENS)
COLUMNS_REORDERED = cosmetic("columns-reordered", "kubectl get shows another order", SCREENS)
SELECTABLE_FIELD_REMOVED = breaking(
    "selectable-field-removed", "field selectors with it are refused", "clients that select by it"
)
SELECTABLE_FIELD_ADDED = cosmetic("selectable-field-added", "field selectors may use it", "nobody yet")

SUBRESOURCES = (("status", STATUS_ADDED, STATUS_REMOVED), ("scale", SCALE_ADDED, SCALE_REMOVED))
COLUMN = ("type", "jsonPath", "format", "priority")


class Warnings:
    """Tells what the API server warns clients of versions of a CRD with."""

    def __init__(self, body: JsonObject) -> None:
        """Find the version that it advises, once for all that are deprecated."""
        names = body["spec"].get("names") or {}
        self._group, self._kind = body["spec"].get("group"), names.get("kind")
        served = (each for each in versions_of(body) if each.get("served") and not each.get("deprecated"))
        self._best = next((text_of(each.get("name")) for each in served), None)

    def of(self, version: JsonObject) -> str:
        """Return the warning, the server's own words if none are given; empty if there is none."""
        if not version.get("deprecated"):
            return ""
        if text := version.get("deprecationWarning"):
            return str(text)
        name, best = text_of(version.get("name")), self._best
        newer = best is not None and version_rank(best) < version_rank(name)
        use = f"; use {self._group}/{best} {self._kind}" if newer else ""
        return f"{self._group}/{name} {self._kind} is deprecated{use}"


Versioned: TypeAlias = tuple[Warnings, JsonObject]
"""The warnings of a CRD, and one of its versions."""


def version_names(body: JsonObject) -> dict[str, JsonObject]:
    """Return the versions of a CRD by their name."""
    return {text_of(version.get("name")): version for version in versions_of(body)}


def storage_of(body: JsonObject) -> JsonObject | None:
    """Return the version in which objects are stored."""
    return next((version for version in versions_of(body) if version.get("storage")), None)


def compare_versions(old: JsonObject, new: JsonObject, spot: Spot) -> Iterator[Change]:
    """Yield the changes of which versions there are, are served and are stored."""
    before, after = version_names(old), version_names(new)
    stored = {str(name) for name in (old.get("status") or {}).get("storedVersions") or ()}
    stored |= {name for name, version in before.items() if version.get("storage")}
    for name in (name for name in before if name not in after):
        gone = spot.change(VERSION_REMOVED, f"{name} is gone", detail=name)
        if before[name].get("served"):
            yield replace(gone, felt_by=f"clients that use {name}")
        else:
            reason = "nobody was served it, but objects may still be stored in it"
            yield replace(gone, risk=Risk.BEHAVIOUR, reason=reason, felt_by=STORED)
    # What becomes of stored objects is a matter of one CRD: those of another group are stored elsewhere.
    same = old["spec"].get("group") == new["spec"].get("group")
    for name in sorted(stored - after.keys()) if same else ():
        hint = "serve it until every object was written again and status.storedVersions no longer names it"
        text = f"{name} is gone, objects were stored in it"
        yield spot.change(STORED_VERSION_REMOVED, text, detail=name, hint=hint)
    warnings = Warnings(new)
    for name in (name for name in after if name not in before):
        warned = f", and deprecated: {text}" if (text := warnings.of(after[name])) else ""
        yield spot.change(VERSION_ADDED, f"{name} is new{warned}", detail=name)
    was, now = storage_of(old), storage_of(new)
    if same and was and now and was.get("name") != now.get("name"):
        yield spot.change(STORAGE_MOVED, f"was {text_of(was.get('name'))}, now {text_of(now.get('name'))}")


def compare_version(old: Versioned, new: Versioned, spot: Spot) -> Iterator[Change]:
    """Yield the changes of a version that both have, its schema aside."""
    (warned, before), (warns, after) = old, new
    clients = f"clients that use {text_of(after.get('name'))}"
    if before.get("served") and not after.get("served"):
        yield spot.change(VERSION_UNSERVED, "was served, now not", felt_by=clients)
    elif after.get("served") and not before.get("served"):
        yield spot.change(VERSION_SERVED, "was not served, now is", felt_by=clients)
    was, now = warned.of(before), warns.of(after)
    if now and was != now:
        text = f"the warning was: {was}, now: {now}" if was else f"now deprecated: {now}"
        yield spot.change(VERSION_DEPRECATED, text, felt_by=clients)
    elif was and not now:
        yield spot.change(VERSION_UNDEPRECATED, f"no longer deprecated, was: {was}", felt_by=clients)
    yield from _subresources(before, after, spot)
    yield from _columns(before, after, spot)
    fields = (
        [text_of(f.get("jsonPath")) for f in each.get("selectableFields") or ()] for each in (before, after)
    )
    yield from spot.entries((SELECTABLE_FIELD_ADDED, SELECTABLE_FIELD_REMOVED), *fields)


def _subresources(old: JsonObject, new: JsonObject, spot: Spot) -> Iterator[Change]:
    before, after = old.get("subresources") or {}, new.get("subresources") or {}
    for name, added, removed in SUBRESOURCES:
        was, now = before.get(name), after.get(name)
        if (was is None) != (now is None):
            rule, text = (removed, "is gone") if now is None else (added, "is new")
            yield spot.change(rule, f"/{name} {text}")
    if was and now and was != now:
        keys = ", ".join(key for key in sorted(was.keys() | now.keys()) if was.get(key) != now.get(key))
        yield spot.change(SCALE_CHANGED, f"changed: {keys}")


def _columns(old: JsonObject, new: JsonObject, spot: Spot) -> Iterator[Change]:
    before, after = (
        {text_of(column.get("name")): column for column in version.get("additionalPrinterColumns") or ()}
        for version in (old, new)
    )
    yield from spot.entries((COLUMN_ADDED, COLUMN_REMOVED), before, after, shown=repr)
    for name in (name for name in after if name in before):
        was, now = before[name], after[name]
        if keys := [key for key in COLUMN if (was.get(key) or 0) != (now.get(key) or 0)]:
            yield spot.change(COLUMN_CHANGED, f"{name!r} changed: {', '.join(keys)}", detail=name)
    if [name for name in before if name in after] != [name for name in after if name in before]:
        yield spot.change(COLUMNS_REORDERED, "the order of the columns changed")
