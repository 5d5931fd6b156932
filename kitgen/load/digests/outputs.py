"""What programs print of one image as JSON: skopeo inspect, oc image info, docker manifest inspect."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Origin
from kitgen.load.digests.records import DIGEST_FORM, Found, platform_of, told
from kitgen.model.lock import EVERY_PLATFORM
from kitgen.yamlio import JsonObject

INSPECT = "skopeo inspect --no-tags docker://IMAGE prints it"


def is_skopeo(data: JsonObject) -> bool:
    """Tell what skopeo inspect prints, by its words with capitals."""
    return "Digest" in data and "Name" in data


def read_skopeo(data: JsonObject, origin: Origin) -> Iterator[Found]:
    """Yield the digest: what the tag leads to, so that of the index where there is one."""
    tag = data.get("Tag")
    yield told(
        data["Name"],
        data["Digest"],
        "skopeo inspect",
        origin.at("Digest"),
        platform=EVERY_PLATFORM,
        tag=tag if isinstance(tag, str) else "",
    )


def is_oc(data: JsonObject) -> bool:
    """Tell what oc image info prints."""
    return "name" in data and "digest" in data and bool({"contentDigest", "listDigest", "layers"} & {*data})


def read_oc(data: JsonObject, origin: Origin) -> Iterator[Found]:
    """Yield the digest of the index; without one, that of the only platform."""
    source = "oc image info"
    if data.get("listDigest"):
        where = origin.at("listDigest")
        yield told(data["name"], data["listDigest"], source, where, platform=EVERY_PLATFORM)
        return
    config = data.get("config")
    parts = (config.get("os"), config.get("architecture")) if isinstance(config, dict) else ()
    yield told(data["name"], data["digest"], source, origin.at("digest"), platform=platform_of(*parts))


def is_manifest(data: JsonObject) -> bool:
    """Tell a manifest or an index itself, also as docker manifest inspect -v shows it."""
    plain = "schemaVersion" in data and bool({"manifests", "layers", "fsLayers"} & {*data})
    return plain or ("Ref" in data and bool({"Descriptor", "SchemaV2Manifest", "OCIManifest"} & {*data}))


def read_manifest(_data: JsonObject, origin: Origin) -> Iterator[Found]:
    """Yield that such a file does not tell what is needed."""
    message = (
        "found a manifest, as docker manifest inspect shows it, which does not hold the index's own digest"
    )
    yield DIGEST_FORM(message, hint=INSPECT).at(origin)
