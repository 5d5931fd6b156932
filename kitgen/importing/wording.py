"""Write decisions as spec sections: what an owner sets under each key, and what it removes."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Path
from kitgen.importing.older_spec import SpecLayer, mark_role_expressions, restore_expressions, restore_path
from kitgen.importing.places import OwnerEdit, find_topmost_paths, nest_places
from kitgen.render.families.table import get_inverses
from kitgen.render.inverse import SectionChange
from kitgen.text.yaml import Json, JsonObject


def build_sections(edit: OwnerEdit, layer: SpecLayer, *, keep: bool = False) -> tuple[JsonObject, list[str]]:
    """Return what an edit says over what the owner said before, and the paths that it removes.

    Paths are from the owner on; an empty one is the owner itself. With `keep`, it has more than places.
    """
    words, places = layer.words, layer.places
    left = [path for path in (*places, *edit.new) if path not in edit.gone or path in edit.new]
    if not left and not keep:
        return {}, [""]
    gone = find_topmost_paths((path for path in edit.gone if path not in edit.new), left)
    gone += [
        lost
        for path, value in edit.new.items()
        if path in places
        for lost in _find_removed_paths(places[path], value, path)
    ]
    new = nest_places(edit.new)
    data: JsonObject = {}
    remove: list[str] = []
    for key, inverse in get_inverses().items():
        away = tuple(path[1:] for path in gone if path[0] == key)
        if key not in new and not away:
            continue
        if away == ((),):
            remove.append(f"/{key}")
            continue
        old, raw = words.get(key), layer.written.get(key)
        made = inverse.terms(SectionChange(new=new.get(key), gone=away, old=old))
        if made.section is not None:
            said = made.section if key == "objects" else mark_role_expressions(made.section)
            data[key] = restore_expressions(said, old, raw, (key,))
        ways = [restore_path(path, old, raw, (key,)) for path in made.remove]
        remove += [f"/{key}/{path}" if path else f"/{key}" for path in ways]
    return data, remove


def _find_removed_paths(old: Json, new: Json, path: Path) -> Iterator[Path]:
    """Yield what a thing that is said as a whole no longer has; a change is laid over what was."""
    if not isinstance(old, dict) or not isinstance(new, dict) or not new:
        return
    for key, value in old.items():
        if key not in new:
            yield (*path, key)
        else:
            yield from _find_removed_paths(value, new[key], (*path, key))
