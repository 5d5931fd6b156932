"""The command `kitgen release new`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import components, make_completer, releases
from kitgen.report.finish import finish_command
from kitgen.report.options import common_options, parse_day
from kitgen.text.wording import escape_unprintable

if TYPE_CHECKING:
    from kitgen.release.new import NewRelease


def parse_version_pairs(
    _context: click.Context, option: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    """Read NAME=VERSION, each name once."""
    found: dict[str, str] = {}
    for value in values:
        name, sign, version = value.partition("=")
        if not (name and sign and version):
            raise click.BadParameter(f"found {value!r}, expected NAME=VERSION", param=option)
        if name in found:
            raise click.BadParameter(f"found {name!r} twice", param=option)
        found[name] = version
    return found


@click.command(context_settings=HELP)
@click.argument("version")
@click.option(
    "--from",
    "base",
    metavar="R",
    shell_complete=make_completer(releases),
    help="The release that it builds on.  [default: the newest before it]",
)
@click.option(
    "--set",
    "sets",
    multiple=True,
    metavar="COMPONENT=VERSION",
    callback=parse_version_pairs,
    shell_complete=make_completer(components),
    help="Build this version of a component.",
)
@click.option(
    "--record",
    "records",
    multiple=True,
    metavar="NAME=VERSION",
    callback=parse_version_pairs,
    help="Record a version that it is tested with.",
)
@click.option("--hotfix", is_flag=True, help="Raise the last number of the project and of what --set names.")
@click.option("--date", metavar="DAY", callback=parse_day, help="The day of the release.  [default: none]")
@click.option("--reason", default="", help="Why something goes back, or a patch changes more than it should.")
@common_options
def new(
    version: str,
    base: str | None,
    sets: dict[str, str],
    records: dict[str, str],
    *,
    hotfix: bool,
    date: str,
    reason: str,
    root: Path | None,
    quiet: bool,
) -> None:
    """Write releases/VERSION.yaml, and what its components need.

    The release says only what is different from the one that it builds on. A version of a component that has
    no spec yet gets a few lines: it builds on the one before, and its image has the new version. It replaces
    the newest release before it. What goes back, and what comes or goes in a patch, CRDs included, needs a
    --reason, which stays in the file. Nothing takes the date from a clock.

    \b
    kitgen release new v1.16.1 --hotfix
    kitgen release new v1.17.0 --set kueue=v0.12.0 --record codeflare-sdk=v0.30.0
    kitgen release new v1.17.0 --date 2030-01-31
    """
    from kitgen.release.new import NewRequest, create_release

    made = create_release(
        NewRequest(
            root=root,
            version=version,
            base=base,
            sets=sets,
            records=records,
            hotfix=hotfix,
            date=date,
            reason=reason.strip(),
        )
    )
    product = "".join(f"{escape_unprintable(each)}\n" for each in made.files)
    idle = ["nothing needs the reason: it is not written"] if reason.strip() and not made.accepted else []
    finish_command((), made.root, product=product, remarks=[*_describe_release(made), *idle], quiet=quiet)


def _describe_release(made: NewRelease) -> list[str]:
    """Say what was decided, and how to take it back."""
    chosen = made.chosen
    changes = {**chosen.components, **chosen.records}
    old = {**chosen.base.records, **chosen.base.components}
    told = [f"{name} {old.get(name, 'new')} → {version}" for name, version in changes.items()]
    replaced = "it" if chosen.replaces == chosen.base.name else chosen.replaces
    start = f"{chosen.version} builds on {chosen.base.name} and replaces {replaced}"
    lines = [f"{start}: {', '.join(told) or 'the same'}"]
    lines += [f"accepted with the reason: {each.message}" for each in made.accepted]
    specs = [each.split("/")[1:3] for each in made.files if each.startswith("components/")]
    undo = [f"kitgen retire release:{chosen.version}", *(f"kitgen retire {'@'.join(each)}" for each in specs)]
    return [*lines, f"to take it back: {'; '.join(undo)}"]
