"""Read the migrations of a kit into the model, and the moves of kinds that they declare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from kitgen.files.root import MIGRATIONS
from kitgen.findings import Finding, Origin, deduplicate_findings, make_problem
from kitgen.kit.migration_rules import check_migration_names, check_migration_spec, check_migration_specs
from kitgen.kit.model import Kit
from kitgen.kit.model.migration import (
    DroppedKind,
    KindName,
    Migration,
    MigrationPath,
    MovedField,
    MovedKey,
    MovedKind,
    OwnStep,
    Phase,
    Policy,
    StepPlace,
)
from kitgen.kit.model.moves import NO_MOVES, DeclaredMove, DeclaredMoves
from kitgen.kit.ranges import read_range
from kitgen.kit.spec_files import SpecFiles
from kitgen.text.values import group_pairs
from kitgen.text.yaml import JsonObject, YamlError, find_lines


def build_migration(data: JsonObject, origin: Origin) -> tuple[Migration, list[Finding]]:
    """Return a migration, and what is wrong with its range of minors."""
    span, wrong = read_range(data["kubernetes"], origin.at("kubernetes"))
    kinds = tuple(_build_kind(each, origin.at("kinds", index)) for index, each in enumerate(data["kinds"]))
    keys = tuple(
        MovedKey(
            key=each["key"],
            policy=Policy(each["policy"]),
            to=each.get("to", ""),
            reason=each["reason"],
            origin=origin.at("keys", index),
        )
        for index, each in enumerate(data.get("keys", ()))
    )
    made = Migration(
        name=data["migration"],
        about=data["about"],
        way=MigrationPath(data["path"]),
        targets=tuple(data["targets"]),
        component=data["component"],
        minors=span,
        kinds=kinds,
        drops=tuple(
            DroppedKind(
                kind=KindName(*each["kind"].split("/")),
                reason=each["reason"],
                origin=origin.at("drops", index),
            )
            for index, each in enumerate(data.get("drops", ()))
        ),
        keys=keys,
        steps=tuple(
            _build_step(each, origin.at("steps", index)) for index, each in enumerate(data.get("steps", ()))
        ),
        before=data["before"],
        both=data.get("both", ""),
        after=data["after"],
        origin=origin,
    )
    return made, wrong


def _build_kind(data: JsonObject, origin: Origin) -> MovedKind:
    before, after = (KindName(*data[side].split("/")) for side in ("from", "to"))
    fields = tuple(
        MovedField(
            field=parse_field_steps(each["from"]),
            to=parse_field_steps(each["to"]) if "to" in each else (),
            lost=each.get("lost", ""),
            default=each.get("default", UNSET),
            origin=origin.at("fields", index),
        )
        for index, each in enumerate(data.get("fields", ()))
    )
    return MovedKind(before=before, after=after, fields=fields, origin=origin)


def _build_step(data: JsonObject, origin: Origin) -> OwnStep:
    return OwnStep(
        phase=Phase(data["phase"]),
        place=StepPlace(data.get("place", StepPlace.LAST)),
        title=data["title"],
        why=data.get("why", ""),
        commands=tuple(data.get("commands", ())),
        origin=origin,
    )


def parse_field_steps(field: str) -> tuple[str, ...]:
    """Return the steps of a field such as `spec.items[].name`; `[]` is a step of its own."""
    return tuple(step for part in field.split(".") for step in part.replace("[]", ".[]").split("."))


class Migrations(NamedTuple):
    """The migrations of a kit by name, and what is wrong with the others."""

    known: Mapping[str, Migration]
    findings: tuple[Finding, ...]


def load_migrations(files: SpecFiles, kit: Kit | None) -> Migrations:
    """Read all migrations of a kit; what its releases build counts if that was loaded."""
    known: dict[str, Migration] = {}
    listed = ((kind, file.removesuffix(".yaml").split("/")) for file, kind in files.list_specs()[0].items())
    specs = group_pairs((kind, steps[1]) for kind, steps in listed if len(steps) > 1)
    findings: list[Finding] = [*files.check_endings(MIGRATIONS)]
    names = files.files.list_names(MIGRATIONS) if files.files.is_folder(MIGRATIONS) is True else []
    for name in (each for each in names if each.endswith(".yaml") and not each.startswith(".")):
        file = f"{MIGRATIONS}/{name}"
        data, wrong = files.read_validated(file, "migration")
        findings += wrong
        if data is None:
            continue
        made, wrong = build_migration(data, Origin(file))
        found = [
            *wrong,
            *check_migration_names(made, specs, kit.releases if kit else {}),
            *check_migration_spec(made),
        ]
        findings += found
        if not found:
            known[made.name] = made
    findings += check_migration_specs(known.values())
    return Migrations(known, tuple(findings))


class DeclaredMigrations(NamedTuple):
    """What is said to move, and a warning for each migration that does not count."""

    moves: DeclaredMoves = NO_MOVES
    unread: tuple[Finding, ...] = ()


NOTHING_DECLARED = DeclaredMigrations()


def load_declared_moves(files: SpecFiles) -> DeclaredMigrations:
    """Return the moves of kinds that a kit declares; whether releases have them is checked elsewhere."""
    found = load_migrations(files, None)
    wrong = group_pairs((each.origin.file, each) for each in deduplicate_findings(found.findings))
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
        if not any(each.is_blocking for each in wrong.get(made.origin.file, ()))
        for kind in made.kinds
    ]
    return DeclaredMigrations(tuple(moves), tuple(_report_unread(wrong, files)))


def _report_unread(wrong: dict[str, list[Finding]], files: SpecFiles) -> Iterator[Finding]:
    for file, found in wrong.items():
        errors = [each for each in found if each.is_blocking]
        yield from (_add_line(each, files.texts.get(file)) for each in found if not each.is_blocking)
        if errors:
            more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
            unread = make_problem(
                "migration-unread",
                f"found a migration with errors, which declares no move: {errors[0].message}{more}",
                hint="kitgen check tells all of it",
            ).to_finding(errors[0].origin)
            yield _add_line(unread, files.texts.get(file))


def _add_line(finding: Finding, text: str | None) -> Finding:
    """Return a finding with its line: who shows it may not have the file."""
    origin = finding.origin
    if origin.line or text is None:
        return finding
    try:
        line = find_lines(text, {origin.path}).get(origin.path, 0)
    except YamlError:
        line = 0
    return replace(finding, origin=replace(origin, line=line or 1))
