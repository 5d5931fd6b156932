"""The command `kitgen cache`: show and clear what kitgen remembers."""

from __future__ import annotations

import click

from kitgen.report.click_settings import HELP
from kitgen.report.finish import print_lines


@click.command(context_settings=HELP)
@click.option("--clear", is_flag=True, help="Remove all of it.")
def cache(clear: bool) -> None:
    """Show where kitgen keeps results of earlier runs, and how much there is.

    A result is used again only while nothing that it was made from has changed. KITGEN_CACHE_DIR names
    another folder; --no-cache runs a command without the cache.

    \b
    kitgen cache           the folder and its size
    kitgen cache --clear   remove all results
    """
    from kitgen.files.cache_store import find_cache
    from kitgen.findings.errors import KitgenError
    from kitgen.text.wording import format_count

    store = find_cache()
    if store is None:
        raise KitgenError("found no home folder for a cache", hint="set KITGEN_CACHE_DIR")
    found = store.clear() if clear else store.measure()
    told = f"{format_count(found.entries, 'entry', 'entries')}, {found.size / 1e6:.1f} MB"
    print_lines([f"removed {told}" if clear else f"{store.folder}: {told}"])
