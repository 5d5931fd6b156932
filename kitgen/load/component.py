"""component.yaml → model: sections become items, each with the layer that says it."""

from __future__ import annotations

from typing import assert_never

from kitgen.findings import By, Cause, Origin, Step
from kitgen.load.merging import Said
from kitgen.model import Component, Feature, Item, LabelRule, Layer, Part, Scope
from kitgen.model.component import RuntimeImage, SectionForm, sections
from kitgen.yamlio import Json, JsonObject


def build_component(said: Said, config: Said | None, crds: tuple[Said, ...], parent: str = "") -> Component:
    """Build a component from data that fits its schema; the parent is the version that it builds on."""
    data, origin = said
    home: Json = data.get("namespace", data["component"])
    place: JsonObject = home if isinstance(home, dict) else {"name": home}
    features = {
        name: Feature(
            name=name,
            about=feature["about"],
            default=feature.get("default", False),
            part=build_part(feature, origin.at("features", name), name),
            crds=_crd_changes(feature, origin.at("features", name), name),
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
        LabelRule(**{**rule, "scope": Scope(rule.get("scope", Scope.ALL))}, origin=origin.at(index))
        for index, rule in enumerate(data)
    )


def build_part(data: JsonObject, origin: Origin, feature: str = "") -> Part:
    """Build the sections that a component and a feature have in common."""
    cause, why = (Cause(By.FEATURE, feature), data["about"]) if feature else (None, "")

    def item(name: str, content: JsonObject, *steps: Step) -> Item:
        return _item(name, content, origin.at(*steps), cause, why, feature)

    def items(key: str, form: SectionForm) -> tuple[Item, ...]:
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

    return Part({key: items(key, form) for key, form in sections().items() if key in data})


def _crd_changes(data: JsonObject, origin: Origin, feature: str) -> dict[str, Layer]:
    """Build what a feature changes in CRDs of the component."""
    cause, why = Cause(By.FEATURE, feature), data["about"]
    return {
        name: Layer(data=each, origin=origin.at("crds", name), cause=cause, why=why, feature=feature)
        for name, each in data.get("crds", {}).items()
    }


def build_patches(data: Json, origin: Origin, feature: str = "") -> tuple[Item, ...]:
    """Build patches; each is an item of one layer that says why it is there."""
    return tuple(
        _item(f"{origin} {index}", patch, at, Cause(By.PATCH, patch["name"]), patch["why"], feature)
        for index, patch in enumerate(data)
        for at in (origin.at(index),)
    )


def _item(name: str, data: JsonObject, origin: Origin, cause: Cause | None, why: str, feature: str) -> Item:
    layer = Layer(data=data, origin=origin, cause=cause, why=why, feature=feature)
    return Item(name=name, layers=(layer,))
