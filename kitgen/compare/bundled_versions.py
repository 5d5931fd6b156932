"""Which versions of the components that another one carries have the CRDs of a real tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from kitgen.compare.objects.compare import compare_object_sets
from kitgen.kit.model import Component
from kitgen.text.semver import version_key
from kitgen.text.yaml import JsonObject
from kitgen.workspace.compilation import build_target_placement
from kitgen.workspace.kit import OpenedKit


class VersionFit(Struct, frozen=True):
    """What a tree has of a component that is carried."""

    crds: frozenset[str]
    """The CRDs of any version of it that the tree has."""
    versions: tuple[str, ...]
    """Those that have these CRDs just as the tree does, the newest first."""


def match_bundled_versions(
    opened: OpenedKit, component: Component, bodies: Mapping[str, JsonObject]
) -> dict[str, VersionFit]:
    """Return of each component that another one carries which versions have the CRDs of a tree."""
    found = {}
    for name in component.carries:
        versions = opened.kit.components.get(name, {})
        known = {
            version: {each.id.name: each.body for each in opened.session.expand_crds(versions[version]).value}
            for version in sorted(versions, key=version_key, reverse=True)
        }
        theirs = frozenset(crd for crds in known.values() for crd in crds) & bodies.keys()
        fitting = (version for version, crds in known.items() if _has_same_crds(crds, bodies, theirs))
        found[name] = VersionFit(theirs, tuple(fitting) if theirs else ())
    return found


def choose_bundled_versions(
    opened: OpenedKit, who: str, component: Component, fits: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, str]]:
    """Return components that a target has in no version that fits: that one, and the newest that does.

    A component by itself has none of them in any version.
    """
    taken: dict[str, str] = {}
    if who:
        placement = build_target_placement(opened, opened.target(who), {component.name: component.version})
        taken = {each.name: each.version for each in placement.components}
    return {
        name: (taken.get(name, ""), versions[0])
        for name, versions in fits.items()
        if versions and taken.get(name) not in versions
    }


def _has_same_crds(
    crds: Mapping[str, JsonObject], bodies: Mapping[str, JsonObject], names: frozenset[str]
) -> bool:
    """Return whether a version has CRDs just as a tree does, labels aside."""
    if not names <= crds.keys():
        return False
    sides = ([_drop_labels(some[name]) for name in sorted(names)] for some in (crds, bodies))
    return not compare_object_sets(*sides).differences


def _drop_labels(body: JsonObject) -> JsonObject:
    return {**body, "metadata": {key: value for key, value in body["metadata"].items() if key != "labels"}}
