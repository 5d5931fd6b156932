"""Images of a release: their tags are versions, and the right ones; no two share a digest.

The images of a release: those of specs and targets, and those that texts in them name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from kitgen.findings import Finding, Origin, make_problem
from kitgen.kit.model import ITSELF, Component, Kit, Layer, Release, Settings
from kitgen.kit.releases import PLACEHOLDER
from kitgen.kube.image_mentions import find_images_in_text, walk_by_level
from kitgen.kube.image_reference import ImageReference, parse_image_reference
from kitgen.release.rules.context import ReleaseContext, UsedImage
from kitgen.render.placement import Placement
from kitgen.text.patterns import compile_late
from kitgen.text.semver import version_key
from kitgen.text.wording import quote_text

BROKEN = compile_late(r"(?:release-)?(?:[vV][.vV]+\d.*|[vV]?\d+(?:\.\d+)*\.(?:[.+-].*)?)", re.ASCII)
"""A version with a sign too many: v.0.0.7, vv0.14.1, v0..7, v1.0."""
VERSION = compile_late(
    r"(?:release-)?v?(?P<numbers>\d+\.\d+(?:\.\d+)?)(?P<more>[-+_].*)?", re.ASCII | re.IGNORECASE
)
EARLY = compile_late(r"-(?:alpha|beta|rc|pre|dev|snapshot)", re.IGNORECASE)
"""Others are of who built the image: v1.1.0-odh, v1.4.0-ubi9."""


def check_images(kit: Kit, used: Iterable[UsedImage]) -> Iterator[Finding]:
    """Yield images of a release that are not what they are to be."""
    first: dict[str, ImageReference] = {}
    for each in used:
        parts = each.parts
        other = first.setdefault(parts.digest, parts) if parts.digest else parts
        if other.path != parts.path:
            yield make_problem(
                "release-image-twice",
                f"found the digest of {quote_text(other.repository)} at {quote_text(parts.repository)}",
                hint="accept it, if both are one image",
            ).to_finding(each.origin)
        if PLACEHOLDER.fullmatch(parts.tag):
            yield make_problem(
                "release-image-tag",
                f"found the placeholder {quote_text(parts.tag)}, expected the version that comes out",
            ).to_finding(each.origin)
        elif BROKEN.fullmatch(parts.tag):
            yield make_problem(
                "release-image-tag",
                f"found the tag {quote_text(parts.tag)}, expected a version such as v1.5.0",
            ).to_finding(each.origin)
        else:
            yield from check_image_versions(kit, [each])


def check_image_versions(kit: Kit, used: Iterable[UsedImage]) -> Iterator[Finding]:
    """Yield images of components that are of another version than the component is."""
    for each in used:
        if is_other_version(each.parts.tag, each.component.version) and _is_built_from(
            kit, each.component, each.parts
        ):
            yield _report_other_version(each)


def _report_other_version(used: UsedImage) -> Finding:
    """Return that an image is of another version; where the older one is right, the newer one says none."""
    component, parts, origin = used.component, used.parts, used.origin
    own, folder = component.origin.file, component.origin.file.rpartition("/")[0]
    message = f"found the tag {quote_text(parts.tag)} of {quote_text(parts.repository)}"
    message += f", expected that of {component.name} {component.version}"
    if origin.file.startswith(folder.rpartition("/")[0]) and not origin.file.startswith(f"{folder}/"):
        return make_problem(
            "release-image-version",
            message,
            hint=f"name the image in {own}, which takes over that of {origin.file}",
        ).to_finding(component.origin.at("version"))
    span = f">={component.version.removeprefix('v')}"
    return make_problem(
        "release-image-version",
        message,
        hint=f"name the image under versions, for {span!r}" if origin.file.startswith("targets/") else "",
    ).to_finding(origin)


def is_other_version(tag: str, version: str) -> bool:
    """Return whether a tag says a version, and another one; what says two numbers says no patch."""
    if (match := VERSION.fullmatch(tag)) is None:
        return False
    numbers = [int(each) for each in match["numbers"].split(".")]
    if numbers != [*version_key(version)[: len(numbers)]]:
        return True
    early, said = version.partition("-")[2], match["more"] or ""
    if len(numbers) < len(("major", "minor", "patch")):
        return False
    return not said.startswith(f"-{early}") if early else bool(EARLY.match(said))


def _is_built_from(kit: Kit, component: Component, parts: ImageReference) -> bool:
    """Return whether an image is made of a component, and not only used by it, as a proxy is."""
    name = re.escape(component.name)
    if re.search(rf"(?<![a-z0-9]){name}(?![a-z0-9])", parts.path):
        return True
    names = {component.name, *([ITSELF] if component.name == kit.project else ())}
    if any(each.image == parts.repository and each.of in names for each in kit.publishing.images):
        return True
    following = {
        version
        for version, other in kit.components[component.name].items()
        for image in other.images.values()
        if (own := parse_image_reference(image)) and own.repository == parts.repository and own.tag == version
    }
    return len(following) > 1  # once may be by chance


def list_used_images(context: ReleaseContext, release: Release) -> list[UsedImage]:
    """Return the images that a release builds with, in all targets that ship it."""
    found = {
        (each.parts, each.origin, each.component.version): each for each in _find_images(context, release)
    }
    return [*found.values()]


def check_target_images(kit: Kit, placement: Placement, component: Component) -> Iterator[Finding]:
    """Yield images that a target runs of a component, its own or set by the target, of another version."""
    settings = placement.computed_settings_for(component)
    replaced = {component.origin.at("images", name) for name in settings.images}
    own = (each for each in _find_component_images(component) if each.origin not in replaced)
    return check_image_versions(kit, chain(own, _find_settings_images(settings, component)))


def _find_images(context: ReleaseContext, release: Release) -> Iterator[UsedImage]:
    built = dict.fromkeys(release.components.items())
    for placement in context.placements_of(release):
        built |= dict.fromkeys((each.name, each.version) for each in placement.managed_components)
    for key in built:
        if key not in context.said:
            context.said[key] = [*_find_component_images(context.kit.components[key[0]][key[1]])]
        yield from context.said[key]
    for placement in context.placements_of(release):
        for component in placement.managed_components:
            yield from _find_settings_images(placement.computed_settings_for(component), component)
        bundle = placement.target.bundle
        for component in placement.managed_components:
            if bundle and component.name == bundle.component:
                yield from _find_settings_images(
                    placement.computed_settings_for(component, bundle.settings), component
                )


def _find_component_images(component: Component) -> Iterator[UsedImage]:
    for name, image in component.images.items():
        yield from _parse_images([image], component, component.origin.at("images", name))
    items = (item for part in component.parts for items in part.sections.values() for item in items)
    yield from _find_layer_images((layer for item in items for layer in item.layers), component)
    if component.config_type is not None:
        origin, data = component.config_type
        yield from _find_layer_images([Layer(data=data, origin=origin)], component)


def _find_settings_images(settings: Settings, component: Component) -> Iterator[UsedImage]:
    for said in settings.images.values():
        yield from _parse_images([said.value], component, said.origin)
    patches = (layer for item in settings.patches for layer in item.layers)
    yield from _find_layer_images((*settings.env.values(), *settings.config, *patches), component)


def _find_layer_images(layers: Iterable[Layer], component: Component) -> Iterator[UsedImage]:
    """Yield the images that texts name: variables, arguments, files in configuration."""
    for layer in layers:
        for path, text in walk_by_level(layer.data):
            if isinstance(text, str) and "/" in text and (":" in text or "@" in text):
                yield from _parse_images(find_images_in_text(text), component, layer.origin_at(path))


def _parse_images(images: Iterable[str], component: Component, origin: Origin) -> Iterator[UsedImage]:
    yield from (
        UsedImage(parts, component, origin)
        for image in images
        if (parts := parse_image_reference(image)) is not None
    )
