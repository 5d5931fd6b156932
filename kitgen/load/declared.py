"""Moves that the migrations of a kit declare, for all that compare; one that is wrong declares nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from kitgen.findings import Chapter, Finding, Rule, Severity, unique
from kitgen.load.migrations import load_migrations
from kitgen.load.specfiles import SpecFiles
from kitgen.model.moves import NO_MOVES, DeclaredMove, DeclaredMoves
from kitgen.yamlio import YamlError, lines_of

MIGRATION_UNREAD = Rule(
    id="migration-unread",
    chapter=Chapter.REFERENCE,
    checks="A migration has no errors, so that comparisons know what it declares.",
    fix="Run `kitgen check`, and mend what it tells of the file.",
    why="What moves is told as a kind that goes, and nobody says which runbook to follow.",
    severity=Severity.WARNING,
)


class Declared(NamedTuple):
    """What is said to move, and a warning for each migration that does not count."""

    moves: DeclaredMoves = NO_MOVES
    unread: tuple[Finding, ...] = ()


NOTHING_DECLARED = Declared()


def declared_moves(files: SpecFiles) -> Declared:
    """Return the moves of kinds that a kit declares; whether releases have them is for others to tell."""
    found = load_migrations(files, None)
    wrong: dict[str, list[Finding]] = {}
    for each in unique(found.findings):
        wrong.setdefault(each.origin.file, []).append(each)
    moves = [
        DeclaredMove(
            before=kind.before,
            after=kind.after,
            migration=made.name,
            file=made.origin.file,
            way=made.way,
            targets=made.targets,
            fields=kind.fields,
            both=made.both,
            last=made.after,
        )
        for made in found.known.values()
        if not any(each.blocks for each in wrong.get(made.origin.file, ()))
        for kind in made.kinds
    ]
    return Declared(tuple(moves), tuple(_unread(wrong, files)))


def _unread(wrong: dict[str, list[Finding]], files: SpecFiles) -> Iterator[Finding]:
    for file, found in wrong.items():
        errors = [each for each in found if each.blocks]
        yield from (_lined(each, files.texts.get(file)) for each in found if not each.blocks)
        if errors:
            more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
            message = f"found a migration with errors, which declares no move: {errors[0].message}{more}"
            unread = MIGRATION_UNREAD(message, hint="kitgen check tells all of it").at(errors[0].origin)
            yield _lined(unread, files.texts.get(file))


def _lined(finding: Finding, text: str | None) -> Finding:
    """Return a finding with its line: whoever shows it may not have the file."""
    origin = finding.origin
    if origin.line or text is None:
        return finding
    try:
        line = lines_of(text, {origin.path}).get(origin.path, 0)
    except YamlError:
        line = 0
    return replace(finding, origin=replace(origin, line=line or 1))
