"""Hold the variables that a release lists to the images in params.env of those who ship it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.check.images.rules import RELATED_IMAGE_MISSING, RELATED_IMAGE_UNUSED
from kitgen.compile import Plan, declared_images, place, shipped
from kitgen.findings import Finding, near
from kitgen.model import Kit, Release
from kitgen.schema.wording import cut


def without_variable(plans: Iterable[Plan]) -> Iterator[Finding]:
    """Yield images in params.env that no variable changes, in releases that list variables."""
    for plan in plans:
        release = plan.release
        for unit in plan.units if release.related_images else ():
            if unit.params is None or unit.context.settings.export is None:
                continue
            for key in unit.params.images:
                if key not in release.related_images:
                    whose = f"which params.env of {unit.context.component.name} has"
                    message = f"found no variable for {cut(key)}, {whose}"
                    problem = RELATED_IMAGE_MISSING(message, hint="add the key with its variable")
                    yield problem.at(release.origin.at("relatedImages"))


def without_key(kit: Kit) -> Iterator[Finding]:
    """Yield variables for keys that are in the params.env of no target."""
    for release in kit.building:
        keys = _keys(kit, release) if release.related_images else {}
        for key in release.related_images:
            if key not in keys:
                message = f"found {cut(key)}, which holds no image in params.env of any target"
                hint = near(key, list(keys)) or "remove it"
                problem = RELATED_IMAGE_UNUSED(message, hint=hint)
                yield problem.at(release.origin.at("relatedImages", key))


def _keys(kit: Kit, release: Release) -> dict[str, None]:
    """Return the keys with images that targets which ship a release export."""
    places = [place(kit, each, release) for each in kit.targets.values() if release in shipped(kit, each)]
    return {
        key: None
        for each in places
        for component in each.units
        if (settings := each.settings(component)).export is not None
        for key in declared_images(component, settings)
    }
