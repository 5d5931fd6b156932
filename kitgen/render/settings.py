"""Resolve what a target sets for a component: settings, features, images, namespace."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from msgspec.structs import replace

from kitgen.files.root import BASES
from kitgen.findings import Cause, CauseKind, Origin, rule
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
from kitgen.render.context import ComputedValue, RenderContext, together
from kitgen.render.environment import CONTAINER_UNKNOWN, container_names, unknown
from kitgen.render.expressions import ExpressionNames, evaluate, evaluate_settings, evaluate_text
from kitgen.render.image_names import rename_part, rename_settings, renames_of
from kitgen.render.runtime_images import wrong_images, wrong_runtime_images
from kitgen.render.source_refs import computed_source
from kitgen.render.unused_settings import unused_settings

FEATURE_UNKNOWN = rule("feature-unknown")
IMAGE_UNKNOWN = rule("image-unknown")


def settle(target: Target, component: Component, release: str) -> Settings:
    """Return the target's settings for this version of the component, in a release."""
    first, *more = target.settings.get(component.name, target.settings[""])
    fitting = (block.settings for block in more if block.fits(component.version, release))
    return reduce(_lay_over, fitting, first.settings)


def _lay_over(first: Settings, second: Settings) -> Settings:
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


def with_features(component: Component, settings: Settings) -> ComponentPart:
    """Return the component's part with the features laid over it that are on."""
    on = (feature.part for feature in component.features.values() if is_on(feature, settings))
    return reduce(merge_parts, on, component.part)


def is_on(feature: Feature, settings: Settings) -> bool:
    """Return whether a feature is on: a target says so, or it is unless one says otherwise."""
    said = settings.features.get(feature.name)
    return said.value if said else feature.default


def resolve(
    component: Component, settings: Settings, of: tuple[Target, Release] | None, resources: DeclaredResources
) -> ComputedValue[RenderContext]:
    """Return what the families work on, of a target or of the base; names that lead nowhere are findings."""

    def at(said: Mapping[str, Setting[Any]]) -> dict[str, Origin]:
        return {name: each.origin for name, each in said.items()}

    part = with_features(component, settings)
    settings, of_targets = computed(component, settings, of)
    containers = {name: layer.origin for (name, _), layer in settings.env.items()} | at(settings.resources)
    findings = [
        *unknown(FEATURE_UNKNOWN, "feature", component, at(settings.features), list(component.features)),
        *unknown(IMAGE_UNKNOWN, "image", component, at(settings.images), list(component.images)),
        *unknown(CONTAINER_UNKNOWN, "container", component, containers, container_names(part)),
        *wrong_runtime_images(component),
        *wrong_images(_images(component, settings, {}).values()),
    ]
    if of is not None:
        findings += unused_settings(component, settings, part)
    names = _names(component, settings, of)
    renames = renames_of(*of) if of else {}
    said, of_settings = evaluate_settings(settings, names)
    made, of_part = evaluate(part, names)
    namespace, at_namespace = _namespace(component, settings)
    context = RenderContext(
        component=component,
        settings=rename_settings(said, renames),
        target=of[0].name if of else "",
        release=of[1].name if of else "",
        namespace=namespace,
        namespace_origin=at_namespace,
        images=_images(component, settings, renames),
        renames=renames,
        part=rename_part(made, renames),
        resources=resources,
    )
    return ComputedValue(context, (*findings, *of_targets, *of_settings, *of_part))


def computed(
    component: Component, settings: Settings, of: tuple[Target, Release] | None
) -> ComputedValue[Settings]:
    """Return settings of a target in which images and the source are computed."""
    settings, of_images = _computed_images(settings, component, of)
    if settings.source is None:
        return ComputedValue(settings, of_images)
    settings, of_source = computed_source(settings, _names(component, settings, of))
    return ComputedValue(settings, (*of_images, *of_source))


def _images(
    component: Component, settings: Settings, renames: Mapping[str, str]
) -> dict[str, tuple[str, Origin]]:
    """Return the images of a component, each with where it is said: a target may replace them."""
    images = {name: (image, component.origin.at("images", name)) for name, image in component.images.items()}
    own = {name: (each.value, each.origin) for name, each in settings.images.items() if name in images}
    return {name: (renames.get(image, image), origin) for name, (image, origin) in (images | own).items()}


def _namespace(component: Component, settings: Settings) -> tuple[str, Origin]:
    if place := settings.namespace:
        return place.value.name, place.origin
    return component.namespace, component.origin.at("namespace")


def _names(component: Component, settings: Settings, of: tuple[Target, Release] | None) -> ExpressionNames:
    """Return what expressions may say, once the images are computed."""
    images = _images(component, settings, renames_of(*of) if of else {})
    namespace, at_namespace = _namespace(component, settings)
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


def _computed_images(
    settings: Settings, component: Component, of: tuple[Target, Release] | None
) -> ComputedValue[Settings]:
    """Return settings whose images are computed: they may say the version, and what else is known by then."""
    if of is None or not any("{{" in each.value for each in settings.images.values()):
        return ComputedValue(settings)
    values = {"component": component.name, "release": of[1].name, "target": of[0].name}
    names = ExpressionNames({**values, "version": component.version}, {})
    said = settings.images.values()
    texts, findings = together(evaluate_text(each.value, each.origin, names) for each in said)
    made = (replace(each, value=text) for each, text in zip(said, texts, strict=True))
    return ComputedValue(replace(settings, images=dict(zip(settings.images, made, strict=True))), findings)
