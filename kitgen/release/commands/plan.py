"""The command `kitgen release plan`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, releases
from kitgen.report.finish import finish_command
from kitgen.report.options import FOLDER, common_options, output_option
from kitgen.report.streams import get_terminal_width, has_colour

STDOUT = "-"


@click.command(context_settings=HELP)
@click.argument("version", shell_complete=make_completer(releases))
@click.option(
    "--catalog", type=FOLDER, metavar="DIR", help="A checkout of the catalog, to see what is merged there."
)
@click.option(
    "--script",
    is_flag=False,
    flag_value=STDOUT,
    metavar="[FILE]",
    help="Write a shell script that does what is left.  [default: to standard output]",
)
@output_option("text", "json")
@common_options
def plan(
    version: str, *, catalog: Path | None, script: str | None, output: str, root: Path | None, quiet: bool
) -> None:
    """Show the eight steps of release VERSION: done, to do or blocked.

    What is done shows in files: specs, overlays, README.md, releases/tags.yaml, tags of git. What no file can
    show stands under `done` in the release. What is to do has the commands for it. With --script, a script
    does what is left: it looks first, so that running it again does nothing twice, and stops at what fails.
    Stable tags wait for the catalog to merge.

    \b
    kitgen release plan v1.16.0
    kitgen release plan v1.16.0 --catalog ../community-operators-prod
    kitgen release plan v1.16.0 --script release.sh
    """
    from kitgen.release.plan import plan_release
    from kitgen.release.plan_report import as_json, as_text
    from kitgen.release.steps.script import render_script, write_script

    found = plan_release(root, version, catalog)
    remarks: list[str] = []
    if script is None and output == "json":
        text = as_json(found.release, found.plan)
    elif found.plan is None:
        text = ""
        remarks = [f"{version} only records versions: it builds nothing, so that nothing is left to do"]
    elif script is None:
        text = as_text(found.plan, width=get_terminal_width(sys.stdout), colour=has_colour(sys.stdout))
    elif script == STDOUT:
        text = render_script(found.plan)
    else:
        text = ""
        write_script(found.plan, Path(script))
        remarks = [f"{script} is written: read it, then run it with sh in the folder of the kit"]
    finish_command(found.findings, found.root, stream=sys.stderr, product=text, remarks=remarks, quiet=quiet)
