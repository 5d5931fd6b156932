"""What oc-mirror reads: an ImageSetConfiguration. It refuses fields that its version does not know.

Mirror sets: what sends the nodes of OpenShift to the mirror, a repository an entry.

Plain lists of images, and what `oc image mirror` and `skopeo sync` read.

The catalog on a cluster without a network: where it is, and that there is no other.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from kitgen.images.mirror.places import SHORT, Mirror, MirrorPlace
from kitgen.kit.model import TargetCatalog
from kitgen.olm.bundle import Package
from kitgen.render.overlays.files import format_comment
from kitgen.text.yaml import JsonObject


class OfferedBundle(Struct, frozen=True, kw_only=True):
    """A bundle in a catalog, which goes into the mirror too."""

    package: Package
    catalog: MirrorPlace
    openshift: str = ""
    """The version of OpenShift that the catalog was chosen for, if nobody named its image."""
    name: str
    """Of the catalog on a cluster."""
    namespace: str
    channel: str
    rendered: bool = False
    """Whether the target renders a CatalogSource of its own."""


def build_image_set(
    places: Sequence[MirrorPlace], offered: OfferedBundle | None, mirror: Mirror
) -> JsonObject:
    """Return what to copy: a package of a catalog, if there is one, and images one by one."""
    offered = offered if offered and not offered.catalog.there else None
    content: JsonObject = {"operators": [_build_catalog(offered, mirror)]} if offered else {}
    # oc-mirror pushes a catalog of its own to where a copy of the whole one would go.
    single = [each for each in places if offered is None or each.source != offered.catalog.source]
    targets = [each.repository.removeprefix(f"{mirror.registry}/") for each in single]
    content["additionalImages"] = [
        {"name": str(each.source), **({"targetRepo": target} if mirror.scoped else {})}
        for each, target in zip(single, targets, strict=True)
    ]
    return {
        "apiVersion": "mirror.openshift.io/v2alpha1",
        "kind": "ImageSetConfiguration",
        "mirror": content,
    }


def _build_catalog(offered: OfferedBundle, mirror: Mirror) -> JsonObject:
    """Return one version of one package; the catalog gets a tag, for its digest is no longer the same."""
    said, place, version = offered.package.settings, offered.catalog, offered.package.version
    package: JsonObject = {"name": said.package}
    if (said.default_channel or said.channels[0]) != offered.channel:
        package["defaultChannel"] = offered.channel
    package["channels"] = [{"name": offered.channel, "minVersion": version, "maxVersion": version}]
    found: JsonObject = {"catalog": str(place.source)}
    if mirror.scoped:
        found["targetCatalog"] = place.repository.removeprefix(f"{mirror.registry}/")
    if place.by_digest:
        found["targetTag"] = place.tag
    return {**found, "packages": [package]}


NEVER = "NeverContactSource"


def build_mirror_sets(name: str, places: Sequence[MirrorPlace], *, never_source: bool) -> list[JsonObject]:
    """Return what redirects pulls by digest, and by tag; nodes may never ask where an image comes from."""
    policy = {"mirrorSourcePolicy": NEVER} if never_source else {}
    found = []
    for by_digest, word in ((True, "Digest"), (False, "Tag")):
        mirrors = {each.source.repository: each.repository for each in places if each.by_digest is by_digest}
        entries = [{"source": each, "mirrors": [mirrors[each]], **policy} for each in sorted(mirrors)]
        if entries:
            found.append(
                {
                    "apiVersion": "config.openshift.io/v1",
                    "kind": f"Image{word}MirrorSet",
                    "metadata": {"name": name},
                    "spec": {f"image{word}Mirrors": entries},
                }
            )
    return found


def render_image_list(places: Sequence[MirrorPlace]) -> str:
    """Return the images, one a line."""
    return "".join(f"{each.source}\n" for each in places)


def render_mapping(places: Sequence[MirrorPlace]) -> str:
    """Return where each image is copied to, one a line; no copy is named twice, for that is an error."""
    lines: list[str] = []
    copied: set[str] = set()
    for each in places:
        if each.copy_reference in copied:
            lines.append(format_comment(f"{each.source} is the same as the one before it"))
        else:
            lines.append(f"{each.source}={each.copy_reference}\n")
        copied.add(each.copy_reference)
    return "".join(lines)


def build_skopeo_sync(places: Sequence[MirrorPlace]) -> JsonObject:
    """Return the images by registry and path, without any login."""
    found: JsonObject = {}
    for each in places:
        paths = found.setdefault(each.source.host, {"images": {}})["images"]
        paths.setdefault(each.source.path, []).append(each.source.version)
    return found


LONGEST = 63
INDEXES = {
    "certified-operators": "registry.redhat.io/redhat/certified-operator-index",
    "community-operators": "registry.redhat.io/redhat/community-operator-index",
    "redhat-marketplace": "registry.redhat.io/redhat/redhat-marketplace-index",
    "redhat-operators": "registry.redhat.io/redhat/redhat-operator-index",
}
"""The catalogs that OpenShift comes with, and their images, whose tag is a version of OpenShift."""


def catalog_name(place: MirrorPlace) -> str:
    """Return what oc-mirror calls a catalog: its last part, and its tag or some of its digest."""
    source = place.source
    version = source.digest.partition(":")[2][:SHORT] if source.digest else source.tag
    plain = f"cs-{source.path.rpartition('/')[2]}-{version}".lower().replace(".", "-").replace("_", "-")
    return plain[:LONGEST].rstrip("-")


def choose_catalog_name(place: MirrorPlace, said: TargetCatalog | None) -> str:
    """Return what Subscriptions of a target name already, unless that is a catalog of OpenShift's."""
    if said and (said.image or said.name not in INDEXES):
        return said.name
    return catalog_name(place)


def build_catalog_source(offered: OfferedBundle) -> JsonObject:
    """Return the catalog in the mirror, as OLM takes it."""
    place = offered.catalog
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "CatalogSource",
        "metadata": {"name": offered.name, "namespace": offered.namespace},
        "spec": {
            "sourceType": "grpc",
            "image": place.copy_reference,
            "displayName": offered.package.settings.package,
        },
    }


def build_operator_hub() -> JsonObject:
    """Return what turns off the catalogs that a cluster comes with, which it cannot reach."""
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "OperatorHub",
        "metadata": {"name": "cluster"},
        "spec": {"disableAllDefaultSources": True},
    }
