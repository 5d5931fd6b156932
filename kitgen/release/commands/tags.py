"""The command `kitgen tags`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, releases
from kitgen.report.finish import finish_command
from kitgen.report.options import common_options, output_option
from kitgen.report.streams import get_terminal_width, has_colour


@click.command(context_settings=HELP)
@click.argument("version", required=False, shell_complete=make_completer(releases))
@output_option("text", "json")
@common_options
def tags(version: str | None, output: str, root: Path | None, quiet: bool) -> None:
    """Show every image of release VERSION with the tags that it gets.

    First come the images that `publishing` in kit.yaml names: each has the tag of its version, and tags that
    move. Then those that the targets run beside them. Without VERSION, it is the newest release that builds
    something. A pre-release never is the stable one, and the stable tag never goes back.

    \b
    kitgen tags                  the newest release
    kitgen tags v1.5.0 -o json
    """
    from kitgen.release.tags import as_table, show_tags
    from kitgen.report.documents import safe_json

    report = show_tags(root, version)
    if output == "json":
        text = safe_json(report)
    else:
        text = as_table(report, width=get_terminal_width(sys.stdout), colour=has_colour(sys.stdout))
    nothing = f"{report.release} has no images: `publishing` in kit.yaml names those that come out with it"
    remarks = () if report.images else [nothing]
    finish_command((), None, stream=sys.stderr, product=text, remarks=remarks, quiet=quiet)
