"""kitgen list: what the kit holds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kitgen.cli import HELP
from kitgen.cli.options import common, output
from kitgen.cli.terminal import colour, columns
from kitgen.yamlio import JsonObject

if TYPE_CHECKING:
    from kitgen.pipeline.listing import Listed


@click.command(name="list", context_settings=HELP)
@output("table", "json")
@common
def list_(output: str, root: Path | None, quiet: bool) -> None:
    """Show releases, targets, components and versions.

    \b
    kitgen list            a table for people
    kitgen list -o json    the same for a program
    """
    from kitgen.pipeline.listing import ListRequest, list_kit
    from kitgen.report import Form, document, table

    del quiet
    content = _content(list_kit(ListRequest(root=root)))
    if output == "json":
        click.echo(document(Form.KIT, **content), nl=False)
        return
    for title, head, rows in _tables(content):
        coloured = colour(sys.stdout)
        click.echo(table(title, head, rows, width=columns(sys.stdout), colour=coloured), color=coloured)


def _content(listed: Listed) -> JsonObject:
    kit = listed.kit
    return {
        "kit": kit.name,
        "releases": [
            {"name": each.name, "date": each.date, "components": each.components, "records": each.records}
            for each in kit.releases.values()
        ],
        "targets": [
            {"name": name, "release": each.release, "ships": listed.ships[name], "about": each.about}
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
    rows = [
        [c["name"], c["version"], str(c["crds"]), ", ".join(c["features"]) or "-"]
        for c in content["components"]
    ]
    yield "Components", ("component", "version", "CRDs", "features"), rows
