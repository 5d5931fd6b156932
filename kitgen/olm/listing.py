"""What people read of an operator before they install it: texts, links, icon, kinds with examples.

The images of a bundle, each once, so that they can be mirrored.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence

from kitgen.crd.types import derive_crd_names
from kitgen.findings import Origin, Path
from kitgen.kit.model import BundleSettings, ListedKind, Listing
from kitgen.kube.foreign_kinds import plurals_by_kind
from kitgen.kube.identity import split_kind
from kitgen.kube.image_mentions import find_mentions, walk_mappings
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.olm.csv_parts import (
    CsvPart,
    join_parts,
    make_computed_source,
    make_verbatim_source,
    select_sources,
)
from kitgen.render.context import ComputedValue, RenderContext
from kitgen.render.families.config import image_values
from kitgen.render.image_names import rename_images
from kitgen.render.image_places import find_object_images
from kitgen.render.unit import Unit
from kitgen.text.patterns import compile_late
from kitgen.text.schema_errors import REFERENCE_MISSING
from kitgen.text.yaml import JsonObject

SHOWN = ("displayName", "description", "keywords", "links", "maintainers", "maturity", "provider")
"""What the spec of a ClusterServiceVersion says just as a listing does."""
NOTED = ("capabilities", "repository", "support")
"""What its annotations say so."""
NOTES = ("metadata", "annotations")


def build_spec_parts(listing: Listing, package: str) -> Iterator[tuple[Path, CsvPart]]:
    """Yield what a listing says in the spec; without a name for people, it is that of the package."""
    yield ("spec", "displayName"), CsvPart(package)
    for key in SHOWN:
        if key in listing.said:
            yield ("spec", key), CsvPart(listing.said[key], (make_verbatim_source(listing.origin.at(key)),))
    if listing.icon is not None:
        icon = {"base64data": b64encode(listing.icon.data).decode(), "mediatype": listing.icon.media_type}
        yield ("spec", "icon"), CsvPart([icon], (make_computed_source(listing.origin.at("icon")),))


def build_annotation_parts(listing: Listing) -> Iterator[tuple[Path, CsvPart]]:
    """Yield the annotations that a listing says."""
    data, origin = listing.said, listing.origin
    for key in NOTED:
        if key in data:
            yield (*NOTES, key), CsvPart(data[key], (make_verbatim_source(origin.at(key)),))
    categories = ", ".join(data.get("categories", ()))
    yield (*NOTES, "categories"), CsvPart(categories, (make_computed_source(origin.at("categories")),))
    yield (
        (*NOTES, "description"),
        CsvPart(data.get("summary", ""), (make_verbatim_source(origin.at("summary")),)),
    )
    for key, text in data.get("annotations", {}).items():
        yield (*NOTES, key), CsvPart(text, (make_verbatim_source(origin.at("annotations", key)),))


def build_owned_crds(crds: Sequence[Manifest], apis: dict[str, ListedKind]) -> Iterator[CsvPart]:
    """Yield the kinds that the operator owns, in every version that is served."""
    for crd in crds:
        spec = crd.body["spec"]
        kind = spec["names"]["kind"]
        api = apis.get(kind)
        entry: JsonObject = {"kind": kind, "name": crd.id.name}
        sources: tuple[FieldSource, ...] = select_sources(crd, "spec", "names")[:1]
        if api is not None:
            entry |= {"displayName": api.display_name or kind}
            entry |= {"description": api.description} if api.description else {}
            sources = (
                *sources,
                make_verbatim_source(api.origin.at("displayName"), "displayName"),
                make_verbatim_source(api.origin.at("description"), "description"),
            )
        for version in spec["versions"]:
            if version.get("served"):
                yield CsvPart({**entry, "version": version["name"]}, sources)


def build_examples(
    apis: dict[str, ListedKind], kinds: Sequence[str], renames: Mapping[str, str]
) -> tuple[str, tuple[tuple[Origin, JsonObject], ...]]:
    """Return the examples of some kinds as the text that consoles read, and one by one."""
    found = (apis[kind].example for kind in dict.fromkeys(kinds) if kind in apis)
    shown = tuple((each[0], rename_images(each[1], renames)) for each in found if each)
    return json.dumps([body for _, body in shown], indent=2, ensure_ascii=False), shown


def build_required_crds(
    settings: BundleSettings, crds: Sequence[Manifest]
) -> ComputedValue[tuple[CsvPart, ...]]:
    """Return the CRDs of others that the operator needs; of groups of the kit, those that it serves."""
    known = {(each.body["spec"]["group"], each.body["spec"]["names"]["kind"]): each for each in crds}
    groups = {group for group, _ in known}
    found, missing = [], []
    for index, text in enumerate(settings.requires):
        group, version, kind = split_kind(text)
        origin = settings.origin.at("requires", index)
        crd = known.get((group, kind))
        name = (
            crd.id.name
            if crd
            else f"{plurals_by_kind(group).get(kind, derive_crd_names(kind)['plural'])}.{group}"
        )
        if crd is None and group in groups:
            message = f"found {text!r}, expected a kind of a CRD that the release builds"
            missing.append(REFERENCE_MISSING(message).to_finding(origin))
        elif crd is not None and version not in (served := _list_served_versions(crd)):
            message = f"found {text!r}, expected a version that is served: {', '.join(served)}"
            missing.append(REFERENCE_MISSING(message).to_finding(origin))
        else:
            value = {"kind": kind, "name": name, "version": version, "displayName": kind}
            found.append(CsvPart(value, (make_computed_source(origin),)))
    return ComputedValue(tuple(found), tuple(missing))


def _list_served_versions(crd: Manifest) -> list[str]:
    return [each["name"] for each in crd.body["spec"]["versions"] if each.get("served")]


NOT_PLAIN = compile_late(r"[^a-z0-9]+")
HUMP = compile_late(r"(?<=[a-z0-9])(?=[A-Z])")


def build_related_images(unit: Unit) -> CsvPart:
    """Return every image that workloads run or name, that of the first container first.

    Those of code come next, and what configuration and other objects name: who mirrors a catalog takes this
    list alone.
    """
    known = {image: name for name, (image, _) in reversed(unit.context.images.items())}
    found: dict[str, CsvPart] = {}
    taken: set[str] = set()
    for name, image, origin in (
        *_find_workload_images(unit, known),
        *_find_config_images(unit.context),
        *_find_object_images(unit, known),
    ):
        if image not in found:
            found[image] = CsvPart(
                {"name": _make_unique_name(name, taken), "image": image}, (make_computed_source(origin),)
            )
    return join_parts(found.values())


def _find_workload_images(unit: Unit, known: Mapping[str, str]) -> Iterator[tuple[str, str, Origin]]:
    """Yield the images of workloads; of each, first those that its containers run."""
    for manifest in (each for each in unit.final if each.id.kind == "Deployment"):
        for each in sorted(find_mentions(walk_mappings(manifest.body)), key=lambda each: not each.runs):
            yield (
                known.get(each.image) or _to_kebab_case(each.image),
                each.image,
                manifest.find_origin(each.path),
            )


def _find_config_images(context: RenderContext) -> Iterator[tuple[str, str, Origin]]:
    """Yield the images that no workload names: those of the operator's configuration, and of code."""
    for path, image, origin in image_values(context):
        yield _to_kebab_case("-".join(map(str, path))), image, origin
    for each in context.component.runtime_images:
        yield each.name, context.renames.get(each.image, each.image), each.origin


def _find_object_images(unit: Unit, known: Mapping[str, str]) -> Iterator[tuple[str, str, Origin]]:
    """Yield the images that other objects name."""
    for manifest in unit.final:
        for image, _, _, origin in find_object_images(manifest):
            yield known.get(image) or _to_kebab_case(image), image, origin


def _to_kebab_case(text: str) -> str:
    """Write a name as names of images are written: certGeneratorImage is cert-generator-image."""
    return NOT_PLAIN.sub("-", HUMP.sub("-", text).lower()).strip("-")


def _make_unique_name(name: str, taken: set[str]) -> str:
    """Return a name that no other image has."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    taken.add(free)
    return free
