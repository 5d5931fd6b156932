"""The command `kitgen migrate resources`: convert exported objects."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, migrations
from kitgen.report.finish import finish_command
from kitgen.report.options import common_options, output_option


@click.command(context_settings=HELP)
@click.argument("name", shell_complete=make_completer(migrations))
@click.argument("files", nargs=-1, metavar="[FILE]...", shell_complete=make_completer(paths=True))
@click.option(
    "--backup",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep the input in FILE, byte for byte, before anything is printed; FILE must not be there.",
)
@click.option(
    "--restore",
    is_flag=True,
    help="Print objects of old kinds as they were, without what servers set: the way back.",
)
@output_option("yaml", "json")
@common_options
def resources(
    name: str,
    files: tuple[str, ...],
    *,
    backup: Path | None,
    restore: bool,
    output: str,
    root: Path | None,
    quiet: bool,
) -> None:
    """Turn exported objects into what the migration NAME makes of them.

    FILE is what kubectl get -o yaml or -o json printed, a folder of such files, or - for standard input,
    which is the default. Names, labels, annotations and specs go along; what a server set and the status do
    not, nor do finalizers of which the migration says nothing. Objects within objects move too, in templates
    and lists. The result is checked against the CRDs of the release that the migration leads to, and printed
    with owners first.

    What is of a new kind already, or of another one, is printed as it is. What cannot move is not printed,
    but listed, and the exit code is 1, as it is for an export that says nothing. The input is never changed.

    \b
    kubectl get greetings -A -o yaml | kitgen migrate resources my-move --backup before.yaml > after.yaml
    kitgen migrate resources my-move before.yaml -o json
    kitgen migrate resources my-move before.yaml --restore | kubectl create -f -
    """
    from kitgen.migrate.resources.report import describe_outcomes, render_chunks
    from kitgen.migrate.resources.run import ResourcesRequest, migrate_resources

    request = ResourcesRequest(
        root=root,
        migration=name,
        files=files or ("-",),
        backup=backup,
        restore=restore,
        as_json=output == "json",
    )
    with migrate_resources(request) as made:
        finish_command(
            made.findings,
            made.root,
            stream=sys.stderr,
            texts=made.texts,
            product=render_chunks(made.carried.read_texts(), as_json=output == "json", none=made.is_empty),
            remarks=describe_outcomes(
                made.carried.counts,
                made.carried.within,
                made.carried.unmoved,
                dict(sorted(made.carried.more.items())),
            ),
            quiet=quiet,
            every=True,
        )
