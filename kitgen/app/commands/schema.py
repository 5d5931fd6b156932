"""kitgen schema: print a JSON Schema."""

from __future__ import annotations

import json

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import offer, schemas
from kitgen.report.options import common


@click.command(context_settings=HELP)
@click.argument("name", required=False, shell_complete=offer(schemas))
@common
def schema(name: str | None, root: object, quiet: bool) -> None:
    """Print the JSON Schema NAME, or the names of all schemas.

    \b
    kitgen schema             the names
    kitgen schema component   the schema of component.yaml
    """
    from kitgen.app.schemas import SchemaRequest, find_schema

    del root, quiet
    found = find_schema(SchemaRequest(name=name))
    listed = "\n".join(found.names)
    click.echo(json.dumps(found.schema, indent=2, ensure_ascii=False) if found.schema else listed)
