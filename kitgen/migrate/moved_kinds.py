"""Kinds that a migration moves, as the components of its releases declare them."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding
from kitgen.findings.errors import FindingsError
from kitgen.kit.migrations import load_migrations
from kitgen.kit.model import Component, Release
from kitgen.kit.model.migration import Migration
from kitgen.kube.manifest import Manifest
from kitgen.migrate.kinds import MovedKinds, find_kinds
from kitgen.migrate.rules.fields import check_moved_fields
from kitgen.migrate.rules.schemas import check_scopes
from kitgen.render.placement import Placement
from kitgen.workspace.kit import OpenedKit, raise_on_errors


def load_declared_crds(opened: OpenedKit, migration: Migration, release: str) -> list[Manifest]:
    """Return the CRDs that a release has of a migration's component; broken ones are a FindingsError.

    They are as its targets have them, those of the first target first.
    """
    known = opened.kit.releases[release]
    targets = [opened.kit.targets[name] for name in migration.targets if name in opened.kit.targets]
    placements: list[Placement | None] = [
        Placement(target=each, release=known, components=()) for each in targets
    ]
    components = [*_list_components(opened, migration, release)]
    made = [opened.session.expand_crds(each, where) for where in placements or (None,) for each in components]
    raise_on_errors((finding for each in made for finding in each.findings), opened.root)
    return [*{id(crd): crd for each in made for crd in each.value}.values()]


def load_declared_kinds(opened: OpenedKit, migration: Migration) -> MovedKinds:
    """Return what moves, without compiling a target."""
    return find_kinds(
        migration, {each: load_declared_crds(opened, migration, each) for each in migration.releases}
    )


def check_migrations(opened: OpenedKit, _: Release | None) -> Iterator[Finding]:
    """Yield what is wrong with migrations of a kit: files, kinds that no CRD has, fields and scopes."""
    if opened.files is None:
        return
    loaded = load_migrations(opened.files, opened.kit)
    yield from loaded.findings
    for each in loaded.known.values():
        try:
            found = load_declared_kinds(opened, each)
        except FindingsError:  # broken CRDs are reported elsewhere
            continue
        yield from (
            *found.findings,
            *check_moved_fields(found.moving_kinds),
            *check_scopes(found.moving_kinds),
        )


def _list_components(opened: OpenedKit, migration: Migration, release: str) -> Iterator[Component]:
    """Yield the component of a migration in a release, and those that it carries."""
    built = opened.kit.releases[release].components
    first = opened.kit.components[migration.component][built[migration.component]]
    yield first
    yield from (opened.kit.components[name][built[name]] for name in first.carries if name in built)
