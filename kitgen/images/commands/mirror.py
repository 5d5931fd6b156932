"""kitgen mirror: what carries the images of a target into a registry of one's own."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, targets
from kitgen.report.finish import finish_command, list_changed_files, select_unaccepted, show_progress
from kitgen.report.options import FOLDER, common_options, release_option
from kitgen.text.wording import format_count


@click.command(context_settings=HELP)
@click.argument("target", shell_complete=make_completer(targets))
@click.option("--registry", required=True, metavar="HOST[/PATH]", help="The mirror.")
@click.option("--out", required=True, type=FOLDER, metavar="DIR", help="The folder to write.")
@release_option("Take this release instead of the one that the target pins.")
@click.option(
    "--catalog",
    default="",
    metavar="IMAGE",
    help="The catalog that offers the OLM bundle.  [default: what install names, or that of OpenShift]",
)
@click.option("--scoped", is_flag=True, help="Keep the registry of each image as a part of its path.")
@click.option("--examples", is_flag=True, help="Take images of the bundle's examples and tests, too.")
@click.option("--never-contact-source", is_flag=True, help="Have nodes ask the mirror and nothing else.")
@click.option("--rewrite", is_flag=True, help="Render the target with the mirror's names instead.")
@common_options
def mirror(
    target: str,
    *,
    registry: str,
    out: Path,
    release: str | None,
    catalog: str,
    scoped: bool,
    examples: bool,
    never_contact_source: bool,
    rewrite: bool,
    root: Path | None,
    quiet: bool,
) -> None:
    """Write what carries every image of TARGET into a mirror, and sends a cluster there.

    DIR gets the list of images, what oc-mirror, skopeo and oc read, the mirror sets of the cluster, its
    catalog if the target has an OLM bundle, and a README with all steps. Nothing is asked of a network, and
    no file holds a login. With --rewrite, DIR/overlays is the target with the names of the mirror, for
    clusters that have no mirror sets.

    \b
    kitgen mirror odh --registry registry.example.com:5000/odh --out mirror
    kitgen mirror olm --registry registry.example.com --out mirror \\
      --catalog registry.redhat.io/redhat/community-operator-index:v4.17
    """
    from kitgen.images.mirror.run import MirrorRequest, write_mirror

    if rewrite and never_contact_source:
        raise click.UsageError("--rewrite writes no mirror sets, which --never-contact-source is for")
    request = MirrorRequest(
        root=root,
        target=target,
        registry=registry,
        out=out,
        release=release,
        catalog=catalog,
        scoped=scoped,
        examples=examples,
        never_source=never_contact_source,
        rewrite=rewrite,
    )
    with show_progress(quiet=quiet) as tell:
        made = write_mirror(request, tell)
    changed = format_count(len(list_changed_files(made.changes)), "file")
    said = [f"{format_count(made.images, 'image')} of {target} {made.release}, {changed} changed in {out}"]
    if chosen := made.chosen:
        other = f"for another OpenShift than {chosen.openshift}, say --catalog"
        said.append(f"the catalog is {chosen.catalog.source}; {other}")
    if made.there:
        it = "it" if made.there == 1 else "them"
        said.append(f"{made.there} of them in {registry} already, so nothing copies {it}")
    finish_command(
        select_unaccepted(made.findings), made.root, stream=sys.stderr, remarks=said, quiet=quiet, every=True
    )
