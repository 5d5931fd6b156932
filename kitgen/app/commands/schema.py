"""The command `kitgen schema`: print a JSON Schema."""

from __future__ import annotations

import json

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, schemas
from kitgen.report.options import common_options


@click.command(context_settings=HELP)
@click.argument("name", required=False, shell_complete=make_completer(schemas))
@common_options
def schema(name: str | None, root: object, quiet: bool) -> None:
    """Print the JSON Schema NAME, or the names of all schemas.

    \b
    kitgen schema             the names
    kitgen schema component   the schema of component.yaml
    """
    from kitgen.findings import suggest_word
    from kitgen.findings.errors import UsageError
    from kitgen.text import schema_check

    del root, quiet
    names = schema_check.list_schema_names()
    if name is None:
        click.echo("\n".join(names))
    elif name in names:
        click.echo(json.dumps(schema_check.read_schema(name), indent=2, ensure_ascii=False))
    else:
        raise UsageError(
            f"no schema {name!r}", hint=suggest_word(name, list(names)) or f"known are {', '.join(names)}"
        )
