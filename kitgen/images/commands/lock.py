"""kitgen images lock: put digests into the lock of a release."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer
from kitgen.report.finish import finish_command
from kitgen.report.options import common_options, release_option
from kitgen.text.wording import escape_unprintable, format_count

LONGEST = 300
"""Of what a lock says of a source."""


@click.command(context_settings=HELP)
@click.argument("files", metavar="[FILE|-]...", nargs=-1, shell_complete=make_completer(paths=True))
@release_option("The release whose lock it is.  [default: the one that all targets pin]")
@click.option("--image", metavar="REF", help="The image that FILE is about, where it does not say the tag.")
@click.option(
    "--tool", metavar="NAME", default="", help="What reported the digests, where FILE does not say it."
)
@click.option("--update", is_flag=True, help="Take a new digest in place of the one that is locked.")
@click.option("--prune", is_flag=True, help="Take away entries of images that no target uses.")
@click.option(
    "--check",
    is_flag=True,
    help="Write nothing; fail if the lock would change, lacks an image, or has one that nothing uses.",
)
@common_options
def lock(
    files: tuple[str, ...],
    release: str | None,
    *,
    image: str | None,
    tool: str,
    update: bool,
    prune: bool,
    check: bool,
    root: Path | None,
    quiet: bool,
) -> None:
    """Put the digests that each FILE tells into locks/RELEASE.yaml.

    kitgen asks no registry. Who has a network makes the files: by skopeo inspect, crane digest or oc image
    info -o json; or there is a ClusterServiceVersion or a catalog with relatedImages. What a file is is told
    by what is in it. A file without the tag is taken for the image of that name, with a warning, if the
    release has only one; else --image says it. The lock names the tool that reported a digest; of lines of
    digests, --tool says it. What no target uses is left out. A digest that differs from the locked one is an
    error, unless --update says that it is meant.

    \b
    skopeo inspect --no-tags docker://quay.io/kuberay/operator:v1.3.2 | kitgen images lock -
    crane digest quay.io/a/b:v1 | kitgen images lock --image quay.io/a/b:v1 --tool "crane digest" -
    kitgen images lock --release v1.16.0 inspected/*.json
    kitgen images lock --check         for CI: is every image locked?
    """
    from kitgen.images.lock import LockRequest, lock_images

    if image is not None and not files:
        raise click.UsageError("--image is for what a FILE tells")
    if len(tool) > LONGEST or not tool.isprintable():
        raise click.UsageError(f"--tool is a text in one line of at most {LONGEST} characters")
    found = lock_images(
        LockRequest(
            root=root,
            files=files,
            release=release,
            image=image,
            tool=tool,
            update=update,
            prune=prune,
            dry_run=check,
        )
    )
    product = [f"stale: {found.file}"] * found.changed if check else [found.file] * found.changed
    missing = [f"missing: {each}" for each in found.missing]
    product += missing if check else []
    done = found.images - len(found.missing)
    finish_command(
        found.findings,
        found.root,
        stream=sys.stderr,
        texts=found.texts,
        product="".join(f"{escape_unprintable(line)}\n" for line in product),
        remarks=[
            *found.changes,
            *found.remarks,
            *(missing if not check else ()),
            f"locked: {done} of {format_count(found.images, 'image')} of {found.release}",
        ],
        failed=check and found.is_stale,
        every=True,
        quiet=quiet,
    )
