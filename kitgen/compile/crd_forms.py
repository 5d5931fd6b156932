"""Expand the CRDs of components: as they are declared, and as features change them.

A form is what the CRDs of a component are with some of its features on. Targets with the same ones share it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

from kitgen.compile.made import Made
from kitgen.compile.resolve import is_on
from kitgen.crds import Home, expand
from kitgen.crds.declare.declaration import aliases, full_name
from kitgen.crds.declare.edits import Edit
from kitgen.findings import By, Cause, Finding, Origin, Path
from kitgen.kubernetes import minors
from kitgen.load.blame import misshapen
from kitgen.load.changing import CHANGE_MISFIT, change, is_same, located, steps_of
from kitgen.load.merging import Said
from kitgen.model import Component, Feature, Layer, Settings
from kitgen.objects import Manifest, Source
from kitgen.objects.manifest import Move, value_at
from kitgen.yamlio import Json, JsonObject

DECLARED = Cause(By.CRD)
VERSION_KEYS = {"schema": ("schema", "openAPIV3Schema"), "columns": ("additionalPrinterColumns",), "more": ()}
"""Keys of a version in a declaration that a CRD has under other names."""
VERSIONS: Path = ("spec", "versions")


class _Form(NamedTuple):
    declared: tuple[Said, ...]
    crds: tuple[Manifest, ...]
    findings: tuple[Finding, ...]


class CrdForms:
    """Expands CRDs, each form once."""

    def __init__(self) -> None:
        self._made: dict[object, _Form] = {}

    def crds(self, component: Component, settings: Settings) -> Made[tuple[Manifest, ...]]:
        """Return a component's CRDs with the features that settings turn on, and what is wrong with them."""
        # What a version takes over as it is stays the same in memory, and is expanded once.
        declared = tuple(id(data) for _, data in component.crds)
        key: tuple[object, ...] = (declared, component.minor, component.prefix, component.namespace)
        if key not in self._made:
            self._made[key] = _plain(component)
        form = self._made[key]
        for feature in component.features.values():
            if feature.crds and is_on(feature, settings):
                key = (*key, *((name, id(layer.data)) for name, layer in feature.crds.items()))
                if key not in self._made:
                    self._made[key] = _changed(component, form, feature)
                form = self._made[key]
        return Made(form.crds, form.findings)


def _plain(component: Component) -> _Form:
    declared = tuple(Said(data, origin) for origin, data in component.crds)
    bodies, findings = _expanded(component, declared)
    made = (
        Manifest(body=body, sources=tuple(_declared_in(each, body)))
        for each, body in zip(declared, bodies, strict=False)
    )
    return _Form(declared, tuple(made), findings)


def _expanded(
    component: Component, declared: Iterable[Said]
) -> tuple[tuple[JsonObject, ...], tuple[Finding, ...]]:
    home = Home(prefix=component.prefix, namespace=component.namespace)
    # Without a minor no type is named, so any of them gives the same.
    minor = minors()[-1] if component.minor is None else component.minor
    made = expand([(each.origin, each.data) for each in declared], minor=minor, home=home)
    return made.bodies, made.findings


def _changed(component: Component, form: _Form, feature: Feature) -> _Form:
    """Return CRDs with what one more feature changes."""
    declared, findings = list(form.declared), list(form.findings)
    known = aliases(component.crds)
    places = {full_name(data): index for index, (_, data) in enumerate(component.crds)}
    made: list[tuple[int, Layer]] = []
    for name, layer in feature.crds.items():
        if (full := known.get(name)) is None:
            continue  # a finding of what is loaded
        index = places[full]
        said, wrong = change(declared[index], layer.data, layer.origin, "crd")
        wrong = wrong or misshapen("crd", said, layer.origin.file, partial(_always, layer.origin.path))
        if not wrong and full_name(said.data) != full:
            message = f"found another name for {full}: {full_name(said.data)}"
            hint = "a CRD of another name is one of the feature's objects"
            wrong = [CHANGE_MISFIT(message, hint=hint).at(layer.origin)]
        if wrong:
            findings += wrong
            continue
        declared[index] = said
        made.append((index, layer))
    bodies, of_crds = _expanded(component, declared)
    edits = [
        _Made(index, edit, origin, layer)
        for index, layer in made
        for edit, origin in located(layer.data, layer.origin)
    ]
    if not findings and not of_crds:
        findings += _without_effect(edits, form.crds, bodies)
    crds = [
        _with_sources(before, said, body, index, edits)
        for index, (before, said, body) in enumerate(zip(form.crds, declared, bodies, strict=False))
    ]
    return _Form(tuple(declared), tuple(crds), (*findings, *of_crds))


