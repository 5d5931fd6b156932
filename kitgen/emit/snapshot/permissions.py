"""The permission table of a target: who may do what where, by all of his roles."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile import Plan
from kitgen.kustomize.nameref import PODS
from kitgen.kustomize.ways import places
from kitgen.objects import Manifest
from kitgen.objects.rbac.access import ACCOUNT, Access, Holder
from kitgen.objects.rbac.folding import Line
from kitgen.objects.rbac.people import Person, people, scope, short_verbs


def permissions(plan: Plan) -> Iterator[str]:
    """Yield a paragraph for everybody, one line for the same verbs in a group of resources.

    What somebody may do as one of a group stands with the group alone.
    """
    objects = [manifest for unit in plan.units for manifest in unit.final]
    for number, person in enumerate(people(Access(objects), objects, _runs(objects))):
        if number:
            yield ""
        yield _title(person)
        yield from [*_lines(person)] or ["  nothing"]


def _runs(objects: list[Manifest]) -> dict[Holder, list[str]]:
    """Return the objects whose pods run as an account."""
    found: dict[Holder, list[str]] = {}
    for each in objects:
        specs = places(each.body, PODS[each.id.kind]) if each.id.kind in PODS else []
        for spec in (spec for _, spec in specs if isinstance(spec, dict)):
            name = str(spec.get("serviceAccountName") or spec.get("serviceAccount") or "default")
            found.setdefault(Holder(ACCOUNT, each.id.namespace, name), []).append(str(each.id))
    return found


def _title(person: Person) -> str:
    if person.aggregate:
        return f"Whoever has Kubernetes' own {person.holder.name}"
    runs = f", runs {', '.join(person.runs)}" if person.runs else ""
    return f"{person.holder}{runs}"


def _lines(person: Person) -> Iterator[str]:
    for whole in person.wholes:
        if not whole.through:
            yield f"  {scope(whole.where, aggregate=False)}: {whole.grants} ({whole.role})"
    for line in person.lines:
        if not line.through:
            where = scope(line.where, aggregate=person.aggregate)
            yield f"  {where}: {short_verbs(line.verbs)}: {_what(line)} ({', '.join(line.roles)})"


def _what(line: Line) -> str:
    names = f" [{', '.join(line.names)}]" if line.names else ""
    group = "" if line.urls else f"{line.group or 'core'}/"
    return f"{group}{', '.join(line.urls or line.resources)}{names}"
