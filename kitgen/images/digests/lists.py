"""Files that list images with digests: locks of imgpkg, kbld and kitgen, and relatedImages of bundles."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Origin, problem
from kitgen.images.digests.records import Found, told
from kitgen.olm.packages.records import CSV
from kitgen.text.schema_check import violations
from kitgen.text.values import entries_at, text_at, value_at
from kitgen.text.wording import shown
from kitgen.text.yaml import Json, JsonObject

IMGPKG, KBLD, RELATED = "imgpkg", "kbld", "relatedImages"
PACKAGE = "olm.package"
"""The property of a bundle in a catalog that says its version."""
ID = "kbld.carvel.dev/id"
"""The annotation that says what manifests called an image."""


def is_own(data: JsonObject) -> bool:
    """Tell a lock of kitgen."""
    return "release" in data and isinstance(data.get("images"), dict)


def read_own(data: JsonObject, origin: Origin) -> Iterator[Found]:
    """Yield the entries of a lock of kitgen, if it has its shape."""
    wrong = [*violations("lock", data, origin)]
    yield from wrong
    for image, each in data["images"].items() if not wrong else ():
        source, platform = each.get("source", ""), each.get("platform", "")
        yield told(image, each["digest"], source, origin.at("images", image, "digest"), platform=platform)


def is_imgpkg(data: JsonObject) -> bool:
    """Tell a lock of imgpkg."""
    return data.get("kind") == "ImagesLock"


def read_imgpkg(data: JsonObject, origin: Origin) -> Iterator[Found]:
    """Yield the images, by what manifests called them where that is noted."""
    for at, each in entries_at(data, "images"):
        called = value_at(each, "annotations", ID)
        yield from _by_digest(each.get("image"), called, IMGPKG, origin.at("images", at, "image"))


def is_kbld(data: JsonObject) -> bool:
    """Tell a configuration of kbld, which is its lock too."""
    return data.get("kind") == "Config" and str(data.get("apiVersion")).startswith("kbld.")


def read_kbld(data: JsonObject, origin: Origin) -> Iterator[Found]:
    """Yield what images are to be replaced by."""
    for at, each in entries_at(data, "overrides"):
        where = origin.at("overrides", at, "newImage")
        yield from _by_digest(each.get("newImage"), each.get("image"), KBLD, where)


def is_related(data: JsonObject) -> bool:
    """Tell a ClusterServiceVersion, a bundle in a catalog, or the list by itself."""
    return data.get("kind") == CSV or isinstance(data.get(RELATED), list)


def read_related(data: JsonObject, origin: Origin) -> Iterator[Found]:
    """Yield the images that are listed by digest; what has a tag alone tells none."""
    bundle = _bundle(data)
    path = ("spec", RELATED) if data.get("kind") == CSV else (RELATED,)
    for at, each in entries_at(data, *path):
        if not isinstance(image := each.get("image"), str) or "@" in image:
            yield from _by_digest(image, None, RELATED, origin.at(*path, at, "image"), bundle)


def _bundle(data: JsonObject) -> tuple[str, str]:
    """Return package and version of a ClusterServiceVersion or of a bundle in a catalog, if it says them."""
    if data.get("kind") == CSV:
        version, name = text_at(data, "spec", "version"), text_at(data, "metadata", "name")
        package, ending, _ = name.rpartition(f".v{version}")
        return (package if version and ending else ""), version
    for _, each in entries_at(data, "properties"):
        if each.get("type") == PACKAGE:
            package = text_at(each, "value", "packageName") or text_at(data, "package")
            return package, text_at(each, "value", "version")
    return "", ""


def _by_digest(
    image: Json, called: Json, source: str, origin: Origin, bundle: tuple[str, str] = ("", "")
) -> Iterator[Found]:
    """Yield an image that is written by its digest, under the name that manifests have for it."""
    name, at, digest = image.partition("@") if isinstance(image, str) else ("", "", "")
    if not at:
        yield problem("digest-form", f"found {shown(image)}, expected an image with a digest").at(origin)
        return
    package, version = bundle
    yield told(name if called is None else called, digest, source, origin, version=version, package=package)
