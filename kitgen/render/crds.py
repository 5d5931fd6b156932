"""Expand the CRDs of components, as declared and as features change them.

Targets with the same features share one expansion. Each part of an expanded CRD can be traced back to its
declaration, and to the features that change it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from msgspec.structs import replace

from kitgen.crd.declaration import (
    ServiceNaming,
    crd_full_name,
    describe_crds,
    expand_crds,
    list_crd_aliases,
)
from kitgen.crd.schema_edits import SchemaEdit
from kitgen.findings import Cause, CauseKind, Finding, Origin, Path, make_problem
from kitgen.kit.file_changes import apply_spec_changes, is_same_value, locate_edits, parse_edit_path
from kitgen.kit.merge import SpecValue
from kitgen.kit.model import Component, Feature, Layer, Settings
from kitgen.kit.spec_files import check_shape
from kitgen.kube.definitions import list_minors
from kitgen.kube.manifest import FieldSource, ListMove, Manifest
from kitgen.render.context import ComputedValue
from kitgen.render.settings import is_feature_on
from kitgen.text.values import group_pairs
from kitgen.text.wording import join_words
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

    def path_in(self, body: JsonObject) -> Path:
        """Return where it is in a CRD; empty if it is in no single place."""
        first, *rest = parse_edit_path(self.edit.path, "crd")
        if first != "versions":
            return KEYS.get(first, ("spec", first))
        name, *inside = rest
        names = [each["name"] for each in body["spec"]["versions"]]
        if name not in names:
            return (*VERSIONS, name)  # it is gone
        key = inside[:1]
        return (*VERSIONS, names.index(name), *(VERSION_KEYS.get(key[0], key) if key else ()), *inside[1:])


def add_edit_sources(
    before: Manifest, body: JsonObject, own: Iterable[CrdEdit], edits: Sequence[CrdEdit]
) -> Manifest:
    """Return a CRD whose changed parts lead to features; one that is as before stays itself.

    They are changes of its own, or of other CRDs whose schemas it uses.
    """
    if not (changed := [*_compare_values(before.body, body, ())]):
        return before
    places = _Places(body, own)
    sources = dict.fromkeys(source for path in changed for source in _build_sources(path, places, edits))
    old, new = ([each["name"] for each in some["spec"]["versions"]] for some in (before.body, body))
    if old != new[: len(old)]:  # sources go where the versions are that they are for
        moved = tuple(new.index(name) if name in new else None for name in old)
        before = before.apply_moves([ListMove(VERSIONS, moved)])
    return before.replace_body(body, *sources)


class _Places:
    """The changes of a CRD by their places, so that each is found without looking at all."""

    def __init__(self, body: JsonObject, edits: Iterable[CrdEdit]) -> None:
        self.edits = [(each.path_in(body), each) for each in edits]
        places = [(number, place) for number, (place, _) in enumerate(self.edits)]
        self.at = group_pairs((place, number) for number, place in places)
        self.inside = group_pairs(
            (place[:size], number) for number, place in places for size in range(1, len(place))
        )

    def find_edits(self, path: Path) -> list[tuple[Path, CrdEdit]]:
        """Return the changes of a part, of what it is in or of something in it, in order."""
        above = (number for size in range(1, len(path) + 1) for number in self.at.get(path[:size], ()))
        return [self.edits[number] for number in sorted({*above, *self.inside.get(path, ())})]


def _build_sources(path: Path, places: _Places, edits: Sequence[CrdEdit]) -> Iterator[FieldSource]:
    """Yield what changed a part, in order; of a part that is used from another CRD, the change of that."""
    own = places.find_edits(path)
    for place, each in own:
        yield _build_source(
            max(place, path, key=len), each, each.origin.at(*path[len(place) :]), verbatim=True
        )
    if not own:
        nearest = max(
            edits, key=lambda each: _count_common_suffix(parse_edit_path(each.edit.path, "crd"), path)
        )
        yield _build_source(path, nearest, nearest.origin, verbatim=False)


def _build_source(path: Path, made: CrdEdit, origin: Origin, *, verbatim: bool) -> FieldSource:
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


def _count_common_suffix(one: Path, other: Path) -> int:
    """Return how many steps two paths share at their end."""
    return len([*takewhile(lambda pair: pair[0] == pair[1], zip(one[::-1], other[::-1], strict=False))])


def _compare_values(old: Json, new: Json, path: Path) -> Iterator[Path]:
    """Yield the places where two forms of a CRD differ; versions go by name, any other list is one value."""
    if old is new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*new, *old)):
            if key in old and key in new:
                yield from _compare_values(old[key], new[key], (*path, key))
            else:
                yield (*path, key)
    elif path == VERSIONS:
        before = {each["name"]: each for each in old}
        for index, each in enumerate(new):
            yield from _compare_values(before.pop(each["name"], None), each, (*path, index))
        yield from ((*path, name) for name in before)  # which are gone
    elif not is_same_value(old, new):
        yield path


def build_declaration_sources(said: SpecValue, body: JsonObject) -> Iterator[FieldSource]:
    """Yield where a CRD and the parts of each of its versions are declared."""
    declared, origin = said.data, said.origin
    yield FieldSource(path=(), cause=DECLARED, origin=origin)
    for key in ("group", "names", "scope"):
        if key in declared:
            yield FieldSource(path=("spec", key), cause=DECLARED, origin=origin.at(key), verbatim=True)
    if "conversion" in declared:
        yield FieldSource(path=("spec", "conversion"), cause=DECLARED, origin=origin.at("conversion"))
    path: Path
    for key in declared.get("metadata", {}):
        path = ("metadata", key)
        yield FieldSource(path=path, cause=DECLARED, origin=origin.at(*path), verbatim=True)
    for index, version in enumerate(body["spec"]["versions"]):
        place, at = (*VERSIONS, index), origin.at("versions", version["name"])
        yield FieldSource(path=place, cause=DECLARED, origin=at)
        keys = ["schema"]
        columns = declared["versions"][version["name"]].get("columns", ())
        if len(columns) == len(version.get("additionalPrinterColumns", ())):
            keys.append("columns")
        for key in keys:
            path = (*place, *VERSION_KEYS[key])
            yield FieldSource(path=path, cause=DECLARED, origin=at.at(key), verbatim=True)


class CrdExpander:
    """Expands CRDs, each form once."""

    def __init__(self) -> None:
        self._made: dict[object, ComputedValue[tuple[Manifest, ...]]] = {}

    def expand(self, component: Component, settings: Settings) -> ComputedValue[tuple[Manifest, ...]]:
        """Return a component's CRDs with the features that settings turn on, and what is wrong with them."""
        on = _list_changing_features(component, settings)
        # What a version takes over as it is stays the same in memory, and is expanded once.
        declared = tuple(id(data) for _, data in component.crds)
        plain = (declared, component.minor, component.prefix, component.namespace)
        changes = tuple(id(layer.data) for each in on for layer in each.crds.values())
        if (plain, ()) not in self._made:
            self._made[plain, ()] = _expand_declared(component)
        if (plain, changes) not in self._made:
            self._made[plain, changes] = _apply_features(component, self._made[plain, ()], on)
        return self._made[plain, changes]

    def describe(self, component: Component, settings: Settings) -> tuple[Manifest, ...]:
        """Return the same CRDs without their schemas."""
        declared, *_ = _change_declarations(component, _list_changing_features(component, settings))
        bodies = describe_crds([(each.origin, each.data) for each in declared], _find_services(component))
        return tuple(Manifest(body=body, sources=()) for body in bodies)


