"""Put decisions into words: what an owner says under each key, and what it removes."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from kitgen.compile.families.inverse import INVERSES
from kitgen.compile.inverse import Change
from kitgen.findings import Path
from kitgen.importer.places import highest, nested
from kitgen.importer.solve import Edit
from kitgen.yamlio import Json, JsonObject


class Said(Struct, frozen=True, kw_only=True):
    """What one owner says in the new spec."""

    data: JsonObject = field(default_factory=dict)
    remove: tuple[str, ...] = ()
    """Paths from the owner on; an empty one is the owner itself."""


def say(edit: Edit, words: Mapping[str, Json], places: Mapping[Path, Json], *, keep: bool = False) -> Said:
    """Say an edit over what the owner said before, which is given in words and place by place.

    With `keep`, there is more to the owner than its places.
    """
    left = [path for path in (*places, *edit.new) if path not in edit.gone or path in edit.new]
    if not left and not keep:
        return Said(remove=("",))
    gone = highest((path for path in edit.gone if path not in edit.new), left)
    new = nested(edit.new)
    data: JsonObject = {}
    remove: list[str] = []
    for inverse in INVERSES:
        key = inverse.key
        away = tuple(path[1:] for path in gone if path[0] == key)
        if key not in new and not away:
            continue
        if away == ((),):
            remove.append(f"/{key}")
            continue
        made = inverse.terms(Change(new=new.get(key), gone=away, old=words.get(key)))
        if made.section is not None:
            data[key] = made.section
        remove += [f"/{key}/{path}" if path else f"/{key}" for path in made.remove]
    return Said(data=data, remove=tuple(remove))
