"""targets/NAME.yaml → model."""

from __future__ import annotations

from typing import Any

from kitgen.findings import Cause, Kind, Origin
from kitgen.load.component import build_labels, build_patches
from kitgen.model import (
    CrdPlace,
    DataScienceCluster,
    Export,
    Layer,
    ManagementState,
    NamespaceSetting,
    Setting,
    Settings,
    Target,
)
from kitgen.yamlio import Json, JsonObject


def build_target(data: JsonObject, origin: Origin) -> Target:
    """Build a target from data that fits its schema."""
    common = data.get("namespace")
    settings = {}
    for name, content in data.get("components", {}).items():
        at = origin.at("components", name)
        blocks = [("", build_settings(content, at, common, origin))]
        for wanted, block in content.get("versions", {}).items():
            blocks.append((wanted, build_settings(block, at.at("versions", wanted), None, origin)))
        settings[name] = tuple(blocks)
    settings[""] = (("", build_settings({}, origin, common, origin)),)
    return Target(
        name=data["target"],
        about=data.get("about", ""),
        release=data["release"],
        releases=tuple(data.get("releases", ())),
        settings=settings,
        data_science_cluster=_data_science_cluster(data, origin),
        origin=origin,
    )


def _data_science_cluster(data: JsonObject, origin: Origin) -> DataScienceCluster | None:
    content = data.get("dataScienceCluster")
    if content is None:
        return None
    return DataScienceCluster(
        name=content["name"], components=content["components"], origin=origin.at("dataScienceCluster")
    )


def build_settings(data: JsonObject, origin: Origin, namespace: str | None, target: Origin) -> Settings:
    """Build what a target says of one component; the target's own namespace stands in for one's own."""

    def setting(value: Json, *steps: str) -> Setting[Any]:
        return Setting(value=value, origin=origin.at(*steps))

    features = data.get("features", {})
    on = dict.fromkeys(features, True) if isinstance(features, list) else features
    at = origin.at("features")
    where = {name: at.at(i if isinstance(features, list) else name) for i, name in enumerate(on)}
    return Settings(
        origin=origin,
        state=ManagementState(data["managementState"]) if "managementState" in data else None,
        crds=setting(CrdPlace(data["crds"]), "crds") if "crds" in data else None,
        namespace=_namespace(data, origin, namespace, target),
        images={name: setting(image, "images", name) for name, image in data.get("images", {}).items()},
        replicas=setting(data["replicas"], "replicas") if "replicas" in data else None,
        resources={
            name: setting(content, "resources", name) for name, content in data.get("resources", {}).items()
        },
        labels=build_labels(data.get("labels", ()), origin.at("labels")),
        features={name: Setting(value=value, origin=where[name]) for name, value in on.items()},
        config=(Layer(data=data["config"], origin=origin.at("config"), cause=Cause(Kind.SETTING, "config")),)
        if "config" in data
        else (),
        patches=build_patches(data.get("patches", ()), origin.at("patches")),
        export=_export(data, origin),
    )


def _namespace(
    data: JsonObject, origin: Origin, common: str | None, target: Origin
) -> Setting[NamespaceSetting] | None:
    content = data.get("namespace")
    if content is None:
        if common is None:
            return None
        value = NamespaceSetting(name=common, create=False, labels={})
        return Setting(value=value, origin=target.at("namespace"))
    if isinstance(content, str):
        content = {"name": content}
    value = NamespaceSetting(
        name=content["name"], create=content.get("create", False), labels=content.get("labels", {})
    )
    return Setting(value=value, origin=origin.at("namespace"))


def _export(data: JsonObject, origin: Origin) -> Export | None:
    content = data.get("export")
    if content is None:
        return None
    build = content["build"]
    return Export(
        folder=content["folder"],
        build=build,
        params=content.get("params", build),
        origin=origin.at("export"),
    )
