"""Read the migrations of a kit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kitgen.findings import Finding, Origin
from kitgen.load.migrations.building import built
from kitgen.load.migrations.judging import contradictions, missing_names, together
from kitgen.load.pointing import lost_names
from kitgen.load.specfiles import SpecFiles
from kitgen.model import Kit
from kitgen.model.migration import Migration
from kitgen.root import MIGRATIONS


class Migrations(NamedTuple):
    """The migrations of a kit by name, and what is wrong with the others."""

    known: Mapping[str, Migration]
    findings: tuple[Finding, ...]


def load_migrations(files: SpecFiles, kit: Kit | None) -> Migrations:
    """Read all migrations of a kit; if that was not loaded, names are held to its files."""
    known: dict[str, Migration] = {}
    findings: list[Finding] = [*files.other_endings(MIGRATIONS)]
    for file in migration_files(files):
        data, wrong = files.data(file, "migration")
        findings += wrong
        if data is None:
            continue
        made, wrong = built(data, Origin(file))
        named = missing_names(made, kit) if kit else lost_names(made, files)
        found = [*wrong, *named, *contradictions(made)]
        findings += found
        if not found:
            known[made.name] = made
    findings += together(known.values())
    return Migrations(known, tuple(findings))


def migration_files(files: SpecFiles) -> list[str]:
    """Return the files of migrations, in order."""
    names = files.files.names(MIGRATIONS) if files.files.is_folder(MIGRATIONS) is True else []
    return [f"{MIGRATIONS}/{name}" for name in names if name.endswith(".yaml") and not name.startswith(".")]
