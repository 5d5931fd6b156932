"""kitgen schema: print a JSON Schema."""

from __future__ import annotations

import json

import click

from kitgen.cli import HELP
from kitgen.cli.complete import offer, schemas
from kitgen.cli.options import common
from kitgen.errors import UsageError
from kitgen.findings import near


@click.command(context_settings=HELP)
@click.argument("name", required=False, shell_complete=offer(schemas))
@common
def schema(name: str | None, root: object, quiet: bool) -> None:
    """Print the JSON Schema NAME, or the names of all schemas.

    \b
    kitgen schema             the names
    kitgen schema component   the schema of component.yaml
    """
    from kitgen.schema import files as schemafiles

    del root, quiet
    if name is None:
        click.echo("\n".join(schemafiles.names()))
        return
    if name not in schemafiles.names():
        known = list(schemafiles.names())
        raise UsageError(f"no schema {name!r}", hint=near(name, known) or f"known are {', '.join(known)}")
    click.echo(json.dumps(schemafiles.schema(name), indent=2, ensure_ascii=False))
