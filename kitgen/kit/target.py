"""Build the model of targets/NAME.yaml, including its settings for Argo CD and its OLM bundle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kitgen.findings import AcceptedException, Cause, CauseKind, Finding, Origin, check_exception_terms
from kitgen.findings.exceptions import EXCEPTION_SHAPE, check_exception_rule
from kitgen.findings.rule_table import Chapter, rules_by_id
from kitgen.kit.component import build_labels, build_patches
from kitgen.kit.model import (
    ArgoCd,
    Automated,
    BundleSettings,
    Community,
    CrdPlace,
    DataScienceCluster,
    DeclaredDifference,
    Destination,
    Export,
    Install,
    Layer,
    ManagementState,
    NamespaceSetting,
    PlatformMetadata,
    PlatformSource,
    Setting,
    Settings,
    SettingsBlock,
    Target,
    TargetCatalog,
    VersionOverride,
    WebhookOwner,
    WithheldPermissions,
)
from kitgen.kit.model.argocd import HERE
from kitgen.text.yaml import Json, JsonObject


def _build_argocd(data: JsonObject, origin: Origin) -> ArgoCd:
    return ArgoCd(
        repository=data["repository"],
        revision=data.get("revision", "HEAD"),
        folder=data.get("folder", ""),
        destination=Destination(**data.get("destination", {"server": HERE})),
        says_destination="destination" in data,
        project=data.get("project", ""),
        namespace=data.get("namespace", "argocd"),
        whole=data.get("applications") == "target",
        automated=build_automated(data),
        guard=data.get("guard", True),
        origin=origin,
    )


def build_automated(data: JsonObject) -> Automated | None:
    """Build what Argo CD does automatically, if anything."""
    if (said := data.get("sync", {}).get("automated")) is None:
        return None
    return Automated(prune=said.get("prune", False), self_heal=said.get("selfHeal", False))


ENV = Cause(CauseKind.SETTING, "env")
SCORECARD = "quay.io/operator-framework/scorecard-test:v1.24.1"


def build_target(data: JsonObject, origin: Origin, chain: str = "") -> Target:
    """Build a target from data that fits its schema."""
    common, cluster = data.get("namespace"), data.get("dataScienceCluster")
    settings, overrides = {}, {}
    for name, content in data.get("components", {}).items():
        at = origin.at("components", name)
        blocks = [SettingsBlock(settings=build_settings(content, at, common, origin))]
        for key in ("versions", "releases"):
            for wanted, block in content.get(key, {}).items():
                own = build_settings(block, at.at(key, wanted), None, origin)
                blocks.append(SettingsBlock(settings=own, **{key: wanted}))
        settings[name] = tuple(blocks)
        if "overrides" in content:
            overrides[name] = tuple(
                VersionOverride(**each, origin=at.at("overrides", index))
                for index, each in enumerate(content["overrides"])
            )
    settings[""] = (SettingsBlock(settings=build_settings({}, origin, common, origin)),)
    return Target(
        name=data["target"],
        about=data.get("about", ""),
        platform=data["platform"] if "platform" in data else data["target"],
        release=data["release"],
        releases=tuple(data.get("releases", ())),
        upgrades_from=data.get("upgradesFrom", ""),
        settings=settings,
        overrides=overrides,
        data_science_cluster=DataScienceCluster(**cluster, origin=origin.at("dataScienceCluster"))
        if cluster
        else None,
        bundle=_build_bundle(data["bundle"], origin.at("bundle")) if "bundle" in data else None,
        install=_build_install(data["install"], origin.at("install")) if "install" in data else None,
        digests=data.get("digests", False),
        argocd=_build_argocd(data["argocd"], origin.at("argocd")) if "argocd" in data else None,
        drift={
            name: tuple(
                DeclaredDifference(**each, origin=origin.at("drift", name, index))
                for index, each in enumerate(items)
            )
            for name, items in data.get("drift", {}).items()
        },
        exceptions=tuple(
            AcceptedException(
                **{key: each[key] for key in ("rule", "reason", "expires") if key in each},
                before=each["from"],
                after=each["to"],
                origin=origin.at("exceptions", index),
            )
            for index, each in enumerate(data.get("exceptions", ()))
        ),
        origin=origin,
        chain=chain,
    )


def _build_bundle(data: JsonObject, origin: Origin) -> BundleSettings:
    community = data.get("community")
    return BundleSettings(
        component=data["component"],
        package=data["package"] if "package" in data else data["component"],
        channels=tuple(data["channels"]),
        default_channel=data.get("defaultChannel", ""),
        settings=build_settings(data.get("settings", {}), origin.at("settings"), None, origin),
        install_modes=tuple(data.get("installModes", ("AllNamespaces",))),
        webhooks=WebhookOwner(data.get("webhooks", WebhookOwner.OLM)),
        requires=tuple(data.get("requires", ())),
        openshift=data.get("openshift", "") or ("" if "openshift" not in data else None),
        min_kube_version=data.get("minKubeVersion", True),
        annotations=data.get("annotations", {}),
        scorecard=data.get("scorecard", SCORECARD),
        community=Community(
            reviewers=tuple(community["reviewers"]),
            update_graph=community.get("updateGraph", "replaces-mode"),
            template=community.get("template", "basic.yaml"),
            catalogs=tuple(community.get("catalogs", ())),
        )
        if community
        else None,
        origin=origin,
    )


def _build_install(data: JsonObject, origin: Origin) -> Install:
    built = {"watches": tuple(data.get("watches", ())), "catalog": TargetCatalog(**data.get("catalog", {}))}
    return Install(**{**data, **built}, origin=origin)


def check_target_exceptions(targets: Iterable[Target]) -> Iterator[Finding]:
    """Yield what is wrong with the exceptions of targets."""
    for each in (one for target in targets for one in target.exceptions):
        item = {"rule": each.rule, "reason": each.reason, "expires": each.expires or None}
        yield from (
            problem.to_finding(each.origin)
            for problem in (*check_exception_terms(item, "finding"), *check_exception_rule(item))
        )
        if (rule := rules_by_id().get(each.rule)) and rule.exceptable and rule.chapter is not Chapter.UPGRADE:
            problem = EXCEPTION_SHAPE(
                f"found the rule {each.rule!r}, which is not one of upgrades",
                ("rule",),
                "accept it in kit.yaml",
            )
            yield problem.to_finding(each.origin)


def check_declared_drift(targets: Iterable[Target]) -> Iterator[Finding]:
    """Yield what is wrong with the reasons and days of differences that are declared."""
    for target in targets:
        for each in (one for some in target.drift.values() for one in some):
            terms = {"reason": each.reason, "expires": each.expires or None}
            yield from (
                problem.to_finding(each.origin) for problem in check_exception_terms(terms, "difference")
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
        namespace=_build_namespace(data.get("namespace"), origin, namespace, target),
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
        features=_build_features(data.get("features", {}), origin.at("features")),
        config=(
            Layer(data=data["config"], origin=origin.at("config"), cause=Cause(CauseKind.SETTING, "config")),
        )
        if "config" in data
        else (),
        patches=build_patches(data.get("patches", ()), origin.at("patches")),
        withheld=tuple(
            WithheldPermissions(
                **{**each, "keep": tuple(each.get("keep", ()))}, origin=origin.at("withhold", index)
            )
            for index, each in enumerate(data.get("withhold", ()))
        ),
        source=setting(_build_source(data["source"]), "source") if "source" in data else None,
        export=_build_export(export, origin.at("export")) if export else None,
    )


def _build_source(data: JsonObject) -> PlatformSource:
    template = {"tag_template": data["tagTemplate"]} if "tagTemplate" in data else {}
    return PlatformSource(repository=data["repository"], ref=data["ref"], path=data["path"], **template)


def _build_export(data: JsonObject, origin: Origin) -> Export:
    metadata = {"metadata": PlatformMetadata(**data["metadata"])} if "metadata" in data else {}
    return Export(**{"params": data["build"], **data, **metadata}, origin=origin)


def _build_namespace(
    own: Json, origin: Origin, common: str | None, target: Origin
) -> Setting[NamespaceSetting] | None:
    said, at = (own, origin) if own is not None else (common, target)
    if said is None:
        return None
    content = {"name": said} if isinstance(said, str) else said
    return Setting(value=NamespaceSetting(**content), origin=at.at("namespace"))


def _build_features(said: Json, at: Origin) -> dict[str, Setting[bool]]:
    """Return the features that are turned on or off; a list turns on."""
    if isinstance(said, list):
        return {name: Setting(value=True, origin=at.at(index)) for index, name in enumerate(said)}
    return {name: Setting(value=value, origin=at.at(name)) for name, value in said.items()}
