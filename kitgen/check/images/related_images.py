"""Compare the image variables of a release with params.env of the targets that ship it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.findings import Finding, format_pointer, make_problem, suggest_word
from kitgen.kit.model import Kit, Release, Target
from kitgen.kit.succession import get_release_origin
from kitgen.render.parameters import list_image_keys
from kitgen.render.placement import Placement, build_placement, list_shipped_releases
from kitgen.render.plan import TargetPlan
from kitgen.text.wording import quote_text


def check_missing_variables(plans: Iterable[TargetPlan]) -> Iterator[Finding]:
    """Yield images in params.env that no variable changes, in releases that list variables."""
    for plan in plans:
        for unit in plan.units:
            if unit.params is not None and unit.context.settings.export is not None:
                yield from _check_missing_keys(plan.release, unit.context.component.name, unit.params.images)


def check_unused_variables(kit: Kit) -> Iterator[Finding]:
    """Yield variables for keys that are in the params.env of no target."""
    for release in kit.buildable_releases:
        if release.related_images:
            places = [
                build_placement(kit, each, release)
                for each in kit.targets.values()
                if _ships_release(kit, each, release)
            ]
            yield from _check_unused_keys(release, _list_exported_images(places))


def check_release_variables(release: Release, places: Iterable[Placement]) -> Iterator[Finding]:
    """Yield both of one release, without compiling it for those who ship it."""
    if release.components and release.related_images:
        exported = _list_exported_images(places)
        for component, keys in exported:
            yield from _check_missing_keys(release, component, keys)
        yield from _check_unused_keys(release, exported)


def _check_missing_keys(release: Release, component: str, keys: Iterable[str]) -> Iterator[Finding]:
    for key in keys if release.related_images else ():
        if key not in release.related_images:
            message = f"found no variable for {quote_text(key)}, which params.env of {component} has"
            wrong = make_problem("related-image-missing", message, hint="add the key with its variable")
            yield wrong.to_finding(get_release_origin(release, "relatedImages"))


def _check_unused_keys(release: Release, exported: list[tuple[str, list[str]]]) -> Iterator[Finding]:
    known = [key for _, keys in exported for key in keys]
    for key in release.related_images:
        if key not in known:
            message = f"found {quote_text(key)}, which holds no image in params.env of any target"
            taken = release.origin.at("relatedImages", key).file != release.origin.file
            own = get_release_origin(release, "relatedImages", key)
            hint = (
                f"add {format_pointer(own.path)} to remove"
                if taken
                else suggest_word(key, known) or "remove it"
            )
            yield make_problem("related-image-unused", message, hint=hint).to_finding(own)


def _ships_release(kit: Kit, target: Target, release: Release) -> bool:
    return any(each is release for each in list_shipped_releases(kit, target))


def _list_exported_images(places: Iterable[Placement]) -> list[tuple[str, list[str]]]:
    """Return the components that targets export, with their keys that hold images."""
    return [
        (component.name, list_image_keys(component, settings))
        for each in places
        for component in each.overlay_components
        if (settings := each.settings_for(component)).export is not None
    ]
