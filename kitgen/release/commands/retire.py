"""kitgen retire: remove what nothing needs any more."""

from __future__ import annotations

from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import component_versions, make_completer, prefixed_releases
from kitgen.report.finish import finish_command
from kitgen.report.options import common_options
from kitgen.text.wording import escape_unprintable, format_count


@click.command(context_settings=HELP)
@click.argument("source", shell_complete=make_completer(component_versions, prefixed_releases))
@click.option("--dry-run", is_flag=True, help="Remove nothing; show what would go.")
@common_options
def retire(source: str, dry_run: bool, root: Path | None, quiet: bool) -> None:
    """Remove SOURCE, a version of a component or a release, if nothing needs it.

    SOURCE is NAME@VERSION, or release:NAME. A release, a target or another version that needs it is named
    with file and line, and then nothing is removed. All of its files go, or none.

    \b
    kitgen retire kuberay@v1.1.0
    kitgen retire release:v1.0.0 --dry-run
    """
    from kitgen.release.retire import retire_source as run

    result = run(root, source, dry_run=dry_run)
    text = "".join(f"{escape_unprintable(path)}\n" for path in result.files)
    done = "to remove" if dry_run else "removed; git restore takes it back"
    said = f"{result.name}: {format_count(len(result.files), 'file')} {done}"
    finish_command((), result.root, product=text, remarks=[said], quiet=quiet)
