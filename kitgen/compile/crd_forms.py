"""Expand the CRDs of components: as they are declared, and as features change them.

A form is what the CRDs of a component are with some of its features on. Targets with the same ones share it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from kitgen.compile.crd_sources import CrdEdit, declared_in, with_sources
from kitgen.compile.made import Made
from kitgen.compile.resolve import is_on
from kitgen.crds import Home, expand
from kitgen.crds.declare.declaration import aliases, full_name
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


class _Form(NamedTuple):
    declared: tuple[Said, ...]
    crds: tuple[Manifest, ...]
    findings: tuple[Finding, ...]
    features: tuple[str, ...] = ()


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
        Manifest(body=body, sources=tuple(declared_in(each, body)))
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
    edits: list[CrdEdit] = []
    # A name that is unknown is a finding of what is loaded.
    for layer, index in ((each, places[known[name]]) for name, each in feature.crds.items() if name in known):
        said, wrong = _declaration(declared[index], layer)
        if wrong and form.features and not _declaration(Said(*component.crds[index][::-1]), layer)[1]:
            wrong = [_after(each, form.features) for each in wrong]
        findings += wrong
        if not wrong:
            declared[index] = said
            edits += [CrdEdit(index, edit, at, layer) for edit, at in located(layer.data, layer.origin)]
    bodies, of_crds = _expanded(component, declared)
    if not any(each.blocks for each in (*findings, *of_crds)):
        idle = _same_as_before(edits, form.crds, bodies)
        findings += (_idle(each) for each in idle if not _is_needed(each, component, form, declared, bodies))
    crds = [
        with_sources(before, body, index, edits)
        for index, (before, body) in enumerate(zip(form.crds, bodies, strict=False))
    ]
    return _Form(tuple(declared), tuple(crds), (*findings, *of_crds), (*form.features, feature.name))


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


def _same_as_before(
    edits: Iterable[CrdEdit], old: tuple[Manifest, ...], new: tuple[JsonObject, ...]
) -> list[CrdEdit]:
    """Return changes inside a named type to what was there already; a declaration does not show them."""

    def is_as_before(each: CrdEdit) -> bool:
        before, after = old[each.number].body, new[each.number]
        return is_same(_get(before, each.place(before)), _get(after, each.place(after)))

    return [each for each in edits if "/" in each.edit.path and is_as_before(each)]


def _is_needed(
    each: CrdEdit,
    component: Component,
    form: _Form,
    declared: Sequence[Said],
    bodies: tuple[JsonObject, ...],
) -> bool:
    """Tell whether a CRD is another one without a change: it may keep what a change elsewhere alters."""
    action, path, data = each.edit.action, each.edit.path, dict(each.layer.data)
    data[action] = (
        [other for other in data[action] if other != path]
        if isinstance(data[action], list)
        else {other: value for other, value in data[action].items() if other != path}
    )
    said, wrong = change(form.declared[each.number], data, each.layer.origin, "crd")
    without = [said if index == each.number else other for index, other in enumerate(declared)]
    made, found = _expanded(component, without)
    return bool(wrong or found) or not all(map(is_same, made, bodies))


def _idle(each: CrdEdit) -> Finding:
    message = f"found {each.edit.path!r}, which changes nothing"
    return CHANGE_MISFIT(message, hint="remove it").at(each.origin)


def _get(body: JsonObject, path: Path) -> Json:
    try:
        return [value_at(body, path)]
    except KeyError:
        return []
