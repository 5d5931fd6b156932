"""The command `kitgen bundle write`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, targets
from kitgen.report.finish import finish_command, select_unaccepted
from kitgen.report.options import FOLDER, common_options, release_option
from kitgen.text.wording import format_count


@click.command(context_settings=HELP)
@click.argument("folder", metavar="DIR", type=FOLDER)
@release_option("Take this release instead of the one that the target pins.")
@click.option(
    "--target",
    metavar="TARGET",
    shell_complete=make_completer(targets),
    help="The target whose bundle it is.  [default: the only one that has a bundle]",
)
@click.option("--catalog", is_flag=True, help="Write what a file-based catalog needs too.")
@common_options
def write(
    folder: Path, release: str | None, target: str | None, catalog: bool, root: Path | None, quiet: bool
) -> None:
    """Write the bundle into DIR, the checkout of a catalog's repository.

    The bundle goes into operators/PACKAGE/VERSION, and ci.yaml beside it if the package is new. With
    --catalog, release-config.yaml says where the bundle goes in the catalog template, and the template is
    written if there is none. Files that are there already stay as they are, and a bundle that is there with
    other content is an error: catalogs never change what they have.

    \b
    kitgen bundle write ../community-operators-prod
    kitgen bundle write ../community-operators-prod --release v1.5.0
    """
    from kitgen.olm.write import WriteRequest, write_bundle

    request = WriteRequest(root=root, folder=folder, target=target, release=release, catalog=catalog)
    written = write_bundle(request)
    said = [f"{written.package.name}: {format_count(len(written.files), 'new file')} in {folder}"]
    said += [f"{path} is there and stays as it is" for path in written.kept]
    finish_command(
        select_unaccepted(written.findings), written.root, stream=sys.stderr, remarks=said, quiet=quiet
    )
