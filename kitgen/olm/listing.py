"""What people read of an operator before they install it: texts, links, icon, kinds with examples.

The images of a bundle, each once, so that they can be mirrored.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence

from kitgen.crd.types import names_of
from kitgen.findings import Origin, Path
from kitgen.kit.model import BundleSettings, ListedKind, Listing
from kitgen.kube.foreign_kinds import plurals
from kitgen.kube.identity import split_kind
from kitgen.kube.image_mentions import mappings, mentions
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.olm.csv_parts import CsvPart, inside, made, many, said
from kitgen.render.context import ComputedValue, RenderContext
from kitgen.render.families.config import image_values
from kitgen.render.image_names import renamed
from kitgen.render.image_places import named_by
from kitgen.render.unit import Unit
from kitgen.text.schema_errors import REFERENCE_MISSING
from kitgen.text.yaml import JsonObject

SHOWN = ("displayName", "description", "keywords", "links", "maintainers", "maturity", "provider")
"""What the spec of a ClusterServiceVersion says just as a listing does."""
NOTED = ("capabilities", "repository", "support")
"""What its annotations say so."""
NOTES = ("metadata", "annotations")


def described(listing: Listing, package: str) -> Iterator[tuple[Path, CsvPart]]:
    """Yield what a listing says in the spec; without a name for people, it is that of the package."""
    yield ("spec", "displayName"), CsvPart(package)
    for key in SHOWN:
        if key in listing.said:
            yield ("spec", key), CsvPart(listing.said[key], (said(listing.origin.at(key)),))
    if listing.icon is not None:
        icon = {"base64data": b64encode(listing.icon.data).decode(), "mediatype": listing.icon.media_type}
        yield ("spec", "icon"), CsvPart([icon], (made(listing.origin.at("icon")),))


def noted(listing: Listing) -> Iterator[tuple[Path, CsvPart]]:
    """Yield the annotations that a listing says."""
    data, origin = listing.said, listing.origin
    for key in NOTED:
        if key in data:
            yield (*NOTES, key), CsvPart(data[key], (said(origin.at(key)),))
    categories = ", ".join(data.get("categories", ()))
    yield (*NOTES, "categories"), CsvPart(categories, (made(origin.at("categories")),))
    yield (*NOTES, "description"), CsvPart(data.get("summary", ""), (said(origin.at("summary")),))
    for key, text in data.get("annotations", {}).items():
        yield (*NOTES, key), CsvPart(text, (said(origin.at("annotations", key)),))


def owned(crds: Sequence[Manifest], apis: dict[str, ListedKind]) -> Iterator[CsvPart]:
    """Yield the kinds that the operator owns, in every version that is served."""
    for crd in crds:
        spec = crd.body["spec"]
        kind = spec["names"]["kind"]
        api = apis.get(kind)
        entry: JsonObject = {"kind": kind, "name": crd.id.name}
        sources: tuple[FieldSource, ...] = inside(crd, "spec", "names")[:1]
        if api is not None:
            entry |= {"displayName": api.display_name or kind}
            entry |= {"description": api.description} if api.description else {}
            sources = (
                *sources,
                said(api.origin.at("displayName"), "displayName"),
                said(api.origin.at("description"), "description"),
            )
        for version in spec["versions"]:
            if version.get("served"):
                yield CsvPart({**entry, "version": version["name"]}, sources)


def examples(
    apis: dict[str, ListedKind], kinds: Sequence[str], renames: Mapping[str, str]
) -> tuple[str, tuple[tuple[Origin, JsonObject], ...]]:
    """Return the examples of some kinds as the text that consoles read, and one by one."""
    found = (apis[kind].example for kind in dict.fromkeys(kinds) if kind in apis)
    shown = tuple((each[0], renamed(each[1], renames)) for each in found if each)
    return json.dumps([body for _, body in shown], indent=2, ensure_ascii=False), shown


def required(settings: BundleSettings, crds: Sequence[Manifest]) -> ComputedValue[tuple[CsvPart, ...]]:
    """Return the CRDs of others that the operator needs; of groups of the kit, those that it serves."""
    known = {(each.body["spec"]["group"], each.body["spec"]["names"]["kind"]): each for each in crds}
    groups = {group for group, _ in known}
    found, missing = [], []
    for index, text in enumerate(settings.requires):
        group, version, kind = split_kind(text)
        origin = settings.origin.at("requires", index)
        crd = known.get((group, kind))
        name = crd.id.name if crd else f"{plurals(group).get(kind, names_of(kind)['plural'])}.{group}"
        if crd is None and group in groups:
            message = f"found {text!r}, expected a kind of a CRD that the release builds"
            missing.append(REFERENCE_MISSING(message).at(origin))
        elif crd is not None and version not in (served := _served(crd)):
            message = f"found {text!r}, expected a version that is served: {', '.join(served)}"
            missing.append(REFERENCE_MISSING(message).at(origin))
        else:
            value = {"kind": kind, "name": name, "version": version, "displayName": kind}
            found.append(CsvPart(value, (made(origin),)))
    return ComputedValue(tuple(found), tuple(missing))


def _served(crd: Manifest) -> list[str]:
    return [each["name"] for each in crd.body["spec"]["versions"] if each.get("served")]


NOT_PLAIN = re.compile(r"[^a-z0-9]+")
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def related_images(unit: Unit) -> CsvPart:
    """Return every image that workloads run or name, that of the first container first.

    Those of code come next, and what configuration and other objects name: who mirrors a catalog takes this
    list alone.
    """
    known = {image: name for name, (image, _) in reversed(unit.context.images.items())}
    found: dict[str, CsvPart] = {}
    taken: set[str] = set()
    for name, image, origin in (*_running(unit, known), *_unseen(unit.context), *_elsewhere(unit, known)):
        if image not in found:
            found[image] = CsvPart({"name": _unique(name, taken), "image": image}, (made(origin),))
    return many(found.values())


def _running(unit: Unit, known: Mapping[str, str]) -> Iterator[tuple[str, str, Origin]]:
    """Yield the images of workloads; of each, first those that its containers run."""
    for manifest in (each for each in unit.final if each.id.kind == "Deployment"):
        for each in sorted(mentions(mappings(manifest.body)), key=lambda each: not each.runs):
            yield known.get(each.image) or _plain(each.image), each.image, manifest.origin(each.path)


def _unseen(context: RenderContext) -> Iterator[tuple[str, str, Origin]]:
    """Yield the images that no workload names: those of the operator's configuration, and of code."""
    for path, image, origin in image_values(context):
        yield _plain("-".join(map(str, path))), image, origin
    for each in context.component.runtime_images:
        yield each.name, context.renames.get(each.image, each.image), each.origin


def _elsewhere(unit: Unit, known: Mapping[str, str]) -> Iterator[tuple[str, str, Origin]]:
    """Yield the images that other objects name."""
    for manifest in unit.final:
        for image, _, _, origin in named_by(manifest):
            yield known.get(image) or _plain(image), image, origin


def _plain(text: str) -> str:
    """Write a name as names of images are written: certGeneratorImage is cert-generator-image."""
    return NOT_PLAIN.sub("-", HUMP.sub("-", text).lower()).strip("-")


def _unique(name: str, taken: set[str]) -> str:
    """Return a name that no other image has."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    taken.add(free)
    return free
