"""Resolve what a target sets for a component: settings, features, images, namespace."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from msgspec.structs import replace

from kitgen.files.root import BASES
from kitgen.findings import Cause, CauseKind, Origin, get_rule
from kitgen.kit.crd_names import DeclaredResources
from kitgen.kit.model import (
    Component,
    ComponentPart,
    Feature,
    Release,
    Setting,
    Settings,
    Target,
    merge_parts,
)
from kitgen.render.context import ComputedValue, RenderContext, join_computed
from kitgen.render.environment import CONTAINER_UNKNOWN, check_known_names, container_names
from kitgen.render.expressions import ExpressionNames, evaluate_part, evaluate_settings, evaluate_text
from kitgen.render.image_names import find_image_renames, rename_images_in_part, rename_images_in_settings
from kitgen.render.runtime_images import check_image_references, check_runtime_images
from kitgen.render.source_refs import compute_source
from kitgen.render.unused_settings import check_unused_settings

FEATURE_UNKNOWN = get_rule("feature-unknown")
IMAGE_UNKNOWN = get_rule("image-unknown")


def resolve_settings(target: Target, component: Component, release: str) -> Settings:
    """Return the target's settings for this version of the component, in a release."""
    first, *more = target.settings.get(component.name, target.settings[""])
    fitting = (block.settings for block in more if block.applies_to(component.version, release))
    return reduce(_merge_settings, fitting, first.settings)


def _merge_settings(first: Settings, second: Settings) -> Settings:
    return replace(
        first,
        state=second.state or first.state,
        crds=second.crds or first.crds,
        namespace=second.namespace or first.namespace,
        images={**first.images, **second.images},
        replicas=second.replicas or first.replicas,
        source=second.source or first.source,
        resources={**first.resources, **second.resources},
        env={**first.env, **second.env},
        role_labels={**first.role_labels, **second.role_labels},
        labels=(*first.labels, *second.labels),
        features={**first.features, **second.features},
        config=(*first.config, *second.config),
        patches=(*first.patches, *second.patches),
        withheld=(*first.withheld, *second.withheld),
    )


def apply_features(component: Component, settings: Settings) -> ComponentPart:
    """Return the component's part with the features laid over it that are on."""
    on = (feature.part for feature in component.features.values() if is_feature_on(feature, settings))
    return reduce(merge_parts, on, component.part)


def is_feature_on(feature: Feature, settings: Settings) -> bool:
    """Return whether a feature is on: a target says so, or it is unless one says otherwise."""
    said = settings.features.get(feature.name)
    return said.value if said else feature.default


def build_context(
    component: Component, settings: Settings, of: tuple[Target, Release] | None, resources: DeclaredResources
) -> ComputedValue[RenderContext]:
    """Return what the families work on, of a target or of the base; names that lead nowhere are findings."""

    def at(said: Mapping[str, Setting[Any]]) -> dict[str, Origin]:
        return {name: each.origin for name, each in said.items()}

    part = apply_features(component, settings)
    settings, of_targets = compute_settings(component, settings, of)
    containers = {name: layer.origin for (name, _), layer in settings.env.items()} | at(settings.resources)
    findings = [
        *check_known_names(
            FEATURE_UNKNOWN, "feature", component, at(settings.features), list(component.features)
        ),
        *check_known_names(IMAGE_UNKNOWN, "image", component, at(settings.images), list(component.images)),
        *check_known_names(CONTAINER_UNKNOWN, "container", component, containers, container_names(part)),
        *check_runtime_images(component),
        *check_image_references(_resolve_images(component, settings, {}).values()),
    ]
    if of is not None:
        findings += check_unused_settings(component, settings, part)
    names = _build_names(component, settings, of)
    renames = find_image_renames(*of) if of else {}
    said, of_settings = evaluate_settings(settings, names)
    made, of_part = evaluate_part(part, names)
    namespace, at_namespace = _resolve_namespace(component, settings)
    context = RenderContext(
        component=component,
        settings=rename_images_in_settings(said, renames),
        target=of[0].name if of else "",
        release=of[1].name if of else "",
        namespace=namespace,
        namespace_origin=at_namespace,
        images=_resolve_images(component, settings, renames),
        renames=renames,
        part=rename_images_in_part(made, renames),
        resources=resources,
    )
    return ComputedValue(context, (*findings, *of_targets, *of_settings, *of_part))


def compute_settings(
    component: Component, settings: Settings, of: tuple[Target, Release] | None
) -> ComputedValue[Settings]:
    """Return settings of a target in which images and the source are computed."""
    settings, of_images = _compute_images(settings, component, of)
    if settings.source is None:
        return ComputedValue(settings, of_images)
    settings, of_source = compute_source(settings, _build_names(component, settings, of))
    return ComputedValue(settings, (*of_images, *of_source))


def _resolve_images(
    component: Component, settings: Settings, renames: Mapping[str, str]
) -> dict[str, tuple[str, Origin]]:
    """Return the images of a component, each with where it is said: a target may replace them."""
    images = {name: (image, component.origin.at("images", name)) for name, image in component.images.items()}
    own = {name: (each.value, each.origin) for name, each in settings.images.items() if name in images}
    return {name: (renames.get(image, image), origin) for name, (image, origin) in (images | own).items()}


def _resolve_namespace(component: Component, settings: Settings) -> tuple[str, Origin]:
    if place := settings.namespace:
        return place.value.name, place.origin
    return component.namespace, component.origin.at("namespace")


def _build_names(
    component: Component, settings: Settings, of: tuple[Target, Release] | None
) -> ExpressionNames:
    """Return what expressions may say, once the images are computed."""
    images = _resolve_images(component, settings, find_image_renames(*of) if of else {})
    namespace, at_namespace = _resolve_namespace(component, settings)
    values = {
        "component": component.name,
        "images": {name: image for name, (image, _) in images.items()},
        "namespace": namespace,
        "prefix": component.prefix,
        "release": of[1].name if of else "",
        "target": of[0].name if of else BASES,
        "version": component.version,
    }
    origins = {
        Cause(kind): component.origin.at(kind)
        for kind in (CauseKind.COMPONENT, CauseKind.PREFIX, CauseKind.VERSION)
    }
    origins |= {Cause(CauseKind.IMAGE, name): origin for name, (_, origin) in images.items()}
    origins[Cause(CauseKind.NAMESPACE)] = at_namespace
    if of is not None:
        target, release = of
        # A release that is not pinned says itself which it is.
        pinned = target.origin if target.release == release.name else release.origin
        origins[Cause(CauseKind.TARGET)] = target.origin.at("target")
        origins[Cause(CauseKind.RELEASE)] = pinned.at("release")
    return ExpressionNames(values, origins)


def _compute_images(
    settings: Settings, component: Component, of: tuple[Target, Release] | None
) -> ComputedValue[Settings]:
    """Return settings whose images are computed: they may say the version, and what else is known by then."""
    if of is None or not any("{{" in each.value for each in settings.images.values()):
        return ComputedValue(settings)
    values = {"component": component.name, "release": of[1].name, "target": of[0].name}
    names = ExpressionNames({**values, "version": component.version}, {})
    said = settings.images.values()
    texts, findings = join_computed(evaluate_text(each.value, each.origin, names) for each in said)
    made = (replace(each, value=text) for each, text in zip(said, texts, strict=True))
    return ComputedValue(replace(settings, images=dict(zip(settings.images, made, strict=True))), findings)
