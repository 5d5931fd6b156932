"""component.yaml → model: sections become items, each with the layer that says it."""

from __future__ import annotations

from kitgen.findings import Origin, Step
from kitgen.model import Component, Feature, Item, LabelRule, Layer, Part, Scope
from kitgen.yamlio import Json, JsonObject


def build_component(
    data: JsonObject,
    origin: Origin,
    config: tuple[Origin, JsonObject] | None,
    crds: tuple[tuple[Origin, JsonObject], ...],
) -> Component:
    """Build a component from data that fits its schema."""
    features = {
        name: Feature(
            name=name,
            about=feature["about"],
            default=feature.get("default", False),
            part=build_part(feature, origin.at("features", name), f"feature {name}", feature["about"]),
            origin=origin.at("features", name),
        )
        for name, feature in data.get("features", {}).items()
    }
    return Component(
        name=data["component"],
        version=data["version"],
        about=data.get("about", ""),
        minor=int(data["kubernetes"].removeprefix("1.")) if "kubernetes" in data else None,
        prefix=data.get("prefix", ""),
        namespace=str(data.get("namespace") or data["component"]),
        after=tuple(data.get("after", ())),
        carries=tuple(data.get("carries", ())),
        labels=build_labels(data.get("labels", ()), origin.at("labels")),
        images=data.get("images", {}),
        part=build_part(data, origin, "component", ""),
        features=features,
        config_type=config,
        crds=crds,
        origin=origin,
    )


def build_labels(data: Json, origin: Origin) -> tuple[LabelRule, ...]:
    """Build label rules from a list that fits its schema."""
    return tuple(
        LabelRule(
            pairs=rule["pairs"],
            selectors=rule.get("selectors", False),
            templates=rule.get("templates", False),
            scope=Scope(rule.get("scope", "all")),
            origin=origin.at(index),
        )
        for index, rule in enumerate(data)
    )


def build_part(data: JsonObject, origin: Origin, rule: str, why: str) -> Part:
    """Build the sections that a component and a feature have in common."""

    def layer(content: JsonObject, *steps: Step) -> Layer:
        return Layer(data=content, origin=origin.at(*steps), rule=rule, why=why)

    def one(key: str) -> tuple[Item, ...]:
        return (Item(name=key, layers=(layer(data[key], key),)),) if key in data else ()

    def named(key: str) -> tuple[Item, ...]:
        return tuple(
            Item(name=name, layers=(layer(content, key, name),))
            for name, content in data.get(key, {}).items()
        )

    def text(key: str) -> tuple[Item, ...]:
        return (Item(name=data[key], layers=(layer({}, key),)),) if key in data else ()

    objects = data.get("objects", ())
    return Part(
        account=text("serviceAccount"),
        election=text("leaderElection"),
        deployment=one("deployment"),
        config=one("config"),
        services=named("services"),
        roles=named("roles"),
        bindings=named("bindings"),
        access_roles=one("accessRoles"),
        webhooks=one("webhooks"),
        objects=tuple(
            # The place makes the name: two objects with one identity must both show up.
            Item(name=f"{origin} {index}", layers=(layer(content, "objects", index),))
            for index, content in enumerate(objects)
        ),
        params=one("params"),
        patches=build_patches(data.get("patches", ()), origin.at("patches")),
    )


def build_patches(data: Json, origin: Origin) -> tuple[Item, ...]:
    """Build patches; each is an item of one layer that says why it is there."""
    return tuple(
        Item(
            name=f"{origin} {index}",
            layers=(
                Layer(data=patch, origin=origin.at(index), rule=f"patch {patch['name']}", why=patch["why"]),
            ),
        )
        for index, patch in enumerate(data)
    )
