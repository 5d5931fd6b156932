"""Undo what an older spec applies after the families: patches, and settings of its target.

The new spec applies the same again, so the places of the spec stay unchanged.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from msgspec.structs import replace

from kitgen.compare.objects.difference import ABSENT, AbsentValue, find_value
from kitgen.compare.objects.permissions import collect_grants
from kitgen.findings import Path
from kitgen.importing.normal_form import remove_keys
from kitgen.importing.places import format_verbs, is_permission, parse_verbs
from kitgen.kit.model import ComponentPart, SectionItem
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.rules import parse_permission
from kitgen.render.context import RenderContext
from kitgen.render.kustomize.field_paths import apply_change
from kitgen.render.patches import apply_patches
from kitgen.text.yaml import Json, JsonObject


def reverse_patches(
    objects: Mapping[ObjectId, JsonObject],
    context: RenderContext,
    made: Sequence[Manifest],
    names: Container[str],
) -> tuple[dict[ObjectId, JsonObject], list[str]]:
    """Return objects without what patches did to them, and the names of patches that no longer fit.

    `made` is what the families make of the older spec, before any patch; `names` are of all objects.
    """
    items = (*context.part["patches"], *context.settings.patches)
    states = [list(made)]
    for item in items:
        states.append(apply_patches(_context_with_patch(context, item), states[-1]).value)
    bodies = dict(objects)
    stale = []
    for index in range(len(items) - 1, -1, -1):
        before = {each.id: each.body for each in states[index]}
        after = {each.id: each.body for each in states[index + 1]}
        found = {key: list(_compare_values(before[key], after[key])) for key in after if key in before}
        if (undone := _undo_changes(bodies, found)) is None or items[index].layers[0].data[
            "object"
        ] not in names:
            stale.append(items[index].layers[0].data["name"])
        else:
            bodies |= undone
    return bodies, stale


def _context_with_patch(context: RenderContext, item: SectionItem) -> RenderContext:
    sections = {**context.part.sections, "patches": (item,)}
    return replace(context, part=ComponentPart(sections), settings=replace(context.settings, patches=()))


def _undo_changes(
    bodies: Mapping[ObjectId, JsonObject],
    steps: Mapping[ObjectId, list[tuple[Path, Json | AbsentValue, Json | AbsentValue]]],
) -> dict[ObjectId, JsonObject] | None:
    """Return the objects that a patch changed as they were before; None if one is not as it left it."""
    made: dict[ObjectId, JsonObject] = {}
    for key, changes in steps.items():
        for path, before, after in reversed(changes):
            if key not in bodies or find_value(made.get(key, bodies[key]), path) != after:
                return None
            made[key] = _set_value(made.get(key, bodies[key]), path, before)
    return made


def _set_value(body: JsonObject, path: Path, value: Json | AbsentValue) -> JsonObject:
    if value is ABSENT:
        return remove_keys(body, path[:-1], {str(path[-1])})
    made: JsonObject = apply_change(body, path, lambda _: value)
    return made


def _compare_values(
    before: Json, after: Json, path: Path = ()
) -> Iterator[tuple[Path, Json | AbsentValue, Json | AbsentValue]]:
    """Yield the places at which one value becomes the other."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys((*before, *after)):
            a, b = before.get(key, ABSENT), after.get(key, ABSENT)
            if a != b:
                yield from _compare_values(a, b, (*path, key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (a, b) in enumerate(zip(before, after, strict=True)):
            if a != b:
                yield from _compare_values(a, b, (*path, index))
    else:
        yield path, before, after


def reverse_settings(
    wanted: Mapping[Path, Json], said: Mapping[Path, Json], context: RenderContext
) -> dict[Path, Json]:
    """Return what a tree wants of the component, without what its target sets by itself."""
    made = dict(wanted)
    for path in said:
        if is_permission(path) and (taken := _find_withheld_verbs(path, str(said[path]), context)):
            _restore_verbs(made, path, taken)
    for (role, key), setting in context.settings.role_labels.items():
        _restore_place(
            made, said, ("roles", role, "labels", key), ABSENT if setting.value is None else setting.value
        )
    if context.settings.replicas is not None:
        _restore_place(made, said, ("deployment", "replicas"), context.settings.replicas.value)
    return made


def _restore_verbs(made: dict[Path, Json], path: Path, taken: Mapping[str, set[str]]) -> None:
    """Put back what is withheld of a permission, unless a tree is not as that leaves it."""
    named = {(*path[:-1], f"{path[-1]}[{name}]"): verbs for name, verbs in taken.items() if name}
    have = {place: parse_verbs(made.get(place)) for place in (path, *named)}
    lost = set[str]().union(*taken.values())
    if have[path] & lost or any(not verbs <= have[place] for place, verbs in named.items()):
        return
    made[path] = format_verbs(have[path] | lost)
    for place, verbs in named.items():
        made[place] = format_verbs(have[place] - verbs)
        if not made[place]:
            del made[place]


def _find_withheld_verbs(path: Path, verbs: str, context: RenderContext) -> dict[str, set[str]]:
    """Return the verbs of a permission that the target withholds, and by name those that it keeps."""
    found: dict[str, set[str]] = {}
    for each in context.settings.withheld:
        for key, words in each.permissions.items() if each.role in ("", str(path[1])) else ():
            gone = collect_grants([parse_permission(key, words)]).get(str(path[3]), {}).keys() & parse_verbs(
                verbs
            )
            for name in ("", *each.keep) if gone else ():
                found.setdefault(name, set()).update(gone)
    return found


def _restore_place(
    made: dict[Path, Json], said: Mapping[Path, Json], path: Path, setting: Json | AbsentValue
) -> None:
    """Restore a place as the specs set it, if it is what the target makes of it."""
    if made.get(path, ABSENT) == setting:
        made.pop(path, None)
        made |= {path: said[path]} if path in said else {}
