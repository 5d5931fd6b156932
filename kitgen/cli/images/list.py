"""kitgen images list: every image that targets can run."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.cli import HELP
from kitgen.cli.complete import offer, targets
from kitgen.cli.finish import finish
from kitgen.cli.options import common, in_release, output
from kitgen.cli.terminal import colour, columns
from kitgen.schema.wording import counted


@click.command("list", context_settings=HELP)
@click.argument("names", metavar="[TARGET]...", nargs=-1, shell_complete=offer(targets))
@in_release("Look at this release instead of those that targets pin.")
@output("text", "json", "plain")
@common
def list_(names: tuple[str, ...], release: str | None, output: str, root: Path | None, quiet: bool) -> None:
    """List every image that each TARGET can run, with all that names it.

    Containers and init containers, variables and arguments, params.env, typed configuration with its
    defaults, fields and texts of any object, defaults of CRDs, the OLM bundle with its examples and tests,
    and what only code, an SDK or users name: components declare that as `runtimeImages`. A name without /
    and : in an argument may be anything, and is not listed. Without a TARGET, it is all of them. `kitgen
    images` alone does the same.

    \b
    kitgen images
    kitgen images odh --release v1.16.0 -o plain
    kitgen images rhoai -o json
    """
    from kitgen.pipeline.images.listed import ImagesRequest, list_images
    from kitgen.report.images import as_json, as_lines, as_table

    found = list_images(ImagesRequest(root=root, targets=names, release=release))
    match output:
        case "json":
            text = as_json(found.releases, found.images)
        case "plain":
            text = as_lines(found.images)
        case _:
            text = as_table(found.images, width=columns(sys.stdout), colour=colour(sys.stdout))
    said = ", ".join(f"{target} {name}" for target, name in found.releases.items())
    remark = f"{counted(len(found.images), 'image')} of {said}"
    finish((), None, stream=sys.stderr, product=text, remarks=[remark], quiet=quiet)
