"""The listing of a component, with the picture and the examples that it names."""

from __future__ import annotations

import re

from kitgen.findings import Chapter, Finding, Origin, Problem, Rule
from kitgen.load.merging import Said
from kitgen.load.specfiles import SpecFiles
from kitgen.model import Api, Icon, Listing
from kitgen.yamlio import JsonObject

LISTING_EXAMPLE = Rule(
    id="listing-example",
    chapter=Chapter.REFERENCE,
    checks="An example in a listing is a file with one object of the kind that it is for.",
    fix="Write one object of the kind into the file.",
)

LISTING_ICON = Rule(
    id="listing-icon",
    chapter=Chapter.REFERENCE,
    checks="The icon of a listing is a picture of the type that its name says.",
    fix="Save the picture in that format, or give the file another ending.",
)

TYPES = {
    "gif": "image/gif",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "png": "image/png",
    "svg": "image/svg+xml",
}
"""Ending of a file → what it says that the picture is."""
STARTS = {
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/png": (b"\x89PNG\r\n",),
}
SVG = re.compile(
    r"\ufeff?(?:\s+|(?><\?.*?\?>)|(?><!--.*?-->)|(?><!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>))*+<(?:\w+:)?svg\b",
    re.DOTALL,
)
"""A root that is a vector picture, behind what may stand before it."""
MAX_ICON = 200 * 1024
"""A ClusterServiceVersion holds it, and what OLM stores has a limit."""


def build_listing(said: Said, files: SpecFiles) -> tuple[Listing | None, list[Finding]]:
    """Build what a component says of itself to catalogs, if it does, and say what is wrong with its files."""
    if "listing" not in said.data:
        return None, []
    data, origin = said.data["listing"], said.origin.at("listing")
    folder = f"components/{said.data['component']}"
    findings: list[Finding] = []
    icon = None
    if "icon" in data:
        found = _icon(f"{folder}/{data['icon']}", files)
        if isinstance(found, Icon):
            icon = found
        else:
            findings.append(found.at(origin.at("icon")))
    apis = {}
    for kind, each in data.get("apis", {}).items():
        example = _example(f"{folder}/{each['example']}", kind, files) if "example" in each else None
        if isinstance(example, list):
            findings += [
                one.at(origin.at("apis", kind, "example")) if isinstance(one, Problem) else one
                for one in example
            ]
            example = None
        apis[kind] = Api(
            display_name=each.get("displayName", ""),
            description=each.get("description", ""),
            example=example,
            origin=origin.at("apis", kind),
        )
    return Listing(origin=origin, said=data, icon=icon, apis=apis), findings


def _icon(path: str, files: SpecFiles) -> Icon | Problem:
    data = files.files.read(path)
    if isinstance(data, Problem):
        return LISTING_ICON(f"cannot read {path}: {data.message}")
    kind = TYPES[path.rpartition(".")[2]]
    if len(data) > MAX_ICON:
        return LISTING_ICON(f"found a picture of {len(data):,} bytes, expected at most {MAX_ICON:,}")
    return (
        Icon(media_type=kind, data=data, origin=Origin(path))
        if is_picture(data, kind)
        else LISTING_ICON(f"found something else in {path}, expected a picture of type {kind}")
    )


def is_picture(data: bytes, kind: str) -> bool:
    """Tell whether data may be a picture of a media type."""
    return data.startswith(STARTS[kind]) if kind in STARTS else _is_svg(data)


def _is_svg(data: bytes) -> bool:
    """Tell whether a file may be a vector picture: text, with the root that such pictures have."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    return SVG.match(text) is not None and text.rstrip().endswith(("svg>", "/>", "-->"))


def _example(path: str, kind: str, files: SpecFiles) -> tuple[Origin, JsonObject] | list[Problem | Finding]:
    if isinstance(text := files.text(path), Problem):
        return [LISTING_EXAMPLE(f"cannot read {path}: {text.message}")]
    data, wrong = files.sound(path)
    if wrong:
        return [*wrong]
    if not isinstance(data, dict) or data.get("kind") != kind:
        found = data.get("kind") if isinstance(data, dict) else None
        what = f"an object of kind {found}" if isinstance(found, str) else "no object"
        return [LISTING_EXAMPLE(f"found {what} in {path}, expected one of kind {kind}")]
    return Origin(path), data
