"""Compare the versions of a CRD, and what surrounds the schema of each."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.crds.outline.text import version_rank, versions_of
from kitgen.diff.change import Change
from kitgen.diff.crds.spot import Spot
from kitgen.diff.risk import Risk
from kitgen.yamlio import JsonObject

COLUMN = ("type", "jsonPath", "format", "priority")


def version_names(body: JsonObject) -> dict[str, JsonObject]:
    """Return the versions of a CRD by their name."""
    return {str(version.get("name")): version for version in versions_of(body)}


def storage_of(body: JsonObject) -> JsonObject | None:
    """Return the version in which objects are stored."""
    return next((version for version in versions_of(body) if version.get("storage")), None)


def compare_versions(old: JsonObject, new: JsonObject, spot: Spot) -> Iterator[Change]:
    """Yield the changes of which versions there are, are served and are stored."""
    before, after = version_names(old), version_names(new)
    stored = {str(name) for name in (old.get("status") or {}).get("storedVersions") or ()}
    stored |= {name for name, version in before.items() if version.get("storage")}
    for name in (name for name in before if name not in after):
        gone = spot.change("version-removed", f"{name} is gone", detail=name)
        if before[name].get("served"):
            yield replace(gone, felt_by=f"clients that use {name}")
        else:
            reason = "nobody was served it, but objects may still be stored in it"
            yield replace(gone, risk=Risk.BEHAVIOUR, reason=reason, felt_by="stored objects")
    for name in sorted(stored - after.keys()):
        hint = "serve it until every object was written again and status.storedVersions no longer names it"
        text = f"{name} is gone, objects were stored in it"
        yield spot.change("stored-version-removed", text, detail=name, hint=hint)
    for name in (name for name in after if name not in before):
        warned = f", and deprecated: {text}" if (text := _warning(new, name)) else ""
        yield spot.change("version-added", f"{name} is new{warned}", detail=name)
    was, now = storage_of(old), storage_of(new)
    if was and now and was.get("name") != now.get("name"):
        yield spot.change("storage-moved", f"was {was.get('name')}, now {now.get('name')}")


def compare_version(old: JsonObject, new: JsonObject, spot: Spot) -> Iterator[Change]:
    """Yield the changes of one version, its schema aside."""
    clients = f"clients that use {new.get('name')}"
    if old.get("served") and not new.get("served"):
        yield spot.change("version-unserved", "was served, now not", felt_by=clients)
    elif new.get("served") and not old.get("served"):
        yield spot.change("version-served", "was not served, now is", felt_by=clients)
    yield from _subresources(old, new, spot)
    yield from _columns(old, new, spot)
    fields = ((str(f.get("jsonPath")) for f in each.get("selectableFields") or ()) for each in (old, new))
    yield from spot.entries("selectable-field", *fields)


def compare_deprecation(old: JsonObject, new: JsonObject, name: str, spot: Spot) -> Iterator[Change]:
    """Yield the change of the warning that clients of a version get."""
    before, after = _warning(old, name), _warning(new, name)
    clients = f"clients that use {name}"
    if after and before != after:
        text = f"the warning was: {before}, now: {after}" if before else f"now deprecated: {after}"
        yield spot.change("version-deprecated", text, felt_by=clients)
    elif before and not after:
        yield spot.change("version-undeprecated", f"no longer deprecated, was: {before}", felt_by=clients)


def _warning(body: JsonObject, name: str) -> str:
    """Return what the API server warns clients of a version with, its own words if none are given."""
    version = version_names(body).get(name) or {}
    if not version.get("deprecated"):
        return ""
    if text := version.get("deprecationWarning"):
        return str(text)
    group, kind = body["spec"].get("group"), (body["spec"].get("names") or {}).get("kind")
    better = [str(v.get("name")) for v in versions_of(body) if v.get("served") and not v.get("deprecated")]
    newer = [each for each in better if version_rank(each) < version_rank(name)]
    use = f"; use {group}/{newer[0]} {kind}" if newer else ""
    return f"{group}/{name} {kind} is deprecated{use}"


def _subresources(old: JsonObject, new: JsonObject, spot: Spot) -> Iterator[Change]:
    before, after = old.get("subresources") or {}, new.get("subresources") or {}
    for name in ("status", "scale"):
        was, now = before.get(name), after.get(name)
        if (was is None) != (now is None):
            state, text = ("removed", "is gone") if now is None else ("added", "is new")
            yield spot.change(f"{name}-subresource-{state}", f"/{name} {text}")
    if was and now and was != now:
        keys = ", ".join(key for key in sorted(was.keys() | now.keys()) if was.get(key) != now.get(key))
        yield spot.change("scale-subresource-changed", f"changed: {keys}")


def _columns(old: JsonObject, new: JsonObject, spot: Spot) -> Iterator[Change]:
    before, after = (
        {str(column.get("name")): column for column in version.get("additionalPrinterColumns") or ()}
        for version in (old, new)
    )
    yield from spot.entries("column", before, after, shown=repr)
    for name in (name for name in after if name in before):
        was, now = before[name], after[name]
        if keys := [key for key in COLUMN if (was.get(key) or 0) != (now.get(key) or 0)]:
            yield spot.change("column-changed", f"{name!r} changed: {', '.join(keys)}", detail=name)
    if [name for name in before if name in after] != [name for name in after if name in before]:
        yield spot.change("columns-reordered", "the order of the columns changed")
