"""What oc-mirror reads: an ImageSetConfiguration. It refuses fields that its version does not know."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from kitgen.compile.olm import Package
from kitgen.emit.mirror.places import Mirror, Place
from kitgen.yamlio import JsonObject

KIND = "ImageSetConfiguration"
STORAGE = "oc-mirror"
"""The folder in which the first form of oc-mirror remembers what it copied."""


class OcMirror(StrEnum):
    """The forms of oc-mirror."""

    V1 = "v1"
    V2 = "v2"


class Offered(Struct, frozen=True, kw_only=True):
    """A bundle in a catalog, which goes into the mirror too."""

    package: Package
    catalog: Place
    openshift: str = ""
    """The version of OpenShift that the catalog was chosen for, if nobody named its image."""
    name: str
    """Of the catalog on a cluster."""
    namespace: str
    channel: str
    rendered: bool = False
    """Whether the target renders a CatalogSource of its own."""


def image_set(
    places: Sequence[Place], offered: Offered | None, mirror: Mirror, version: OcMirror
) -> JsonObject:
    """Return what to copy: a package of a catalog, if there is one, and images one by one."""
    offered = offered if offered and not offered.catalog.there else None
    content: JsonObject = {"operators": [_catalog(offered, mirror)]} if offered else {}
    # oc-mirror pushes a catalog of its own to where a copy of the whole one would go.
    single = [each for each in places if offered is None or each.source != offered.catalog.source]
    content["additionalImages"] = [_image(each, mirror) for each in single]
    if version is OcMirror.V1:
        api, storage = "mirror.openshift.io/v1alpha2", {"storageConfig": {"local": {"path": STORAGE}}}
        return {"apiVersion": api, "kind": KIND, **storage, "mirror": content}
    return {"apiVersion": "mirror.openshift.io/v2alpha1", "kind": KIND, "mirror": content}


def _catalog(offered: Offered, mirror: Mirror) -> JsonObject:
    """Return one version of one package; the catalog gets a tag, for its digest is no longer the same."""
    said, place, version = offered.package.settings, offered.catalog, offered.package.version
    package: JsonObject = {"name": said.package}
    if (said.default_channel or said.channels[0]) != offered.channel:
        package["defaultChannel"] = offered.channel
    package["channels"] = [{"name": offered.channel, "minVersion": version, "maxVersion": version}]
    found: JsonObject = {"catalog": str(place.source)}
    if mirror.scoped:
        found["targetCatalog"] = mirror.path(place.source)
    if place.by_digest:
        found["targetTag"] = place.tag
    return {**found, "packages": [package]}


def _image(place: Place, mirror: Mirror) -> JsonObject:
    found: JsonObject = {"name": str(place.source)}
    return found | ({"targetRepo": mirror.path(place.source)} if mirror.scoped else {})
