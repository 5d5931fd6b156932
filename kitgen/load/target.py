"""targets/NAME.yaml → model."""

from __future__ import annotations

from typing import Any

from kitgen.findings import By, Cause, Origin
from kitgen.load.component import build_labels, build_patches
from kitgen.model import (
    Block,
    CrdPlace,
    DataScienceCluster,
    Export,
    Layer,
    ManagementState,
    NamespaceSetting,
    Override,
    Setting,
    Settings,
    Target,
    Withheld,
)
from kitgen.yamlio import Json, JsonObject

ENV = Cause(By.SETTING, "env")


def build_target(data: JsonObject, origin: Origin, chain: str = "") -> Target:
    """Build a target from data that fits its schema."""
    common, cluster = data.get("namespace"), data.get("dataScienceCluster")
    settings, overrides = {}, {}
    for name, content in data.get("components", {}).items():
        at = origin.at("components", name)
        blocks = [Block(settings=build_settings(content, at, common, origin))]
        for key in ("versions", "releases"):
            for wanted, block in content.get(key, {}).items():
                own = build_settings(block, at.at(key, wanted), None, origin)
                blocks.append(Block(settings=own, **{key: wanted}))
        settings[name] = tuple(blocks)
        if "overrides" in content:
            overrides[name] = tuple(
                Override(**each, origin=at.at("overrides", index))
                for index, each in enumerate(content["overrides"])
            )
    settings[""] = (Block(settings=build_settings({}, origin, common, origin)),)
    return Target(
        name=data["target"],
        about=data.get("about", ""),
        release=data["release"],
        releases=tuple(data.get("releases", ())),
        upgrades_from=data.get("upgradesFrom", ""),
        settings=settings,
        overrides=overrides,
        data_science_cluster=DataScienceCluster(**cluster, origin=origin.at("dataScienceCluster"))
        if cluster
        else None,
        origin=origin,
        chain=chain,
    )


def build_settings(data: JsonObject, origin: Origin, namespace: str | None, target: Origin) -> Settings:
    """Build what a target says of one component; the target's own namespace stands in for one's own."""

    def setting(value: Json, *steps: str) -> Setting[Any]:
        return Setting(value=value, origin=origin.at(*steps))

    export, at_env = data.get("export"), origin.at("env")
    return Settings(
        origin=origin,
        state=ManagementState(data["managementState"]) if "managementState" in data else None,
        crds=setting(CrdPlace(data["crds"]), "crds") if "crds" in data else None,
        namespace=_namespace(data.get("namespace"), origin, namespace, target),
        images={name: setting(image, "images", name) for name, image in data.get("images", {}).items()},
        replicas=setting(data["replicas"], "replicas") if "replicas" in data else None,
        resources={
            name: setting(content, "resources", name) for name, content in data.get("resources", {}).items()
        },
        env={
            (container, name): Layer(data={name: value}, origin=at_env.at(container), cause=ENV)
            for container, variables in data.get("env", {}).items()
            for name, value in variables.items()
        },
        role_labels={
            (role, key): setting(value, "roles", role, "labels", key)
            for role, content in data.get("roles", {}).items()
            for key, value in content["labels"].items()
        },
        labels=build_labels(data.get("labels", ()), origin.at("labels")),
        features=_features(data.get("features", {}), origin.at("features")),
        config=(Layer(data=data["config"], origin=origin.at("config"), cause=Cause(By.SETTING, "config")),)
        if "config" in data
        else (),
        patches=build_patches(data.get("patches", ()), origin.at("patches")),
        withheld=tuple(
            Withheld(**{**each, "keep": tuple(each.get("keep", ()))}, origin=origin.at("withhold", index))
            for index, each in enumerate(data.get("withhold", ()))
        ),
        export=Export(**{"params": export["build"], **export}, origin=origin.at("export"))
        if export
        else None,
    )


def _namespace(
    own: Json, origin: Origin, common: str | None, target: Origin
) -> Setting[NamespaceSetting] | None:
    if own is not None:
        content = {"name": own} if isinstance(own, str) else own
        return Setting(value=NamespaceSetting(**content), origin=origin.at("namespace"))
    if common is not None:
        return Setting(value=NamespaceSetting(name=common), origin=target.at("namespace"))
    return None


def _features(said: Json, at: Origin) -> dict[str, Setting[bool]]:
    """Return the features that are turned on or off; a list turns on."""
    if isinstance(said, list):
        return {name: Setting(value=True, origin=at.at(index)) for index, name in enumerate(said)}
    return {name: Setting(value=value, origin=at.at(name)) for name, value in said.items()}
