"""Compare the versions of a CRD, and what surrounds the schema of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.compare.change import Change, Risk
from kitgen.compare.crd_match import named_versions, stored_version
from kitgen.compare.crds.place import STORED, CrdCursor
from kitgen.crd.outline import version_rank, versions_of
from kitgen.text.wording import text_of
from kitgen.text.yaml import JsonObject

SUBRESOURCES = (
    ("status", "status-subresource-added", "status-subresource-removed"),
    ("scale", "scale-subresource-added", "scale-subresource-removed"),
)
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


def compare_versions(old: JsonObject, new: JsonObject, spot: CrdCursor) -> Iterator[Change]:
    """Yield the changes of which versions there are, are served and are stored."""
    before, after = named_versions(old), named_versions(new)
    stored = {str(name) for name in (old.get("status") or {}).get("storedVersions") or ()}
    stored |= {name for name, version in before.items() if version.get("storage")}
    for name in (name for name in before if name not in after):
        gone = spot.change("version-removed", f"{name} is gone", detail=name)
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
        yield spot.change("stored-version-removed", text, detail=name, hint=hint)
    warnings = Warnings(new)
    for name in (name for name in after if name not in before):
        warned = f", and deprecated: {text}" if (text := warnings.of(after[name])) else ""
        yield spot.change("version-added", f"{name} is new{warned}", detail=name)
    was, now = stored_version(old), stored_version(new)
    if same and was and now and was.get("name") != now.get("name"):
        yield spot.change("storage-moved", f"was {text_of(was.get('name'))}, now {text_of(now.get('name'))}")


def compare_version(old: Versioned, new: Versioned, spot: CrdCursor) -> Iterator[Change]:
    """Yield the changes of a version that both have, its schema aside."""
    (warned, before), (warns, after) = old, new
    clients = f"clients that use {text_of(after.get('name'))}"
    if before.get("served") and not after.get("served"):
        yield spot.change("version-unserved", "was served, now not", felt_by=clients)
    elif after.get("served") and not before.get("served"):
        yield spot.change("version-served", "was not served, now is", felt_by=clients)
    was, now = warned.of(before), warns.of(after)
    if now and was != now:
        text = f"the warning was: {was}, now: {now}" if was else f"now deprecated: {now}"
        yield spot.change("version-deprecated", text, felt_by=clients)
    elif was and not now:
        yield spot.change("version-undeprecated", f"no longer deprecated, was: {was}", felt_by=clients)
    yield from _subresources(before, after, spot)
    yield from _columns(before, after, spot)
    fields = (
        [text_of(f.get("jsonPath")) for f in each.get("selectableFields") or ()] for each in (before, after)
    )
    yield from spot.entries(("selectable-field-added", "selectable-field-removed"), *fields)


def _subresources(old: JsonObject, new: JsonObject, spot: CrdCursor) -> Iterator[Change]:
    before, after = old.get("subresources") or {}, new.get("subresources") or {}
    for name, added, removed in SUBRESOURCES:
        was, now = before.get(name), after.get(name)
        if (was is None) != (now is None):
            rule, text = (removed, "is gone") if now is None else (added, "is new")
            yield spot.change(rule, f"/{name} {text}")
    if was and now and was != now:
        keys = ", ".join(key for key in sorted(was.keys() | now.keys()) if was.get(key) != now.get(key))
        yield spot.change("scale-subresource-changed", f"changed: {keys}")


def _columns(old: JsonObject, new: JsonObject, spot: CrdCursor) -> Iterator[Change]:
    before, after = (
        {text_of(column.get("name")): column for column in version.get("additionalPrinterColumns") or ()}
        for version in (old, new)
    )
    yield from spot.entries(("column-added", "column-removed"), before, after, shown=repr)
    for name in (name for name in after if name in before):
        was, now = before[name], after[name]
        if keys := [key for key in COLUMN if (was.get(key) or 0) != (now.get(key) or 0)]:
            yield spot.change("column-changed", f"{name!r} changed: {', '.join(keys)}", detail=name)
    if [name for name in before if name in after] != [name for name in after if name in before]:
        yield spot.change("columns-reordered", "the order of the columns changed")
