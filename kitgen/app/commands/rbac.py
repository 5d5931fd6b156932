"""kitgen rbac: who can do what where."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import component_versions, offer, sources, targets
from kitgen.report.finish import talk
from kitgen.report.options import common, output
from kitgen.report.streams import colour, columns
from kitgen.text.wording import printable
from kitgen.text.yaml import JsonObject

if TYPE_CHECKING:
    from kitgen.kube.rbac.subjects import Person

LONGEST = 300
HEAD = ("where", "verbs", "on", "role")


@click.command(context_settings=HELP)
@click.argument("source", shell_complete=offer(targets, component_versions, sources, paths=True))
@click.option("--can", metavar="'VERB RESOURCE'", default="", help="Only those who may do this.")
@output("text", "json")
@common
def rbac(source: str, *, can: str, output: str, root: Path | None, quiet: bool) -> None:
    """Tell who can do what where in SOURCE.

    SOURCE is a target, one of its components, a component by itself, manifests, a folder that kustomize
    builds, an OLM bundle, or - for standard input. Told are service accounts, and users and groups that
    bindings name. Groups that every account is in count for accounts too, and roles that are made of others
    by their labels are resolved. Roles that are Kubernetes' own are named. The verbs read and manage stand
    for get, list and watch, and for those with create, delete, patch and update.

    \b
    kitgen rbac odh/kueue                        what Kueue may do
    kitgen rbac odh --can 'delete secrets'       who may delete secrets
    kitgen rbac odh --can 'list raycluster'      by plural, singular, kind or short name
    kubectl kustomize config | kitgen rbac -     of any manifests
    """
    from kitgen.app.rbac import PermissionsRequest, permissions
    from kitgen.report.documents import DocumentSchema, document
    from kitgen.report.table import table

    people = permissions(PermissionsRequest(root=root, source=source, can=can))
    if output == "json":
        click.echo(document(DocumentSchema.PERMISSIONS, holders=[_entry(each) for each in people]), nl=False)
        return
    coloured = colour(sys.stdout)
    width = columns(sys.stdout)
    alike: dict[tuple[tuple[str, ...], ...], list[Person]] = {}
    for person in people:
        alike.setdefault((*map(tuple, _rows(person)), _kind(person)), []).append(person)
    text = [
        table(_title(same), HEAD, _rows(same[0]), width=width, colour=coloured) for same in alike.values()
    ]
    click.echo("\n".join(text), nl=False, color=coloured)
    if not people:
        asked = f"may {' '.join(can.split())}" if can.split() else "gets a permission"
        talk(f"nobody {asked} here", quiet=quiet)


def _kind(person: Person) -> tuple[str, ...]:
    """Return what people must share beside their permissions to be told together."""
    whole = () if person.aggregate else (person.holder.namespace, person.holder.name)
    return (person.holder.kind, *whole)


def _title(people: list[Person]) -> str:
    first = people[0]
    if first.aggregate:
        return printable(f"Whoever has Kubernetes' own {' or '.join(each.holder.name for each in people)}")
    runs = f", runs {', '.join(first.runs)}" if first.runs else ""
    return printable(f"{first.holder}{runs}")


def _rows(person: Person) -> list[list[str]]:
    from kitgen.kube.rbac.rules import verb_words
    from kitgen.kube.rbac.subjects import scope

    bound = person.aggregate
    rows = [
        [scope(each.where, aggregate=bound), "-", each.grants, _role((each.role,), each.through)]
        for each in person.wholes
    ]
    alike: dict[tuple[str, str, str], list[str]] = {}
    for line in person.lines:
        names = f" [{_joined(line.names)}]" if line.names else ""
        group = "" if line.urls else f"{line.group or 'core'}/"
        where = scope(line.where, aggregate=bound)
        key = (where, " ".join(verb_words(line.verbs)), _role(line.roles, line.through))
        alike.setdefault(key, []).append(f"{group}{_joined(line.urls or line.resources)}{names}")
    rows += [[where, verbs, "; ".join(what), role] for (where, verbs, role), what in alike.items()]
    return rows or [["-", "-", "nothing", "-"]]


def _joined(words: tuple[str, ...]) -> str:
    """Write names in a row; one that is far too long loses its tail."""
    return ", ".join(each if len(each) <= LONGEST else f"{each[:LONGEST]}…" for each in words)


def _role(roles: tuple[str, ...], through: str) -> str:
    return ", ".join(roles) + (f" by {through}" if through else "")


def _entry(person: Person) -> JsonObject:
    bound = person.aggregate
    empty: JsonObject = {"group": None, "resources": [], "names": [], "urls": [], "verbs": []}
    wholes = [
        {
            **_scope(each.where, bound),
            "grants": "kubernetes" if each.own else "unknown",
            **empty,
            "roles": [each.role],
            "through": each.through or None,
        }
        for each in person.wholes
    ]
    lines = [
        {
            **_scope(each.where, bound),
            "grants": "listed",
            "group": None if each.urls else each.group,
            "resources": [*each.resources],
            "names": [*each.names],
            "urls": [*each.urls],
            "verbs": [*each.verbs],
            "roles": [*each.roles],
            "through": each.through or None,
        }
        for each in person.lines
    ]
    return {
        "kind": person.holder.kind,
        "namespace": person.holder.namespace or None,
        "name": person.holder.name,
        "runs": [*person.runs],
        "permissions": [*wholes, *lines],
    }


def _scope(namespace: str | None, bound: bool) -> JsonObject:
    if bound:
        return {"scope": "bound", "namespace": None}
    return {"scope": "cluster" if namespace is None else "namespace", "namespace": namespace or None}
