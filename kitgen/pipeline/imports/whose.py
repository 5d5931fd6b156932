"""Find out whose tree it is: the component's own, or that of a target that the kit has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from kitgen.compile import Unit
from kitgen.compile.context import Context
from kitgen.compile.resolve import resolve
from kitgen.crds.declare.names import declarations, resources
from kitgen.diff.objects import compare
from kitgen.importer.survey import main_namespace
from kitgen.model import Component, NamespaceSetting, Setting, Settings
from kitgen.pipeline.compiled import compiled, placement_of
from kitgen.pipeline.opened import Opened
from kitgen.pipeline.sources import Kind, SourceName
from kitgen.yamlio import JsonObject

CRD = "CustomResourceDefinition"
WHOLE = 10
"""How many fields an object counts for that only one side has."""


def contexts_of(
    opened: Opened, component: Component, version: str, who: str, prefix: str, namespace: str
) -> tuple[Context, Context]:
    """Return a component as a target has it, or by itself, and the same with all features on.

    It is as a new version of it would be that changes nothing but the prefix and the namespace: settings and
    expressions go by the version.
    """
    names = resources(declarations(opened.kit))
    newer = replace(component, version=version, prefix=prefix)
    settings, of = Settings(origin=component.origin), None
    if who:
        placement = placement_of(opened, opened.target(who), {component.name: component.version})
        settings, of = placement.settings(newer), (placement.target, placement.release)
        place = settings.namespace or Setting(value=NamespaceSetting(name=""), origin=component.origin)
        if namespace and namespace != (place.value.name or component.namespace):
            moved = replace(place, value=replace(place.value, name=namespace))
            settings = replace(settings, namespace=moved)
    elif namespace:
        newer = replace(newer, namespace=namespace)
    every = {name: Setting(value=True, origin=component.origin) for name in component.features}
    full = replace(settings, features=every)
    return resolve(newer, settings, of, names).value, resolve(newer, full, of, names).value


def home_of(opened: Opened, name: str, version: str, who: str) -> str:
    """Return the namespace that a target says for a version of a component; empty if it says none."""
    target = opened.target(who)
    first, *more = target.settings.get(name, target.settings[""])
    said = [first, *(each for each in more if each.fits(version, target.release))]
    found = [each.settings.namespace.value.name for each in said if each.settings.namespace]
    return found[-1] if found else ""


def with_prefix(bodies: Sequence[JsonObject], now: str, before: str) -> Sequence[JsonObject]:
    """Return objects that are called as they were with another prefix."""
    return bodies if now == before else [_renamed(each, now, before) for each in bodies]


def _renamed(body: JsonObject, now: str, before: str) -> JsonObject:
    name = str(body["metadata"]["name"])
    new = before + name.removeprefix(now) if name.startswith(now) else name
    return {**body, "metadata": {**body["metadata"], "name": new}}


def whose(bodies: Sequence[JsonObject], opened: Opened, component: Component, among: Iterable[str]) -> str:
    """Return the target whose objects are nearest to a tree; empty for the component by itself."""
    own = [each for each in bodies if each.get("kind") != CRD]
    best, least = "", -1
    for who in among:
        objects = objects_of(opened, component, who)
        if objects is None:
            continue
        theirs = [each for each in objects if each.get("kind") != CRD]
        compared = compare(_anywhere(theirs), _anywhere(own))
        found = sum(1 if each.field else WHOLE for each in compared.differences)
        found += WHOLE * (main_namespace(theirs) != main_namespace(own))
        if least < 0 or found < least:
            best, least = who, found
    return best


def _anywhere(objects: Sequence[JsonObject]) -> list[JsonObject]:
    """Return objects that do not say the namespace in which most of them are."""
    home = ("namespace", main_namespace(objects))
    metas = (dict(each for each in body["metadata"].items() if each != home) for body in objects)
    return [{**body, "metadata": meta} for body, meta in zip(objects, metas, strict=True)]


def objects_of(
    opened: Opened, component: Component, who: str, versions: Mapping[str, str] | None = None
) -> list[JsonObject] | None:
    """Return what a target gets of a component, its CRDs included; None if it does not have it."""
    if not who:
        name = SourceName(kind=Kind.COMPONENT, name=component.name, version=component.version)
        return [each.body for each in compiled(opened, name, others=versions).objects]
    wanted = {**(versions or {}), component.name: component.version}
    placement = placement_of(opened, opened.target(who), wanted)
    if not placement.settings(component).managed or placement.carrier(component) is not component:
        if not placement.settings(component).managed:
            return None
        return [each.body for each in opened.session.labelled_crds(placement, component)]
    return [each.body for each in opened.session.unit(placement, component).final]


def unit_of(opened: Opened, component: Component, who: str, versions: Mapping[str, str]) -> Unit | None:
    """Return a component as it is compiled for a target, or by itself; None if it is nothing there."""
    if not who:
        return opened.session.alone(component)
    placement = placement_of(opened, opened.target(who), {**versions, component.name: component.version})
    if not placement.settings(component).managed or placement.carrier(component) is not component:
        return None
    return opened.session.unit(placement, component)
