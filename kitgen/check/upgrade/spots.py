"""Where in a CRD a change is: the very keyword, name or switch that says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kitgen.check.index import below, entries
from kitgen.check.upgrade.values import reached
from kitgen.crds.schema.paths import PathError, parse
from kitgen.findings import Path
from kitgen.yamlio import JsonObject

if TYPE_CHECKING:
    from kitgen.diff.change import Change, Place

RULES = "x-kubernetes-validations"
SAYING: dict[str, Path] = {
    "conversion-changed": ("spec", "conversion", "strategy"),
    "version-removed": ("spec", "versions"),
}
"""Rule of a change of a whole CRD → where the CRD says it."""
KEYWORDS: dict[str, Path] = {
    "embedded-resource-added": ("x-kubernetes-embedded-resource",),
    "enum-added": ("enum",),
    "enum-value-removed": ("enum",),
    "format-added": ("format",),
    "format-changed": ("format",),
    "list-map-keys-changed": ("x-kubernetes-list-map-keys",),
    "list-type-changed": ("x-kubernetes-list-type",),
    "nullable-dropped": ("nullable",),
    "pattern-added": ("pattern",),
    "pattern-changed": ("pattern",),
    "scale-subresource-removed": ("subresources",),
    "selectable-field-removed": ("selectableFields",),
    "status-subresource-removed": ("subresources",),
    "type-changed": ("type",),
    "version-unserved": ("served",),
}
"""Rule of a change of a version or a field → what says it there."""
DETAILED = frozenset({"alternatives-tightened", "bound-tightened"})
"""Rules whose detail is the keyword."""


def spot_of(change: Change, body: JsonObject) -> Path:
    """Return where in a CRD a change is, as near as there is something."""
    place, rule = change.places[0], change.rule.id
    if not place.version:
        path = ("spec", "names", change.detail) if rule == "name-changed" else SAYING.get(rule, ("spec",))
        return reached(body, path)
    path = place_of(place, body)
    if rule == "field-required":
        return _required(path, body)
    if rule.startswith("cel-rule-"):
        return _rule(path, change.detail, body)
    keyword = (change.detail,) if rule in DETAILED else KEYWORDS.get(rule, ())
    return reached(body, (*path, *keyword))


def version_numbers(body: JsonObject) -> dict[str, int]:
    """Return the places of versions in the list of a CRD, by name; of two with one name the first counts."""
    return {str(each.get("name")): index for index, each in reversed(entries(body, "spec", "versions"))}


def place_of(place: Place, body: JsonObject, numbers: Mapping[str, int] | None = None) -> Path:
    """Return where in a CRD the place of a change is, or the nearest thing above it that there is.

    Who asks for many places of one CRD numbers its versions once.
    """
    index = (version_numbers(body) if numbers is None else numbers).get(place.version)
    if index is None:
        return ("spec",)
    version: Path = ("spec", "versions", index)
    try:
        steps = parse(place.path.removeprefix("."))
    except PathError:
        return version
    return reached(body, (*version, "schema", "openAPIV3Schema", *steps)) if steps else version


def _required(path: Path, body: JsonObject) -> Path:
    """Return where a schema says that a field of it must be there."""
    within, name = path[:-2], path[-1]
    found = below(body, *within, "required")
    return (*within, "required", found.index(name)) if isinstance(found, list) and name in found else path


def _rule(path: Path, text: str, body: JsonObject) -> Path:
    """Return where a field has a rule of that text, blanks aside."""
    for index, rule in entries(body, *path, RULES):
        if " ".join(str(rule.get("rule")).split()) == text:
            return (*path, RULES, index, "rule")
    return path
