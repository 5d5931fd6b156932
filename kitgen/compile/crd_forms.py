"""Expand the CRDs of components: as they are declared, and as features change them.

A form is what the CRDs of a component are with some of its features on. Targets with the same ones share it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from msgspec.structs import replace

from kitgen.compile.crd_sources import CrdEdit, declared_in, with_sources
from kitgen.compile.made import Made
from kitgen.compile.resolve import is_on
from kitgen.crds import Home, expand
from kitgen.crds.declare.declaration import aliases, full_name
from kitgen.crds.declare.edits import Action
from kitgen.findings import Finding, Path
from kitgen.kubernetes import minors
from kitgen.load.blame import misshapen
from kitgen.load.changing import CHANGE_MISFIT, change, is_same, located
from kitgen.load.merging import Said
from kitgen.model import Component, Feature, Layer, Settings
from kitgen.objects import Manifest
from kitgen.objects.manifest import value_at
from kitgen.schema.wording import choice
from kitgen.yamlio import Json, JsonObject

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
    declared = [Said(data, origin) for origin, data in component.crds]
    bodies, findings = _expanded(component, declared)
    made = (
        Manifest(body=body, sources=tuple(declared_in(each, body)))
        for each, body in zip(declared, bodies, strict=False)
    )
    return Made(tuple(made), findings)


def _expanded(
    component: Component, declared: Iterable[Said]
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
    first = [Said(data, origin) for origin, data in component.crds]
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
            _idle(each) for each in islice(idle, MOST_IDLE) if not _is_needed(each, component, edits, bodies)
        )
    crds = (
        with_sources(before, body, [each for each in edits if each.number == index], edits)
        for index, (before, body) in enumerate(zip(plain.value, bodies, strict=False))
    )
    return Made(tuple(crds), (*findings, *of_crds))


def _declaration(old: Said, layer: Layer) -> tuple[Said, list[Finding]]:
    """Return a declaration with what a feature changes in it, and what is wrong with that."""
    at = layer.origin
    said, wrong = change(old, layer.data, at, "crd")
    wrong = wrong or misshapen("crd", said, at.file, lambda _: at.path)
    if not wrong and full_name(said.data) != full_name(old.data):
        message = f"found another name for {full_name(old.data)}: {full_name(said.data)}"
        hint = "a CRD of another name is one of the feature's objects"
        wrong = [CHANGE_MISFIT(message, hint=hint).at(at)]
    return said, wrong


def _after(finding: Finding, features: Sequence[str]) -> Finding:
    """Name the features that come before one that would fit without them."""
    what = "the feature" if len(features) == 1 else "the features"
    return replace(finding, hint=f"{what} {choice(features, last='and')} changed the CRD before")


def _is_as_before(each: CrdEdit, old: tuple[Manifest, ...], new: tuple[JsonObject, ...]) -> bool:
    """Tell whether a change inside a named type is to what was there already: no declaration shows that."""
    before, after = old[each.number].body, new[each.number]
    same = is_same(_get(before, each.place(before)), _get(after, each.place(after)))
    return same and "/" in each.edit.path


def _is_needed(
    idle: CrdEdit, component: Component, edits: Iterable[CrdEdit], bodies: tuple[JsonObject, ...]
) -> bool:
    """Tell whether a CRD is another one without a change: it may keep what a change elsewhere alters."""
    declared = [Said(data, origin) for origin, data in component.crds]
    for each in (each for each in edits if each is not idle):
        data: JsonObject = {each.edit.action: {each.edit.path: each.edit.value}}
        if each.edit.action is Action.REMOVE:
            data = {each.edit.action: [each.edit.path]}
        declared[each.number], wrong = change(declared[each.number], data, each.layer.origin, "crd")
        if wrong:
            return True
    made, found = _expanded(component, declared)
    return bool(found) or not all(map(is_same, made, bodies))


def _idle(each: CrdEdit) -> Finding:
    message = f"found {each.edit.path!r}, which changes nothing"
    return CHANGE_MISFIT(message, hint="remove it").at(each.origin)


def _get(body: JsonObject, path: Path) -> Json:
    try:
        return [value_at(body, path)]
    except KeyError:
        return []
