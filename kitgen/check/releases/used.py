"""The images of a release: those of specs and targets, and those that texts in them name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.check.releases.context import Context, Used
from kitgen.compile import Placement
from kitgen.findings import Origin
from kitgen.model import Component, Layer, Release, Settings
from kitgen.objects.mentions import named_in, values_in
from kitgen.objects.reference import Reference, reference


def used_images(context: Context, release: Release) -> list[Used]:
    """Return the images that a release builds with, in all targets that ship it."""
    found: dict[tuple[Reference, Origin, str], Used] = {}
    for each in _images(context, release):
        found.setdefault((each.parts, each.origin, each.component.version), each)
    return [*found.values()]


def placed_images(placement: Placement, component: Component) -> list[Used]:
    """Return the images that a target runs of a component: its own, but for those that the target sets."""
    settings = placement.computed(component)
    replaced = {component.origin.at("images", name) for name in settings.images}
    own = (each for each in _of_component(component) if each.origin not in replaced)
    return [*own, *_of_settings(settings, component)]


def _images(context: Context, release: Release) -> Iterator[Used]:
    built = dict.fromkeys(release.components.items())
    for placement in context.placed(release):
        built |= dict.fromkeys((each.name, each.version) for each in placement.managed)
    for key in built:
        if key not in context.said:
            context.said[key] = [*_of_component(context.kit.components[key[0]][key[1]])]
        yield from context.said[key]
    for placement in context.placed(release):
        for component in placement.managed:
            yield from _of_settings(placement.computed(component), component)
        bundle = placement.target.bundle
        for component in (each for each in placement.managed if bundle and each.name == bundle.component):
            assert bundle is not None  # else there is no such component
            yield from _of_settings(placement.computed(component, bundle.settings), component)


def _of_component(component: Component) -> Iterator[Used]:
    for name, image in component.images.items():
        yield from _used([image], component, component.origin.at("images", name))
    items = (item for part in component.parts for items in part.sections.values() for item in items)
    yield from _in_layers((layer for item in items for layer in item.layers), component)
    if component.config_type is not None:
        origin, data = component.config_type
        yield from _in_layers([Layer(data=data, origin=origin)], component)


def _of_settings(settings: Settings, component: Component) -> Iterator[Used]:
    for said in settings.images.values():
        yield from _used([said.value], component, said.origin)
    patches = (layer for item in settings.patches for layer in item.layers)
    yield from _in_layers((*settings.env.values(), *settings.config, *patches), component)


def _in_layers(layers: Iterable[Layer], component: Component) -> Iterator[Used]:
    """Yield the images that texts name: variables, arguments, files in configuration."""
    for layer in layers:
        for path, text in values_in(layer.data):
            if isinstance(text, str) and "/" in text and (":" in text or "@" in text):
                yield from _used(named_in(text), component, layer.place(path))


def _used(images: Iterable[str], component: Component, origin: Origin) -> Iterator[Used]:
    for image in images:
        parts = reference(image)
        if parts is not None:
            yield Used(parts, component, origin)
