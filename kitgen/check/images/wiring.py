"""Hold what a target of the kit renders to the images and parameters of its specs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kitgen.check.context import Context, Hit
from kitgen.check.images.mentions import mentions
from kitgen.check.images.rules import IMAGE_UNLISTED, IMAGE_UNWIRED, PARAM_INCOMPLETE
from kitgen.findings import By, Path
from kitgen.objects import Manifest
from kitgen.schema.wording import cut
from kitgen.yamlio import Json

if TYPE_CHECKING:
    from kitgen.compile import Params, Plan, Unit


def check(plan: Plan, context: Context) -> Iterator[Hit]:
    """Yield images that no spec lists, and images that do not follow the parameters of an export."""
    target = plan.target.name
    listed = {value for unit in plan.units for value, _ in unit.context.images.values()}
    for unit in plan.units:
        wired = _wired(unit.params)
        exported = unit.context.settings.export is not None
        for manifest in unit.final:
            for mention in mentions(context.mappings(manifest)):
                if mention.image not in listed:
                    message = f"found the image {cut(mention.image)}, which no images of a spec name"
                    yield Hit(target, manifest, IMAGE_UNLISTED(message, mention.path))
                if exported and (manifest.id.kind, manifest.id.name, mention.path) not in wired:
                    message = f"found the image {cut(mention.image)}, which follows no parameter"
                    hint = "give it a key in params, which the ODH operator fills"
                    yield Hit(target, manifest, IMAGE_UNWIRED(message, mention.path, hint))
        yield from _left(unit, target, context)


def _wired(params: Params | None) -> set[tuple[str, str, Path]]:
    """Return the fields that follow a parameter."""
    return {(each.kind, each.name, each.path) for each in (params.fills if params else ())}


def _left(unit: Unit, target: str, context: Context) -> Iterator[Hit]:
    """Yield where the image of a parameter would be left if the parameter got another one."""
    if unit.params is None:
        return
    given = {
        unit.params.data[str(source.path[1])]: str(source.path[1])
        for source in unit.params.sources
        if source.cause.kind is By.IMAGE and unit.params.data.get(str(source.path[1]))
    }
    wired = _wired(unit.params)
    for manifest in unit.final if given else ():
        if manifest.id.kind == "ConfigMap" and manifest.body.get("data") == unit.params.data:
            continue  # the one that params.env becomes
        for path, text in _texts(manifest, context):
            key = next((key for image, key in given.items() if _holds(text, image)), None)
            if key is not None and (manifest.id.kind, manifest.id.name, path) not in wired:
                message = f"found the image of the parameter {cut(key)} in a field that does not follow it"
                hint = f"add {'.'.join(map(str, path))} of {manifest.id} to its fills"
                yield Hit(target, manifest, PARAM_INCOMPLETE(message, path, hint))


def _holds(text: str, image: str) -> bool:
    """Tell whether an image stands in a text, and not only the beginning or end of another one."""
    return image in text and re.search(rf"(?<![\w./-]){re.escape(image)}(?![\w.@-])", text) is not None


def _texts(manifest: Manifest, context: Context) -> Iterator[tuple[Path, str]]:
    """Yield every text in an object, with its path."""
    for path, mapping in context.mappings(manifest):
        for key, value in mapping.items():
            if isinstance(value, str):
                yield (*path, key), value
            elif isinstance(value, list):
                yield from _listed((*path, key), value)


def _listed(path: Path, items: list[Json]) -> Iterator[tuple[Path, str]]:
    for index, item in enumerate(items):
        if isinstance(item, str):
            yield (*path, index), item
