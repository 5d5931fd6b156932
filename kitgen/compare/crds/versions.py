"""Compare the versions of a CRD, and what surrounds the schema of each."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compare.change import Change, Risk
from kitgen.compare.crd_match import stored_version, versions_by_name
from kitgen.compare.crds.place import STORED, CrdCursor
from kitgen.crd.definition import version_rank, versions_of
from kitgen.text.values import value_at
from kitgen.text.wording import text_of
from kitgen.text.yaml import JsonObject

SUBRESOURCES = (
    ("status", "status-subresource-added", "status-subresource-removed"),
    ("scale", "scale-subresource-added", "scale-subresource-removed"),
)
COLUMN = ("type", "jsonPath", "format", "priority")


def warnings_of(body: JsonObject) -> dict[str, str]:
    """Return what the API server warns clients of each version of a CRD with; nothing if it does not."""
    group, kind = value_at(body, "spec", "group"), value_at(body, "spec", "names", "kind")
    served = (each for each in versions_of(body) if each.get("served") and not each.get("deprecated"))
    best = next((text_of(each.get("name")) for each in served), None)
    found = {}
    for name, version in versions_by_name(body).items():
        newer = best is not None and version_rank(best) < version_rank(name)
        own = f"{group}/{name} {kind} is deprecated" + (f"; use {group}/{best} {kind}" if newer else "")
        found[name] = str(version.get("deprecationWarning") or own) if version.get("deprecated") else ""
    return found


def compare_versions(old: JsonObject, new: JsonObject, spot: CrdCursor) -> Iterator[Change]:
    """Yield the changes of which versions there are, are served and are stored."""
    before, after = versions_by_name(old), versions_by_name(new)
    stored = {str(name) for name in (old.get("status") or {}).get("storedVersions") or ()}
    stored |= {name for name, version in before.items() if version.get("storage")}
    for name in (name for name in before if name not in after):
        served = bool(before[name].get("served"))
        yield spot.build_change(
            "version-removed",
            f"{name} is gone",
            detail=name,
            risk=None if served else Risk.BEHAVIOUR,
            reason="" if served else "nobody was served it, but objects may still be stored in it",
            felt_by=f"clients that use {name}" if served else STORED,
        )
    # What becomes of stored objects is a matter of one CRD: those of another group are stored elsewhere.
    same = old["spec"].get("group") == new["spec"].get("group")
    for name in sorted(stored - after.keys()) if same else ():
        yield spot.build_change(
            "stored-version-removed",
            f"{name} is gone, objects were stored in it",
            detail=name,
            hint="serve it until every object was written again and status.storedVersions no longer names it",
        )
    warnings = warnings_of(new)
    for name in (name for name in after if name not in before):
        warned = f", and deprecated: {warnings[name]}" if warnings[name] else ""
        yield spot.build_change("version-added", f"{name} is new{warned}", detail=name)
    was, now = stored_version(old), stored_version(new)
    if same and was and now and was.get("name") != now.get("name"):
        yield spot.build_change(
            "storage-moved", f"was {text_of(was.get('name'))}, now {text_of(now.get('name'))}"
        )


def compare_version(
    old: JsonObject, new: JsonObject, warnings: tuple[str, str], spot: CrdCursor
) -> Iterator[Change]:
    """Yield the changes of a version that both have, its schema aside; `warnings` are those of the server."""
    clients = f"clients that use {text_of(new.get('name'))}"
    if old.get("served") and not new.get("served"):
        yield spot.build_change("version-unserved", "was served, now not", felt_by=clients)
    elif new.get("served") and not old.get("served"):
        yield spot.build_change("version-served", "was not served, now is", felt_by=clients)
    was, now = warnings
    if now and was != now:
        text = f"the warning was: {was}, now: {now}" if was else f"now deprecated: {now}"
        yield spot.build_change("version-deprecated", text, felt_by=clients)
    elif was and not now:
        yield spot.build_change("version-undeprecated", f"no longer deprecated, was: {was}", felt_by=clients)
    yield from _compare_subresources(old, new, spot)
    yield from _compare_columns(old, new, spot)
    fields = ([text_of(f.get("jsonPath")) for f in each.get("selectableFields") or ()] for each in (old, new))
    yield from spot.compare_entries(("selectable-field-added", "selectable-field-removed"), *fields)


def _compare_subresources(old: JsonObject, new: JsonObject, spot: CrdCursor) -> Iterator[Change]:
    before, after = old.get("subresources") or {}, new.get("subresources") or {}
    for name, added, removed in SUBRESOURCES:
        was, now = before.get(name), after.get(name)
        if (was is None) != (now is None):
            rule, text = (removed, "is gone") if now is None else (added, "is new")
            yield spot.build_change(rule, f"/{name} {text}")
    if was and now and was != now:
        keys = ", ".join(key for key in sorted(was.keys() | now.keys()) if was.get(key) != now.get(key))
        yield spot.build_change("scale-subresource-changed", f"changed: {keys}")


def _compare_columns(old: JsonObject, new: JsonObject, spot: CrdCursor) -> Iterator[Change]:
    before, after = (
        {text_of(column.get("name")): column for column in version.get("additionalPrinterColumns") or ()}
        for version in (old, new)
    )
    yield from spot.compare_entries(("column-added", "column-removed"), before, after, shown=repr)
    for name in (name for name in after if name in before):
        was, now = before[name], after[name]
        if keys := [key for key in COLUMN if (was.get(key) or 0) != (now.get(key) or 0)]:
            yield spot.build_change("column-changed", f"{name!r} changed: {', '.join(keys)}", detail=name)
    if [name for name in before if name in after] != [name for name in after if name in before]:
        yield spot.build_change("columns-reordered", "the order of the columns changed")
