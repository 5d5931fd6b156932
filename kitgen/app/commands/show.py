"""The command `kitgen show`: print a spec merged with all that it builds on."""

from __future__ import annotations

from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import component_versions, make_completer, releases, sources, targets
from kitgen.report.finish import finish_command
from kitgen.report.options import common_options, output_option
from kitgen.text.wording import escape_unprintable


@click.command(context_settings=HELP)
@click.argument("source", shell_complete=make_completer(targets, component_versions, releases, sources))
@output_option("text", "json")
@common_options
def show(source: str, output: str, root: Path | None, quiet: bool) -> None:
    """Print what SOURCE says in the end, with all that it builds on.

    SOURCE is a component's version, a target or a release. The result is YAML without `from` and `remove`.
    A comment stands where a part comes from another file than what is above it. What may be a secret is
    hidden.

    \b
    kitgen show component:kueue@v0.7.0
    kitgen show odh
    kitgen show git:main:release:v1.5.0     as it is on main
    """
    from kitgen.app.show import render_annotated_yaml
    from kitgen.app.show import show_spec as run
    from kitgen.report.documents import safe_json

    found = run(root, source)
    if output == "json":
        text = safe_json(found)
    else:
        beside = [f"# {each.name}: {each.state}, {', '.join(each.files)}" for each in found.beside]
        lines = [f"# {found.source}", *render_annotated_yaml(found).splitlines(), *beside]
        text = "".join(f"{escape_unprintable(line)}\n" for line in lines)
    finish_command((), None, product=text, quiet=quiet)
