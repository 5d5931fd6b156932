"""kitgen list: what the kit holds."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kitgen.report.click_settings import HELP
from kitgen.report.finish import talk
from kitgen.report.options import common, output
from kitgen.report.streams import colour, columns
from kitgen.text.yaml import JsonObject

if TYPE_CHECKING:
    from kitgen.app.list import Listed, ListedUnused


@click.command(name="list", context_settings=HELP)
@click.option("--unused", is_flag=True, help="Show what no target or release reaches, and nothing else.")
@output("table", "json")
@common
def list_(unused: bool, output: str, root: Path | None, quiet: bool) -> None:
    """Show releases, targets, components and versions.

    With --unused, show versions, releases, bases, features, images and settings that nothing reaches.

    \b
    kitgen list            tables for people
    kitgen list -o json    the same for a program
    kitgen list --unused   what could go
    """
    from kitgen.app.list import ListRequest, list_kit, list_unused
    from kitgen.report.documents import DocumentSchema, document

    request = ListRequest(root=root)
    form, content = (
        (DocumentSchema.UNUSED, _unused(list_unused(request)))
        if unused
        else (DocumentSchema.KIT, _content(list_kit(request)))
    )
    if output == "json":
        click.echo(document(form, **content), nl=False)
    elif not unused:
        _show(_tables(content))
    elif content["unused"]:
        _show(_unused_table(content))
    else:
        talk("a target or a release reaches all that the kit has", quiet=quiet)


def _show(tables: Iterable[tuple[str, tuple[str, ...], list[list[str]]]]) -> None:
    from kitgen.report.table import table

    for title, head, rows in tables:
        coloured = colour(sys.stdout)
        click.echo(table(title, head, rows, width=columns(sys.stdout), colour=coloured), color=coloured)


def _content(listed: Listed) -> JsonObject:
    kit = listed.kit
    return {
        "kit": kit.name,
        "releases": [
            {
                "name": each.name,
                "date": each.date,
                "replaces": each.replaces,
                "components": each.components,
                "records": each.records,
            }
            for each in kit.releases.values()
        ],
        "targets": [
            {
                "name": name,
                "release": each.release,
                "ships": listed.ships[name],
                "about": each.about,
                "overrides": [
                    {"component": of, "version": own.version, "releases": own.releases, "why": own.why}
                    for of, some in each.overrides.items()
                    for own in some
                ],
            }
            for name, each in kit.targets.items()
        ],
        "components": [
            {
                "name": each.name,
                "version": each.version,
                "about": each.about,
                "crds": len(each.crds),
                "features": list(each.features),
            }
            for versions in kit.components.values()
            for each in versions.values()
        ],
    }


def _tables(content: JsonObject) -> Iterator[tuple[str, tuple[str, ...], list[list[str]]]]:
    """Yield the title, the head and the rows of each table."""

    def pairs(versions: dict[str, str]) -> str:
        return ", ".join(f"{name} {version}" for name, version in versions.items()) or "-"

    rows = [
        [each["name"], each["date"] or "-", pairs(each["components"]), pairs(each["records"])]
        for each in content["releases"]
    ]
    yield "Releases", ("release", "date", "builds", "records"), rows
    rows = [[t["name"], t["release"], ", ".join(t["ships"]), t["about"]] for t in content["targets"]]
    yield "Targets", ("target", "release", "ships", "about"), rows
    own = [(target["name"], each) for target in content["targets"] for each in target["overrides"]]
    rows = [[name, o["component"], o["version"], o["releases"], o["why"]] for name, o in own]
    if rows:
        yield "Overrides", ("target", "component", "version", "releases", "why"), rows
    rows = [
        [c["name"], c["version"], str(c["crds"]), ", ".join(c["features"]) or "-"]
        for c in content["components"]
    ]
    yield "Components", ("component", "version", "CRDs", "features"), rows


def _unused(listed: ListedUnused) -> JsonObject:
    from kitgen.findings import pointer

    return {
        "kit": listed.kit,
        "unused": [
            {
                "kind": each.kind,
                "name": each.name,
                "file": each.origin.file,
                "line": each.origin.line,
                "pointer": pointer(each.origin.path),
                "why": each.why,
            }
            for each in listed.found
        ],
    }


def _unused_table(content: JsonObject) -> Iterator[tuple[str, tuple[str, ...], list[list[str]]]]:
    rows = [[u["kind"], u["name"], f"{u['file']}:{u['line']}", u["why"]] for u in content["unused"]]
    yield "Unused", ("kind", "name", "where", "why"), rows
