"""Build the model of a component.yaml: its sections as items with layers, and its catalog listing."""

from __future__ import annotations

import re
from typing import assert_never

from kitgen.findings import Cause, CauseKind, Finding, Origin, Problem, Step, make_problem
from kitgen.kit.merge import SpecValue
from kitgen.kit.model import (
    Component,
    ComponentPart,
    Feature,
    Icon,
    LabelRule,
    LabelScope,
    Layer,
    ListedKind,
    Listing,
    SectionItem,
)
from kitgen.kit.model.component import RuntimeImage, SectionForm, list_section_forms
from kitgen.kit.spec_files import SpecFiles
from kitgen.text.patterns import compile_late
from kitgen.text.values import value_at
from kitgen.text.yaml import Json, JsonObject


def build_component(
    said: SpecValue, config: SpecValue | None, crds: tuple[SpecValue, ...], parent: str = ""
) -> Component:
    """Build a component from data that fits its schema; the parent is the version that it builds on."""
    data, origin = said.data, said.origin
    home: Json = data.get("namespace", data["component"])
    place: JsonObject = home if isinstance(home, dict) else {"name": home}
    features = {
        name: Feature(
            name=name,
            about=feature["about"],
            default=feature.get("default", False),
            part=build_part(feature, origin.at("features", name), name),
            crds={
                each: Layer(
                    data=changes,
                    origin=origin.at("features", name, "crds", each),
                    cause=Cause(CauseKind.FEATURE, name),
                    why=feature["about"],
                    feature=name,
                )
                for each, changes in feature.get("crds", {}).items()
            },
            origin=origin.at("features", name),
        )
        for name, feature in data.get("features", {}).items()
    }
    return Component(
        name=data["component"],
        version=data["version"],
        about=data.get("about", ""),
        minor=int(data["kubernetes"].removeprefix("1.")) if "kubernetes" in data else None,
        clusters=data.get("clusters", ""),
        prefix=data.get("prefix", ""),
        namespace=str(place["name"]),
        creates=place.get("labels", {}) if place.get("create") else None,
        after=tuple(data.get("after", ())),
        carries=tuple(data.get("carries", ())),
        labels=build_labels(data.get("labels", ()), origin.at("labels")),
        images=data.get("images", {}),
        runtime_images=tuple(
            RuntimeImage(name=name, **each, origin=origin.at("runtimeImages", name))
            for name, each in data.get("runtimeImages", {}).items()
        ),
        part=build_part(data, origin),
        features=features,
        config_type=(config.origin, config.data) if config else None,
        crds=tuple((each.origin, each.data) for each in crds),
        parent=parent,
        origin=origin,
    )


def build_labels(data: Json, origin: Origin) -> tuple[LabelRule, ...]:
    """Build label rules from a list that fits its schema."""
    return tuple(
        LabelRule(**{**rule, "scope": LabelScope(rule.get("scope", LabelScope.ALL))}, origin=origin.at(index))
        for index, rule in enumerate(data)
    )


def build_part(data: JsonObject, origin: Origin, feature: str = "") -> ComponentPart:
    """Build the sections that a component and a feature have in common."""
    cause, why = (Cause(CauseKind.FEATURE, feature), data["about"]) if feature else (None, "")

    def item(name: str, content: JsonObject, *steps: Step) -> SectionItem:
        return _build_item(name, content, origin.at(*steps), cause, why, feature)

    def items(key: str, form: SectionForm) -> tuple[SectionItem, ...]:
        content = data[key]
        match form:
            case SectionForm.NAME:
                return (item(content, {}, key),)
            case SectionForm.ONE:
                return (item(key, content, key),)
            case SectionForm.NAMED:
                return tuple(item(name, each, key, name) for name, each in content.items())
            case SectionForm.LISTED if key == "patches":
                return build_patches(content, origin.at(key), feature)
            case SectionForm.LISTED:
                # The place makes the name: two objects with one identity must both show up.
                return tuple(
                    item(f"{origin} {index}", each, key, index) for index, each in enumerate(content)
                )
            case _:
                assert_never(form)

    return ComponentPart({key: items(key, form) for key, form in list_section_forms().items() if key in data})


