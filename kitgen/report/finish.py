"""Finish a command: print its findings and messages, and exit with the right code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

import click

from kitgen.findings import Finding, Severity
from kitgen.findings.errors import ExitCode, FindingsError, KitgenError
from kitgen.report.repository_paths import make_path_resolver
from kitgen.report.streams import can_move_cursor, has_colour
from kitgen.text.wording import escape_unprintable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.status import Status

    from kitgen.files.tree_changes import TreeChanges


def exit_with_error(error: KitgenError) -> NoReturn:
    """Report why the work stopped, and exit."""
    if isinstance(error, FindingsError):
        finish_command(error.findings, error.root, stream=sys.stderr, texts=error.texts, failed=True)
    hint = f" (hint: {escape_unprintable(error.hint)})" if error.hint else ""
    label = click.style("error", fg="red", bold=True) if has_colour(sys.stderr) else "error"
    print(f"{label}: {escape_unprintable(error.message)}{hint}", file=sys.stderr)  # noqa: T201
    sys.exit(error.exit_code)


def finish_command(
    findings: Iterable[Finding],
    root: Path | None,
    *,
    output: str = "lines",
    stream: TextIO | None = None,
    texts: Mapping[str, str] | None = None,
    product: str | Iterable[str] = "",
    remarks: Iterable[str] = (),
    failed: bool = False,
    fail_on: Severity = Severity.ERROR,
    quiet: bool = False,
    revisions: Collection[str] = (),
    accepted: bool = False,
    every: bool = False,
    **more: object,
) -> NoReturn:
    """End a command: print findings, for people with a summary, then the rest, and exit.

    Quietly means: what fails alone. An error that stands makes it a failure, a warning if it is to, or the
    word of the caller. What else there is to say to a program (`more`) is part of the JSON. The revisions are
    those that findings may name before a file. What is accepted is told to people if it is wanted. Beside a
    product, every warning is told if that is wanted.
    """
    from kitgen.report.forms import FOR_PEOPLE, render_findings
    from kitgen.report.text import format_summary

    def fails(finding: Finding) -> bool:
        warned = finding.severity is Severity.WARNING and not finding.accepted
        return finding.is_blocking or (fail_on is Severity.WARNING and warned)

    found = [finding for finding in findings if not quiet or fails(finding)]
    if (
        stream is not None and not every
    ):  # beside a product, what a reviewer may want to look at is for `check` to tell
        found = [each for each in found if not _is_for_review(each) or fails(each)]
    target = stream or sys.stdout

    where = make_path_resolver(root, texts or {}, revisions)
    read, colours = make_reader(root, texts), has_colour(target)
    target.write(
        render_findings(
            found, read=read, where=where, output=output, colour=colours, accepted=accepted, **more
        )
    )
    target.flush()  # or the summary stands first where both streams go to one place
    told = stream is None or any(not each.accepted for each in found)  # what is accepted is news to none
    if output in FOR_PEOPLE and found and told:
        print(format_summary(found), file=sys.stderr)  # noqa: T201
    for text in [product] if isinstance(product, str) else product:
        click.echo(text, nl=False, color=has_colour(sys.stdout))
    for remark in remarks:
        print_message(remark, quiet=quiet)
    sys.exit(ExitCode.FINDINGS if failed or any(map(fails, found)) else ExitCode.OK)


def _is_for_review(finding: Finding) -> bool:
    """Return whether a finding may well be meant; what is an error elsewhere is hardly."""
    return finding.rule.chapter.is_for_review and finding.rule.severity is not Severity.ERROR


def select_unaccepted(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that are not accepted; only checks and writes count the others."""
    return [each for each in findings if not each.accepted]


def make_reader(root: Path | None, texts: Mapping[str, str] | None = None) -> Callable[[str], str | None]:
    """Return what reads a finding's file, for its lines."""

    def read(name: str) -> str | None:
        if texts and (known := texts.get(name)) is not None:
            return known
        from kitgen.kit.spec_files import SpecFiles  # a line is looked up in what may be anybody's

        try:
            text = SpecFiles(Path(root or ".")).read_text(name)
        except KitgenError:
            return None
        return text if isinstance(text, str) else None

    return read


def list_changed_files(changes: TreeChanges) -> list[tuple[str, str]]:
    """Return each file that changed or would, and how the disk differs; kitgen's own list if only it does."""
    words = (("stale", changes.change), ("missing", changes.create), ("surplus", changes.delete))
    found = [(word, path) for word, paths in words for path in paths if not path.startswith(".kitgen/")]
    return found or [("stale", path) for path in changes.change if path == ".kitgen/files"]


def print_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print lines, each of which stays one, whatever is in it."""
    click.echo("".join(f"{escape_unprintable(line)}\n" for line in lines), nl=False, err=err)


def exit_with_usage_error(error: click.ClickException) -> NoReturn:
    """Report what is wrong with the command line, with control characters escaped, and exit."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        sys.exit(ExitCode.USAGE)
    said, context = error.format_message(), getattr(error, "ctx", None)
    own = isinstance(error, click.MissingParameter)  # it lists choices on lines of their own
    click.UsageError(said if own else escape_unprintable(said), context).show()
    sys.exit(ExitCode.USAGE)


def print_message(message: str, *, quiet: bool) -> None:
    """Print a message to stderr, apart from the product."""
    if not quiet:
        click.echo(escape_unprintable(message), err=True, color=has_colour(sys.stderr))


@contextmanager
def show_progress(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show what is being worked on, on a terminal only."""
    if quiet or not can_move_cursor(sys.stderr):
        yield lambda _: None
        return
    with ExitStack() as stack:

        @cache
        def status() -> Status:
            from rich.console import Console  # only once there is something to show

            return stack.enter_context(
                Console(stderr=True, no_color=not has_colour(sys.stderr)).status("starting")
            )

        def tell(words: str) -> None:
            from rich.text import Text

            status().update(Text(escape_unprintable(words)))  # not a string, in which rich finds markup

        yield tell
