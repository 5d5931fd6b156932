"""Expand the CRDs of components, as declared and as features change them.

Targets with the same features share one expansion. Each part of an expanded CRD can be traced back to its
declaration, and to the features that change it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from kitgen.crd.declaration import Home, aliases, expand, full_name
from kitgen.crd.schema_edits import Action, SchemaEdit
from kitgen.findings import Cause, CauseKind, Finding, Origin, Path, problem
from kitgen.kit.file_changes import change, is_same, located, steps_of
from kitgen.kit.merge import SpecValue
from kitgen.kit.model import Component, Feature, Layer, Settings
from kitgen.kit.spec_files import misshapen
from kitgen.kube.definitions import minors
from kitgen.kube.manifest import FieldSource, ListMove, Manifest, existing_value
from kitgen.render.context import Made
from kitgen.render.settings import is_on
from kitgen.text.wording import choice
from kitgen.text.yaml import Json, JsonObject

DECLARED = Cause(CauseKind.CRD)
VERSION_KEYS = {"schema": ("schema", "openAPIV3Schema"), "columns": ("additionalPrinterColumns",), "more": ()}
"""Keys of a version in a declaration that a CRD has under other names."""
KEYS: dict[str, Path] = {"metadata": ("metadata",), "more": ("spec",), "types": (), "descriptions": ()}
"""Keys of a declaration that stand elsewhere than in the spec of a CRD."""
VERSIONS: Path = ("spec", "versions")


class CrdEdit(NamedTuple):
    """A change that a feature makes to one of the CRDs."""

    number: int
    """Of the CRD, among those of its component."""
    edit: SchemaEdit
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
        """Return whether another feature changes the same part, or something in it, or what it is in."""
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
    if not (changed := [*_differences(before.body, body, ())]):
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
    return before.moved([ListMove(VERSIONS, tuple(new.index(name) if name in new else None for name in old))])


def _sources(path: Path, places: _Places, edits: Sequence[CrdEdit]) -> Iterator[FieldSource]:
    """Yield what changed a part, in order; of a part that is used from another CRD, the change of that."""
    own = places.near(path)
    for place, each in own:
        yield _source(max(place, path, key=len), each, each.origin.at(*path[len(place) :]), verbatim=True)
    if not own:
        nearest = max(edits, key=lambda each: _common(steps_of(each.edit.path, "crd")[::-1], path[::-1]))
        yield _source(path, nearest, nearest.origin, verbatim=False)


def _source(path: Path, made: CrdEdit, origin: Origin, *, verbatim: bool) -> FieldSource:
    layer, gone = made.layer, path[:-1] == VERSIONS and isinstance(path[-1], str)
    return FieldSource(
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


def declared_in(said: SpecValue, body: JsonObject) -> Iterator[FieldSource]:
    """Yield where a CRD and the parts of each of its versions are declared."""
    declared, origin = said
    yield FieldSource(path=(), cause=DECLARED, origin=origin)
    for key in ("group", "names", "scope"):
        if key in declared:
            yield FieldSource(path=("spec", key), cause=DECLARED, origin=origin.at(key), verbatim=True)
    if "conversion" in declared:
        yield FieldSource(path=("spec", "conversion"), cause=DECLARED, origin=origin.at("conversion"))
    for key in declared.get("metadata", {}):
        path: Path = ("metadata", key)
        yield FieldSource(path=path, cause=DECLARED, origin=origin.at(*path), verbatim=True)
    for index, version in enumerate(body["spec"]["versions"]):
        place: Path = (*VERSIONS, index)
        at = origin.at("versions", version["name"])
        yield FieldSource(path=place, cause=DECLARED, origin=at)
        schema: Path = (*place, "schema", "openAPIV3Schema")
        yield FieldSource(path=schema, cause=DECLARED, origin=at.at("schema"), verbatim=True)
        columns = declared["versions"][version["name"]].get("columns", ())
        if len(columns) == len(version.get("additionalPrinterColumns", ())):
            listed = (*place, "additionalPrinterColumns")
            yield FieldSource(path=listed, cause=DECLARED, origin=at.at("columns"), verbatim=True)


MOST_IDLE = 20
"""How many changes that seem to do nothing are tried: each takes an expansion."""


class CrdForms:
    """Expands CRDs, each form once."""

    def __init__(self) -> None:
        self._made: dict[object, Made[tuple[Manifest, ...]]] = {}

    def crds(self, component: Component, settings: Settings) -> Made[tuple[Manifest, ...]]:
        """Return a component's CRDs with the features that settings turn on, and what is wrong with them."""
        on = [each for each in component.features.values() if each.crds and is_on(each, settings)]
        # What a version takes over as it is stays the same in memory, and is expanded once.
        declared = tuple(id(data) for _, data in component.crds)
        plain = (declared, component.minor, component.prefix, component.namespace)
        changes = tuple(id(layer.data) for each in on for layer in each.crds.values())
        if (plain, ()) not in self._made:
            self._made[plain, ()] = _plain(component)
        if (plain, changes) not in self._made:
            self._made[plain, changes] = _changed(component, self._made[plain, ()], on)
        return self._made[plain, changes]