def build_patches(data: Json, origin: Origin, feature: str = "") -> tuple[SectionItem, ...]:
    """Build patches; each is an item of one layer that says why it is there."""
    return tuple(
        _build_item(
            f"{origin} {index}", patch, at, Cause(CauseKind.PATCH, patch["name"]), patch["why"], feature
        )
        for index, patch in enumerate(data)
        for at in (origin.at(index),)
    )


def _build_item(
    name: str, data: JsonObject, origin: Origin, cause: Cause | None, why: str, feature: str
) -> SectionItem:
    layer = Layer(data=data, origin=origin, cause=cause, why=why, feature=feature)
    return SectionItem(name=name, layers=(layer,))


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
SVG = compile_late(
    r"\ufeff?(?:\s+|(?><\?.*?\?>)|(?><!--.*?-->)|(?><!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>))*+<(?:\w+:)?svg\b",
    re.DOTALL,
)
"""A root that is a vector picture, behind what may stand before it."""
MAX_ICON = 200 * 1024
"""A ClusterServiceVersion holds it, and what OLM stores has a limit."""


def build_listing(said: SpecValue, files: SpecFiles) -> tuple[Listing | None, list[Finding]]:
    """Build what a component says of itself to catalogs, if it does, and say what is wrong with its files."""
    if "listing" not in said.data:
        return None, []
    data, origin = said.data["listing"], said.origin.at("listing")
    folder = f"components/{said.data['component']}"
    findings: list[Finding] = []
    icon = _read_icon(f"{folder}/{data['icon']}", files) if "icon" in data else None
    if isinstance(icon, Problem):
        findings.append(icon.to_finding(origin.at("icon")))
    apis = {}
    for kind, each in data.get("apis", {}).items():
        place = origin.at("apis", kind)
        example = _read_example(f"{folder}/{each['example']}", kind, files) if "example" in each else None
        if isinstance(example, Problem):
            findings.append(example.to_finding(place.at("example")))
        elif isinstance(example, list):
            findings += example
        apis[kind] = ListedKind(
            display_name=each.get("displayName", ""),
            description=each.get("description", ""),
            example=example if isinstance(example, tuple) else None,
            origin=place,
        )
    return Listing(
        origin=origin, said=data, icon=icon if isinstance(icon, Icon) else None, apis=apis
    ), findings


def _read_icon(path: str, files: SpecFiles) -> Icon | Problem:
    if isinstance(data := files.files.read(path), Problem):
        return make_problem("listing-icon", f"cannot read {path}: {data.message}")
    kind = TYPES[path.rpartition(".")[2]]
    if len(data) > MAX_ICON:
        return make_problem(
            "listing-icon", f"found a picture of {len(data):,} bytes, expected at most {MAX_ICON:,}"
        )
    return (
        Icon(media_type=kind, data=data, origin=Origin(path))
        if is_picture(data, kind)
        else make_problem(
            "listing-icon", f"found something else in {path}, expected a picture of type {kind}"
        )
    )


def is_picture(data: bytes, kind: str) -> bool:
    """Return whether data may be a picture of a media type."""
    if kind in STARTS:
        return data.startswith(STARTS[kind])
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    # A vector picture is a text, with the root that such pictures have.
    is_rooted = text.startswith("<svg ") or SVG.match(text) is not None
    return is_rooted and text.rstrip().endswith(("svg>", "/>", "-->"))


def _read_example(
    path: str, kind: str, files: SpecFiles
) -> tuple[Origin, JsonObject] | Problem | list[Finding]:
    if isinstance(text := files.read_text(path), Problem):
        return make_problem("listing-example", f"cannot read {path}: {text.message}")
    data, wrong = files.read_checked(path)
    found = value_at(data, "kind")
    if wrong or found == kind:
        return wrong or (Origin(path), data)
    what = f"an object of kind {found}" if isinstance(found, str) else "no object"
    return make_problem("listing-example", f"found {what} in {path}, expected one of kind {kind}")
