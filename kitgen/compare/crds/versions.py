"""Compare the versions of a CRD, and what surrounds the schema of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.compare.change import Change, Risk, change_rule
from kitgen.compare.crds.place import STORED, CrdCursor
from kitgen.crd.definition import version_rank, versions_of
from kitgen.text.wording import text_of
from kitgen.text.yaml import JsonObject

VERSION_REMOVED = change_rule("version-removed")
VERSION_UNSERVED = change_rule("version-unserved")
VERSION_SERVED = change_rule("version-served")
VERSION_ADDED = change_rule("version-added")
VERSION_DEPRECATED = change_rule("version-deprecated")
VERSION_UNDEPRECATED = change_rule("version-undeprecated")
STORED_VERSION_REMOVED = change_rule("stored-version-removed")
STORAGE_MOVED = change_rule("storage-moved")
STATUS_REMOVED = change_rule("status-subresource-removed")
STATUS_ADDED = change_rule("status-subresource-added")
SCALE_REMOVED = change_rule("scale-subresource-removed")
SCALE_CHANGED = change_rule("scale-subresource-changed")
SCALE_ADDED = change_rule("scale-subresource-added")
COLUMN_REMOVED = change_rule("column-removed")
COLUMN_CHANGED = change_rule("column-changed")
COLUMN_ADDED = change_rule("column-added")
COLUMNS_REORDERED = change_rule("columns-reordered")
SELECTABLE_FIELD_REMOVED = change_rule("selectable-field-removed")
SELECTABLE_FIELD_ADDED = change_rule("selectable-field-added")

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


def compare_versions(old: JsonObject, new: JsonObject, spot: CrdCursor) -> Iterator[Change]:
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


def compare_version(old: Versioned, new: Versioned, spot: CrdCursor) -> Iterator[Change]:
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


def _subresources(old: JsonObject, new: JsonObject, spot: CrdCursor) -> Iterator[Change]:
    before, after = old.get("subresources") or {}, new.get("subresources") or {}
    for name, added, removed in SUBRESOURCES:
        was, now = before.get(name), after.get(name)
        if (was is None) != (now is None):
            rule, text = (removed, "is gone") if now is None else (added, "is new")
            yield spot.change(rule, f"/{name} {text}")
    if was and now and was != now:
        keys = ", ".join(key for key in sorted(was.keys() | now.keys()) if was.get(key) != now.get(key))
        yield spot.change(SCALE_CHANGED, f"changed: {keys}")


def _columns(old: JsonObject, new: JsonObject, spot: CrdCursor) -> Iterator[Change]:
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
