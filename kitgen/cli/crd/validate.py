"""The command `kitgen crd validate`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kitgen.cli import HELP
from kitgen.cli.complete import component_versions, offer
from kitgen.cli.crd.input import KitCrds, Reader, as_text, crds_of, leave
from kitgen.cli.options import common, output
from kitgen.cli.terminal import colour
from kitgen.crds.outline.fields import printable
from kitgen.errors import UsageError
from kitgen.findings import Severity, pointer, unique
from kitgen.root import in_kit
from kitgen.yamlio import JsonObject

if TYPE_CHECKING:
    from kitgen.crds.validate.objects import Checked


@click.command(context_settings=HELP)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=offer(paths=True))
@click.option(
    "--crds",
    "sources",
    multiple=True,
    metavar="SOURCE",
    shell_complete=offer(component_versions, paths=True),
    help="Check against these CRDs alone: a file, a folder or COMPONENT@VERSION; may be given again.",
)
@output("text", "json")
@common
def validate(
    files: tuple[str, ...], root: Path | None, quiet: bool, sources: tuple[str, ...], output: str
) -> None:
    """Check custom resources against the declared CRDs.

    FILE is a file, a folder or - for standard input. Objects are checked as the API server does it:
    unknown fields, nulls, defaults, types, formats, patterns, list keys, names and scope. A finding that
    goes further than the server says why. CEL rules are counted, not evaluated; kinds that no CRD declares
    are named and skipped.

    \b
    kitgen crd validate samples/
    kubectl get rayclusters -A -o yaml | kitgen crd validate -
    """
    from kitgen.crds.schema.crd import by_kind
    from kitgen.crds.validate.objects import check_document, join

    known = by_kind(_bodies(sources, root))
    reader, parts = Reader(), []
    for text in reader.texts(files):
        for index, document in enumerate(text.documents):
            part = check_document(document, known, file=text.file)
            parts.append(replace(part, findings=tuple(text.located(part.findings, index))))
    done = join(parts)
    done = replace(done, findings=tuple(unique([*reader.findings, *done.findings])))
    shown = _json(done) if output == "json" else _text(done, quiet=quiet)
    click.echo(shown, nl=False, color=colour(sys.stdout))
    leave(failed=any(finding.severity is Severity.ERROR for finding in done.findings))


def _bodies(sources: tuple[str, ...], root: Path | None) -> Iterator[JsonObject]:
    if sources:
        for source in sources:
            yield from crds_of(source, root)
    else:
        if not in_kit(root):
            hint = "name a file or a folder that has them"
            raise UsageError("no kit here that declares CRDs: --crds is needed", hint=hint)
        for _, _, bodies in KitCrds(root).every():
            yield from bodies


def _text(done: Checked, *, quiet: bool) -> str:
    lines = [] if quiet else _summary(done)
    return as_text(done.findings, stream=sys.stdout) + "".join(f"{printable(line)}\n" for line in lines)


def _summary(done: Checked) -> Iterator[str]:
    errors = sum(finding.severity is Severity.ERROR for finding in done.findings)
    yield f"{_count(done.objects, 'object')} checked, {_count(errors, 'error')}"
    for kind, count in sorted(Counter(done.skipped).items()):
        yield f"skipped, no CRD declares it: {kind} ({count})"
    rules = Counter(rule.rule for rule in done.unevaluated)
    if rules:
        times = sum(rules.values())
        yield f"not evaluated: {_count(len(rules), 'CEL rule')}, met {_count(times, 'time')}"
        yield from (f"  {' '.join(rule.split())} ({count})" for rule, count in sorted(rules.items()))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _json(done: Checked) -> str:
    from kitgen.report import findings_document

    return findings_document(
        done.findings,
        lambda _: None,
        objects=done.objects,
        skipped=dict(sorted(Counter(done.skipped).items())),
        notEvaluated=[
            {"file": rule.file, "subject": rule.subject, "pointer": pointer(rule.path), "rule": rule.rule}
            for rule in done.unevaluated
        ],
    )
