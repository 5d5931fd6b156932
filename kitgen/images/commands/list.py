"""kitgen images list: every image that targets can run."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, sources, targets
from kitgen.report.finish import finish_command
from kitgen.report.options import common_options, output_option, release_option
from kitgen.report.streams import get_terminal_width, has_colour
from kitgen.text.wording import format_count


@click.command("list", context_settings=HELP)
@click.argument(
    "names", metavar="[SOURCE]...", nargs=-1, shell_complete=make_completer(targets, sources, paths=True)
)
@release_option("Look at this release instead of those that targets pin.")
@click.option("--tags", is_flag=True, help="Show images as specs write them, without locked digests.")
@output_option("text", "json", "plain")
@common_options
def list_(
    names: tuple[str, ...], release: str | None, *, tags: bool, output: str, root: Path | None, quiet: bool
) -> None:
    """List every image that each SOURCE can run, with all that names it.

    Containers and init containers, variables and arguments, params.env, typed configuration with its
    defaults, fields and texts of any object, defaults of CRDs, the OLM bundle with its examples and tests,
    and what only code, an SDK or users name: components declare that as `runtimeImages`. A name without /
    and : in an argument may be anything, and is not listed. Without a SOURCE, it is all targets.

    SOURCE is a target, such as odh, target:odh@v1.5.0 or git:main:target:odh, a release, a component by
    itself, or what others wrote: manifests, a folder that kustomize builds, an OLM bundle, - for standard
    input. What only code names, only specs can tell.

    \b
    kitgen images list
    kitgen images list odh --release v1.16.0 -o plain
    kitgen images list rhoai -o json
    kitgen images list path:fork/config/rhoai      of a real tree
    """
    from kitgen.images.list import ImagesRequest, list_images
    from kitgen.images.report import as_lines, as_table
    from kitgen.report.documents import safe_json

    found = list_images(ImagesRequest(root=root, sources=names, release=release, tags=tags))
    match output:
        case "json":
            text = safe_json(found)
        case "plain":
            text = as_lines(found.images)
        case _:
            text = as_table(found.images, width=get_terminal_width(sys.stdout), colour=has_colour(sys.stdout))
    said = ", ".join(f"{each.target} {each.release or ''}".rstrip() for each in found.targets)
    remark = f"{format_count(len(found.images), 'image')} of {said}"
    finish_command((), None, stream=sys.stderr, product=text, remarks=[remark], quiet=quiet)