def _always(path: Path, _: Path) -> Path:
    return path


class _Made(NamedTuple):
    """A change that a feature makes to one of the CRDs."""

    number: int
    """Of the CRD, among those of its component."""
    edit: Edit
    origin: Origin
    layer: Layer

    def place(self, body: JsonObject) -> Path:
        """Return where it is in a CRD; empty if it is in no single place."""
        first, *rest = steps_of(self.edit.path, "crd")
        if first in ("types", "descriptions"):
            return ()
        if first != "versions":
            return (
                ("metadata", *rest)
                if first == "metadata"
                else ("spec", *([] if first == "more" else [first]))
            )
        name, *inside = rest
        names = [each["name"] for each in body["spec"]["versions"]]
        if name not in names:
            return VERSIONS
        key = inside[:1]
        return (*VERSIONS, names.index(name), *(VERSION_KEYS.get(key[0], key) if key else ()), *inside[1:])


def _without_effect(
    edits: Iterable[_Made], old: tuple[Manifest, ...], new: tuple[JsonObject, ...]
) -> Iterator[Finding]:
    """Yield changes inside a named type to what is there already; a declaration does not show them."""
    for each in edits:
        before, after = old[each.number].body, new[each.number]
        if "/" in each.edit.path and is_same(
            _get(before, each.place(before)), _get(after, each.place(after))
        ):
            message = f"found {each.edit.path!r}, which changes nothing"
            yield CHANGE_MISFIT(message, hint="remove it").at(each.origin)


def _get(body: JsonObject, path: Path) -> Json:
    try:
        return [value_at(body, path)]
    except KeyError:
        return []


def _with_sources(before: Manifest, said: Said, body: JsonObject, index: int, edits: list[_Made]) -> Manifest:
    """Return a CRD whose changed parts lead to the feature; one that is as before stays itself."""
    changed = [*_differences(before.body, body, ())]
    if not changed:
        return before
    features = _moved(before, body)
    own = [(each.place(body), each) for each in edits if each.number == index]
    sources = [_source(path, own, edits) for path in changed]
    return Manifest(body=body, sources=(*_declared_in(said, body), *features, *sources))


def _moved(before: Manifest, body: JsonObject) -> Iterator[Source]:
    """Yield what earlier features changed in a CRD, where it is now."""
    names = [each["name"] for each in body["spec"]["versions"]]
    places = (each["name"] for each in before.body["spec"]["versions"])
    move = Move(VERSIONS, tuple(names.index(name) if name in names else None for name in places))
    return (each for each in before.moved([move]).sources if each.feature)


def _source(path: Path, own: list[tuple[Path, _Made]], edits: list[_Made]) -> Source:
    """Return what changed a part: a change of that CRD, or one of another CRD whose schema it uses."""
    near = [(place, each) for place, each in own if place and _common(place, path) in (len(place), len(path))]
    if near:
        place, made = max(near, key=lambda each: _common(each[0], path))
        rest = path[len(place) :]
        origin = made.origin.at(*rest) if rest else made.origin
        exact = len(place) <= len(path)
    else:
        made = max(edits, key=lambda each: _common(_tail(each.edit.path), path[::-1]))
        origin, exact = made.origin, False
    layer = made.layer
    return Source(
        path=path,
        cause=DECLARED,
        origin=origin,
        asked=layer.cause,
        feature=layer.feature,
        why=layer.why,
        verbatim=exact,
        partial=path == VERSIONS,
    )


def _tail(path: str) -> Path:
    return steps_of(path, "crd")[::-1]


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
        before, names = {each["name"]: each for each in old}, [each["name"] for each in new]
        for index, each in enumerate(new):
            yield from _differences(before.get(each["name"]), each, (*path, index))
        if names != [*before]:
            yield path
    elif not is_same(old, new):
        yield path


def _declared_in(said: Said, body: JsonObject) -> Iterator[Source]:
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
