"""Lead the parts of an expanded CRD back to its declaration, and to the features that change it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kitgen.crds.declare.edits import Edit
from kitgen.findings import By, Cause, Origin, Path
from kitgen.load.changing import is_same, steps_of
from kitgen.load.merging import Said
from kitgen.model import Layer
from kitgen.objects import Manifest, Source
from kitgen.objects.manifest import Move
from kitgen.yamlio import Json, JsonObject

DECLARED = Cause(By.CRD)
VERSION_KEYS = {"schema": ("schema", "openAPIV3Schema"), "columns": ("additionalPrinterColumns",), "more": ()}
"""Keys of a version in a declaration that a CRD has under other names."""
KEYS: dict[str, Path] = {"metadata": ("metadata",), "more": ("spec",), "types": (), "descriptions": ()}
"""Keys of a declaration that stand elsewhere than in the spec of a CRD."""
VERSIONS: Path = ("spec", "versions")


class CrdEdit(NamedTuple):
    """A change that a feature makes to one of the CRDs."""

    number: int
    """Of the CRD, among those of its component."""
    edit: Edit
    origin: Origin
    layer: Layer

    def place(self, body: JsonObject) -> Path:
        """Return where it is in a CRD; empty if it is in no single place."""
        first, *rest = steps_of(self.edit.path, "crd")
        if first != "versions":
            return KEYS.get(first, ("spec", first))
        name, *inside = rest
        names = [each["name"] for each in body["spec"]["versions"]]
        if name not in names:
            return (*VERSIONS, name)  # it is gone
        key = inside[:1]
        return (*VERSIONS, names.index(name), *(VERSION_KEYS.get(key[0], key) if key else ()), *inside[1:])

    def meets(self, other: CrdEdit) -> bool:
        """Tell whether another feature changes the same part, or something in it, or what it is in."""
        if other.number != self.number or other.layer is self.layer:
            return False
        pairs = zip(steps_of(self.edit.path, "crd"), steps_of(other.edit.path, "crd"), strict=False)
        return all(one == two for one, two in pairs)


def with_sources(
    before: Manifest, body: JsonObject, own: Iterable[CrdEdit], edits: Sequence[CrdEdit]
) -> Manifest:
    """Return a CRD whose changed parts lead to features; one that is as before stays itself.

    They are changes of its own, or of other CRDs whose schemas it uses.
    """
    changed = [*_differences(before.body, body, ())]
    if not changed:
        return before
    places = _Places(body, own)
    sources = (source for path in changed for source in _sources(path, places, edits))
    return _moved(before, body).with_(body, *dict.fromkeys(sources))


class _Places:
    """The changes of a CRD by their places, so that each is found without looking at all."""

    def __init__(self, body: JsonObject, edits: Iterable[CrdEdit]) -> None:
        self.edits = [(each.place(body), each) for each in edits]
        self.at: dict[Path, list[int]] = {}
        self.inside: dict[Path, list[int]] = {}
        for number, (place, _) in enumerate(self.edits):
            self.at.setdefault(place, []).append(number)
            for size in range(1, len(place)):
                self.inside.setdefault(place[:size], []).append(number)

    def near(self, path: Path) -> list[tuple[Path, CrdEdit]]:
        """Return the changes of a part, of what it is in or of something in it, in order."""
        above = (number for size in range(1, len(path) + 1) for number in self.at.get(path[:size], ()))
        return [self.edits[number] for number in sorted({*above, *self.inside.get(path, ())})]


def _moved(before: Manifest, body: JsonObject) -> Manifest:
    """Return a CRD whose sources are where the versions are that they are for."""
    old, new = ([each["name"] for each in some["spec"]["versions"]] for some in (before.body, body))
    if old == new[: len(old)]:
        return before
    return before.moved([Move(VERSIONS, tuple(new.index(name) if name in new else None for name in old))])


def _sources(path: Path, places: _Places, edits: Sequence[CrdEdit]) -> Iterator[Source]:
    """Yield what changed a part, in order; of a part that is used from another CRD, the change of that."""
    own = places.near(path)
    for place, each in own:
        yield _source(max(place, path, key=len), each, each.origin.at(*path[len(place) :]), verbatim=True)
    if not own:
        nearest = max(edits, key=lambda each: _common(steps_of(each.edit.path, "crd")[::-1], path[::-1]))
        yield _source(path, nearest, nearest.origin, verbatim=False)


def _source(path: Path, made: CrdEdit, origin: Origin, *, verbatim: bool) -> Source:
    layer, gone = made.layer, path[:-1] == VERSIONS and isinstance(path[-1], str)
    return Source(
        path=VERSIONS if gone else path,
        cause=DECLARED,
        origin=origin,
        asked=layer.cause,
        feature=layer.feature,
        why=layer.why,
        verbatim=verbatim,
        partial=gone,
    )


def _common(one: Path, other: Path) -> int:
    """Return how many steps two paths share from their start."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


def _differences(old: Json, new: Json, path: Path) -> Iterator[Path]:
    """Yield the places where two forms of a CRD differ; versions go by name, any other list is one value."""
    if old is new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*new, *old)):
            if key in old and key in new:
                yield from _differences(old[key], new[key], (*path, key))
            else:
                yield (*path, key)
    elif path == VERSIONS:
        before = {each["name"]: each for each in old}
        for index, each in enumerate(new):
            yield from _differences(before.pop(each["name"], None), each, (*path, index))
        yield from ((*path, name) for name in before)  # which are gone
    elif not is_same(old, new):
        yield path


def declared_in(said: Said, body: JsonObject) -> Iterator[Source]:
    """Yield where a CRD and the parts of each of its versions are declared."""
    declared, origin = said
    yield Source(path=(), cause=DECLARED, origin=origin)
    for key in ("group", "names", "scope"):
        if key in declared:
            yield Source(path=("spec", key), cause=DECLARED, origin=origin.at(key), verbatim=True)
    if "conversion" in declared:
        yield Source(path=("spec", "conversion"), cause=DECLARED, origin=origin.at("conversion"))
    for key in declared.get("metadata", {}):
        path: Path = ("metadata", key)
        yield Source(path=path, cause=DECLARED, origin=origin.at(*path), verbatim=True)
    for index, version in enumerate(body["spec"]["versions"]):
        place: Path = (*VERSIONS, index)
        at = origin.at("versions", version["name"])
        yield Source(path=place, cause=DECLARED, origin=at)
        schema: Path = (*place, "schema", "openAPIV3Schema")
        yield Source(path=schema, cause=DECLARED, origin=at.at("schema"), verbatim=True)
        columns = declared["versions"][version["name"]].get("columns", ())
        if len(columns) == len(version.get("additionalPrinterColumns", ())):
            listed = (*place, "additionalPrinterColumns")
            yield Source(path=listed, cause=DECLARED, origin=at.at("columns"), verbatim=True)
