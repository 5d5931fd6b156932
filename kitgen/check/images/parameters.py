"""Compare what a target renders with the images and parameters of its specs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.images.rules import (
    IMAGE_TAG,
    IMAGE_UNLISTED,
    IMAGE_UNWIRED,
    PARAM_INCOMPLETE,
)
from kitgen.check.views import ObjectView
from kitgen.findings import Path, Problem
from kitgen.kube.identity import ObjectId
from kitgen.kube.image_reference import check_image
from kitgen.text.wording import quote_text

if TYPE_CHECKING:
    from kitgen.render.parameters import Params
    from kitgen.render.plan import TargetPlan
    from kitgen.render.unit import Unit


def check(plan: TargetPlan, context: CheckContext) -> Iterator[CheckHit]:
    """Yield images that no spec lists, and images that do not follow the parameters of an export."""
    listed = {value for unit in plan.units for value in _list_declared_images(unit)}
    for unit in plan.units:
        given = {image: key for key, image in unit.params.images.items() if image} if unit.params else {}
        for manifest in unit.final:
            view = context.get_view(plan.target.name, manifest)
            for problem in _check_object(view, unit, listed, given):
                yield CheckHit(plan.target.name, manifest, problem)


def _list_declared_images(unit: Unit) -> Iterator[str]:
    """Yield the images that a spec lists, also those that it says only code or users name."""
    context = unit.context
    yield from (value for value, _ in context.images.values())
    yield from (context.renames.get(each.image, each.image) for each in context.component.runtime_images)


def _check_object(view: ObjectView, unit: Unit, listed: set[str], given: dict[str, str]) -> Iterator[Problem]:
    """Yield what is wrong with the images of one object, each of them once."""
    identity = view.id
    wired = _list_filled_paths(unit.params, identity)
    seen: set[Path] = set()
    for mention in view.mentions:
        seen.add(mention.path)
        image = quote_text(mention.image)
        if check_image(mention.image, IMAGE_TAG):
            continue  # that comes first
        if mention.image not in listed:
            yield IMAGE_UNLISTED(f"found the image {image}, which no images of a spec name", mention.path)
        elif mention.path in wired:
            continue
        elif key := given.get(mention.image):
            yield PARAM_INCOMPLETE(
                f"found the image of the parameter {quote_text(key)}, which does not follow it",
                mention.path,
                f"add this field of {identity} to its fills",
            )
        elif unit.context.settings.export is not None:
            yield IMAGE_UNWIRED(
                f"found the image {image}, which follows no parameter",
                mention.path,
                "give it a key in params, which the ODH operator fills",
            )
    if given and not (
        identity.kind == "ConfigMap" and view.body.get("data") == (unit.params.data if unit.params else {})
    ):
        yield from _check_texts(view, given, wired | seen)


def _list_filled_paths(params: Params | None, identity: ObjectId) -> set[Path]:
    """Return the fields of an object that follow a parameter."""
    fills = params.fills if params else ()
    return {each.path for each in fills if (each.kind, each.name) == (identity.kind, identity.name)}


def _check_texts(view: ObjectView, given: dict[str, str], told: set[Path]) -> Iterator[Problem]:
    """Yield texts in which the image of a parameter would be left if the parameter got another one."""
    for path, text in view.texts if view.may_contain(*given) else ():
        if path in told:
            continue
        if (
            key := next((key for image, key in given.items() if contains_image(text, image)), None)
        ) is not None:
            yield IMAGE_UNWIRED(
                f"found the image of the parameter {quote_text(key)} in a text that does not follow it",
                path,
                "whoever changes the parameter must change it, too",
            )


def contains_image(text: str, image: str) -> bool:
    """Return whether an image stands in a text, and not only the beginning or end of another one."""
    return image in text and re.search(rf"(?<![\w./-]){re.escape(image)}(?![\w.@-])", text) is not None