def _list_changing_features(component: Component, settings: Settings) -> list[Feature]:
    return [each for each in component.features.values() if each.crds and is_feature_on(each, settings)]


def _find_services(component: Component) -> ServiceNaming:
    return ServiceNaming(prefix=component.prefix, namespace=component.namespace)


def _expand_declared(component: Component) -> ComputedValue[tuple[Manifest, ...]]:
    declared = [SpecValue(data, origin) for origin, data in component.crds]
    bodies, findings = _expand_crds(component, declared)
    made = (
        Manifest(body=body, sources=tuple(build_declaration_sources(each, body)))
        for each, body in zip(declared, bodies, strict=False)
    )
    return ComputedValue(tuple(made), findings)


def _expand_crds(
    component: Component, declared: Iterable[SpecValue]
) -> tuple[tuple[JsonObject, ...], tuple[Finding, ...]]:
    # Without a minor no type is named, so any of them gives the same.
    minor = list_minors()[-1] if component.minor is None else component.minor
    home = _find_services(component)
    made = expand_crds([(each.origin, each.data) for each in declared], minor=minor, home=home)
    return made.bodies, made.findings


def _apply_features(
    component: Component, plain: ComputedValue[tuple[Manifest, ...]], features: Iterable[Feature]
) -> ComputedValue[tuple[Manifest, ...]]:
    """Return CRDs with what features change."""
    declared, edits, findings = _change_declarations(component, features)
    bodies, of_crds = _expand_crds(component, declared)
    crds = (
        add_edit_sources(before, body, [each for each in edits if each.number == index], edits)
        for index, (before, body) in enumerate(zip(plain.value, bodies, strict=False))
    )
    return ComputedValue(tuple(crds), (*plain.findings, *findings, *of_crds))


def _change_declarations(
    component: Component, features: Iterable[Feature]
) -> tuple[list[SpecValue], list[CrdEdit], list[Finding]]:
    """Return declarations with the changes of features, one after the other, and what cannot be changed."""
    first = [SpecValue(data, origin) for origin, data in component.crds]
    declared, edits, findings = list(first), list[CrdEdit](), list[Finding]()
    places = {crd_full_name(each.data): index for index, each in enumerate(first)}
    # A name that is unknown is a finding of what is loaded.
    known = {name: places[full] for name, full in list_crd_aliases(component.crds).items()}
    layers = (item for each in features for item in each.crds.items())
    for index, layer in ((known[name], layer) for name, layer in layers if name in known):
        said, wrong = _change_declaration(declared[index], layer)
        if wrong and declared[index] is not first[index] and not _change_declaration(first[index], layer)[1]:
            before = [*dict.fromkeys(each.layer.feature for each in edits if each.number == index)]
            what = "the feature" if len(before) == 1 else "the features"
            hint = f"{what} {join_words(before, last='and')} changed the CRD before"  # else it would fit
            wrong = [replace(each, hint=hint) for each in wrong]
        findings += wrong
        if not wrong:
            declared[index] = said
            edits += [CrdEdit(index, edit, at, layer) for edit, at in locate_edits(layer.data, layer.origin)]
    return declared, edits, findings


def _change_declaration(old: SpecValue, layer: Layer) -> tuple[SpecValue, list[Finding]]:
    """Return a declaration with what a feature changes in it, and what is wrong with that."""
    at = layer.origin
    said, wrong = apply_spec_changes(old, layer.data, at, "crd")
    wrong = wrong or check_shape("crd", said, at.file, lambda _: at.path)
    if not wrong and crd_full_name(said.data) != crd_full_name(old.data):
        wrong = [
            make_problem(
                "change-misfit",
                f"found another name for {crd_full_name(old.data)}: {crd_full_name(said.data)}",
                hint="a CRD of another name is one of the feature's objects",
            ).to_finding(at)
        ]
    return said, wrong