def _plain(component: Component) -> Made[tuple[Manifest, ...]]:
    declared = [SpecValue(data, origin) for origin, data in component.crds]
    bodies, findings = _expanded(component, declared)
    made = (
        Manifest(body=body, sources=tuple(declared_in(each, body)))
        for each, body in zip(declared, bodies, strict=False)
    )
    return Made(tuple(made), findings)


def _expanded(
    component: Component, declared: Iterable[SpecValue]
) -> tuple[tuple[JsonObject, ...], tuple[Finding, ...]]:
    home = Home(prefix=component.prefix, namespace=component.namespace)
    # Without a minor no type is named, so any of them gives the same.
    minor = minors()[-1] if component.minor is None else component.minor
    made = expand([(each.origin, each.data) for each in declared], minor=minor, home=home)
    return made.bodies, made.findings


def _changed(
    component: Component, plain: Made[tuple[Manifest, ...]], features: Iterable[Feature]
) -> Made[tuple[Manifest, ...]]:
    """Return CRDs with what features change, one after the other."""
    first = [SpecValue(data, origin) for origin, data in component.crds]
    declared, findings, edits = list(first), list(plain.findings), list[CrdEdit]()
    places = {full_name(each.data): index for index, each in enumerate(first)}
    # A name that is unknown is a finding of what is loaded.
    known = {name: places[full] for name, full in aliases(component.crds).items()}
    layers = (item for each in features for item in each.crds.items() if item[0] in known)
    for index, layer in ((known[name], layer) for name, layer in layers):
        said, wrong = _declaration(declared[index], layer)
        if wrong and declared[index] is not first[index] and not _declaration(first[index], layer)[1]:
            before = [*dict.fromkeys(each.layer.feature for each in edits if each.number == index)]
            wrong = [_after(each, before) for each in wrong]
        findings += wrong
        if not wrong:
            declared[index] = said
            edits += [CrdEdit(index, edit, at, layer) for edit, at in located(layer.data, layer.origin)]
    bodies, of_crds = _expanded(component, declared)
    if not any(each.blocks for each in (*findings, *of_crds)):
        own = (each for each in edits if not any(map(each.meets, edits)))
        idle = (each for each in own if _is_as_before(each, plain.value, bodies))
        findings += (
            problem("change-misfit", f"found {each.edit.path!r}, which changes nothing", hint="remove it").at(
                each.origin
            )
            for each in islice(idle, MOST_IDLE)
            if not _is_needed(each, component, edits, bodies)
        )
    crds = (
        with_sources(before, body, [each for each in edits if each.number == index], edits)
        for index, (before, body) in enumerate(zip(plain.value, bodies, strict=False))
    )
    return Made(tuple(crds), (*findings, *of_crds))


def _declaration(old: SpecValue, layer: Layer) -> tuple[SpecValue, list[Finding]]:
    """Return a declaration with what a feature changes in it, and what is wrong with that."""
    at = layer.origin
    said, wrong = change(old, layer.data, at, "crd")
    wrong = wrong or misshapen("crd", said, at.file, lambda _: at.path)
    if not wrong and full_name(said.data) != full_name(old.data):
        wrong = [
            problem(
                "change-misfit",
                f"found another name for {full_name(old.data)}: {full_name(said.data)}",
                hint="a CRD of another name is one of the feature's objects",
            ).at(at)
        ]
    return said, wrong


def _after(finding: Finding, features: Sequence[str]) -> Finding:
    """Name the features that come before one that would fit without them."""
    what = "the feature" if len(features) == 1 else "the features"
    return replace(finding, hint=f"{what} {choice(features, last='and')} changed the CRD before")


def _is_as_before(each: CrdEdit, old: tuple[Manifest, ...], new: tuple[JsonObject, ...]) -> bool:
    """Return whether a change inside a named type is to what was there already: no declaration shows that."""
    before, after = old[each.number].body, new[each.number]
    return is_same(_get(before, each.place(before)), _get(after, each.place(after))) and "/" in each.edit.path


def _is_needed(
    idle: CrdEdit, component: Component, edits: Iterable[CrdEdit], bodies: tuple[JsonObject, ...]
) -> bool:
    """Return whether a CRD is another one without a change: it may keep what a change elsewhere alters."""
    declared = [SpecValue(data, origin) for origin, data in component.crds]
    for each in (each for each in edits if each is not idle):
        data: JsonObject = {each.edit.action: {each.edit.path: each.edit.value}}
        if each.edit.action is Action.REMOVE:
            data = {each.edit.action: [each.edit.path]}
        declared[each.number], wrong = change(declared[each.number], data, each.layer.origin, "crd")
        if wrong:
            return True
    made, found = _expanded(component, declared)
    return bool(found) or not all(map(is_same, made, bodies))


def _get(body: JsonObject, path: Path) -> Json:
    try:
        return [existing_value(body, path)]
    except KeyError:
        return []
