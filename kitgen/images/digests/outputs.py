"""What programs print of one image as JSON: skopeo inspect, oc image info, docker manifest inspect.

Digests a line: crane digest, with and without the image, and skopeo sync --digestfile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Origin, problem
from kitgen.images.digests.records import Found, platform_of, told
from kitgen.kit.model.release import EVERY_PLATFORM
from kitgen.kube.image_reference import reference
from kitgen.text.values import text_at, value_at
from kitgen.text.wording import cut
from kitgen.text.yaml import JsonObject

INSPECT = "skopeo inspect --no-tags docker://IMAGE prints it"


def is_skopeo(data: JsonObject) -> bool:
    """Tell what skopeo inspect prints, by its words with capitals."""
    return "Digest" in data and "Name" in data


def read_skopeo(data: JsonObject, origin: Origin) -> Iterator[Found]:
    """Yield the digest: what the tag leads to, so that of the index where there is one."""
    yield told(
        data["Name"],
        data["Digest"],
        "skopeo inspect",
        origin.at("Digest"),
        platform=EVERY_PLATFORM,
        tag=text_at(data, "Tag"),
    )


def is_oc(data: JsonObject) -> bool:
    """Tell what oc image info prints."""
    return "name" in data and "digest" in data and bool({"contentDigest", "listDigest", "layers"} & {*data})


def read_oc(data: JsonObject, origin: Origin) -> Iterator[Found]:
    """Yield the digest of the index; without one, that of the only platform."""
    source = "oc image info"
    if data.get("listDigest"):
        yield told(data["name"], data["listDigest"], source, origin.at("listDigest"), platform=EVERY_PLATFORM)
        return
    parts = (value_at(data, "config", key) for key in ("os", "architecture"))
    yield told(data["name"], data["digest"], source, origin.at("digest"), platform=platform_of(*parts))


def is_manifest(data: JsonObject) -> bool:
    """Tell a manifest or an index itself, also as docker manifest inspect -v shows it."""
    plain = "schemaVersion" in data and bool({"manifests", "layers", "fsLayers"} & {*data})
    return plain or ("Ref" in data and bool({"Descriptor", "SchemaV2Manifest", "OCIManifest"} & {*data}))


def read_manifest(_data: JsonObject, origin: Origin) -> Iterator[Found]:
    """Yield that such a file does not tell what is needed."""
    yield problem(
        "digest-form",
        "found a manifest, as docker manifest inspect shows it, which does not hold the index's own digest",
        hint=INSPECT,
    ).at(origin)


UNSAID, SYNC = "", "skopeo sync"
"""What reported a digest: a line looks alike, whichever tool printed it, unless it names a folder."""
REGISTRY, FOLDER = "docker://", "dir:"
"""Where skopeo sync copies to."""
START = re.compile(r"sha(?:256|512):\S*(?:\s|\Z)|[^\s{\[\"'#-]\S*@sha(?:256|512):\S*(?:\s|\Z)")
"""How a line starts that tells a digest, be it right or not; no JSON or YAML of the other forms starts so."""
LONGEST = 4_000
EXPECTED = "sha256:…, IMAGE@sha256:… or sha256:… docker://IMAGE"
"""Of a copy, the place that it went to stands for the image; `--scoped` keeps the whole name in it."""


def is_lines(text: str) -> bool:
    """Tell whether the first line that says something is one of these."""
    first = next((line for _, line in said_lines(text[: 10 * LONGEST])), "")
    return START.match(first) is not None


def said_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers and without space around them."""
    for number, line in enumerate(text.splitlines(), 1):
        said = line.strip()
        if said and not said.startswith("#"):
            yield number, said


def read_lines(file: str, text: str) -> Iterator[Found]:
    """Yield what each line tells."""
    yield from (_line(line, Origin(file, (), number)) for number, line in said_lines(text))


def _line(line: str, origin: Origin) -> Found:
    match line.split(maxsplit=2) if len(line) <= LONGEST else []:
        case [word] if "@" in word:
            return told(word, word.partition("@")[2], UNSAID, origin)
        case [word]:
            return told(None, word, UNSAID, origin)
        case [digest, place] if place.startswith(REGISTRY):
            return told(place.removeprefix(REGISTRY), digest, UNSAID, origin, copied=True)
        case [digest, place] if place.startswith(FOLDER):
            return told(_in_folder(place.removeprefix(FOLDER)), digest, SYNC, origin, copied=True)
    return problem("digest-form", f"found {cut(line)}, expected {EXPECTED}").at(origin)


def _in_folder(path: str) -> str:
    """Return the image that a path in a folder ends with: from the first step on that may be a registry."""
    steps = path.split("/")
    ends = ("/".join(steps[at:]) for at, step in enumerate(steps[:-1]) if "." in step)
    return next((each for each in ends if reference(each)), steps[-1])
