"""A loaded kit with its compiled targets, also with some files replaced to try a change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kitgen.files.paths import has_pending_write, has_state_folder, wrap_os_errors
from kitgen.files.root import MARK, OVERLAYS, find_root
from kitgen.files.tree import Disk, Files, Memory
from kitgen.findings import (
    Finding,
    Origin,
    Problem,
    apply_exceptions,
    deduplicate_findings,
    make_problem,
    suggest_word,
)
from kitgen.findings.errors import FindingsError, UsageError
from kitgen.kit.load import KitSelection, load_kit
from kitgen.kit.model import Component, Kit, Release, Target
from kitgen.kit.spec_files import SpecFiles
from kitgen.kube.manifest import Manifest
from kitgen.text.semver import version_key

if TYPE_CHECKING:
    from kitgen.check.views import ObjectViews
    from kitgen.kit.migrations import DeclaredMigrations
    from kitgen.render.placement import Placement
    from kitgen.render.plan import TargetPlan
    from kitgen.render.session import Session
    from kitgen.workspace.planned_files import RenderedFiles
    from kitgen.workspace.planned_targets import ModelHashes
    from kitgen.workspace.recent_plans import RecentPlans


T = TypeVar("T")


class OpenedKit(Struct, frozen=True, kw_only=True, dict=True):
    """A kit that was loaded, and the means to go on with it."""

    root: Path
    kit: Kit
    texts: Mapping[str, str]
    """The specs as they were read, by file."""
    files: SpecFiles | None = None
    """Reads more of them, from where the kit is."""
    revision: str = ""
    """Of git, if it was not read from the work tree."""

    @cached_property
    def session(self) -> Session:
        """Return what compiles the kit, the same one each time; checks of plain files need none."""
        from kitgen.render.session import Session

        return Session(self.kit)

    @cached_property
    def plans(self) -> RecentPlans:
        """Return the targets that were compiled last."""
        from kitgen.workspace.recent_plans import RecentPlans

        return RecentPlans()

    @cached_property
    def base_files(self) -> dict[tuple[Path, str], RenderedFiles]:
        """Return the files of bases that are known so far, by the folder that they are in."""
        return {}

    @cached_property
    def model_hashes(self) -> ModelHashes:
        """Return hashes of the model, by which results of earlier runs are found."""
        from kitgen.workspace.planned_targets import ModelHashes

        return ModelHashes(self.kit, self.session.resources)

    @cached_property
    def views(self) -> ObjectViews:
        """Return what checks saw of objects, the same each time: releases have many alike."""
        from kitgen.check.views import ObjectViews

        return ObjectViews()

    def target(self, name: str) -> Target:
        """Return a target by its name."""
        return get_by_name(self.kit.targets, "target", name)

    def release(self, target: Target, name: str | None) -> Release:
        """Return the release that a target pins, or the requested one."""
        return self.get_buildable_release(name or target.release)

    def get_buildable_release(self, name: str) -> Release:
        """Return a release by its name; one that builds nothing is wrong usage."""
        found = get_by_name(self.kit.releases, "release", name)
        if not found.components:
            raise UsageError(f"release {found.name} builds nothing", hint="it only records versions")
        return found

    def plan(self, target: Target, release: str | None = None) -> TargetPlan:
        """Compile a target."""
        from kitgen.render.placement import build_placement

        return self.session.compile_plan(build_placement(self.kit, target, self.release(target, release)))

    def component(self, placement: Placement, name: str) -> Component:
        """Return a component in the version that a target takes."""
        versions = {each.name: each for each in placement.components}
        if name in self.kit.versions and name not in versions:
            raise UsageError(
                f"no component {name!r} in release {placement.release.name}",
                hint=format_known_names(versions),
            )
        return get_by_name(versions, "component", name)

    def check_targets(self) -> list[Finding]:
        """Return a finding if there is nothing to render."""
        if self.kit.targets:
            return []
        return [
            make_problem(
                "targets-missing", "found no target, expected at least one", hint="add targets/NAME.yaml"
            ).to_finding(Origin(MARK, (), 1))
        ]

    def crds(self) -> dict[tuple[str, str], tuple[Manifest, ...]]:
        """Return the CRDs of every component and version, newest first; broken ones are a FindingsError."""
        found = {
            (name, version): self.session.expand_crds(versions[version])
            for name, versions in sorted(self.kit.components.items())
            for version in sorted(versions, key=version_key, reverse=True)
        }
        raise_on_errors((finding for made in found.values() for finding in made.findings), self.root)
        return {key: made.value for key, made in found.items()}

    def replace_targets(
        self, targets: Mapping[str, Target], texts: Mapping[str, str], revision: str
    ) -> OpenedKit:
        """Return the kit with other targets; what is made of its components is shared."""
        kit = replace(self.kit, targets=targets)
        other = OpenedKit(root=self.root, kit=kit, texts={**self.texts, **texts}, revision=revision)
        shared = {"model_hashes": self.model_hashes, "base_files": self.base_files}
        vars(other).update(shared, session=self.session.share_components(kit))
        return other

    def load_declared_moves(self) -> DeclaredMigrations:
        """Return the kinds that migrations say to move, and what is wrong with those that do not count."""
        from kitgen.kit.migrations import NOTHING_DECLARED, load_declared_moves  # few commands ask for them

        return load_declared_moves(self.files) if self.files else NOTHING_DECLARED

    def apply_exceptions(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return findings, sorted and each once; those that the kit accepts say why."""
        return deduplicate_findings(apply_exceptions(findings, self.kit.exceptions, self.kit.grades))


def get_by_name(things: Mapping[str, T], what: str, name: str) -> T:
    """Return the thing of a name; a name that is not there is wrong usage."""
    if name not in things:
        raise UsageError(
            f"no {what} {name!r} in this kit",
            hint=suggest_word(name, list(things)) or format_known_names(things),
        )
    return things[name]


def format_known_names(names: Iterable[str]) -> str:
    """Return a hint with the names that there are, or an empty one."""
    listed = ", ".join(names)
    return f"known are {listed}" if listed else ""


def open_kit(root: Path | None, only: KitSelection | None = None, *, releases: bool = True) -> OpenedKit:
    """Repair what a killed run left behind, then load the kit, or what is wanted of it.

    Wrong specs are a FindingsError. Those that are not wanted are not read; `kitgen check` reads all. What
    releases say is left to the caller without `releases`.
    """
    found = find_root(root)
    _recover_kit(found)
    files = SpecFiles(found)
    try:
        kit = load_kit(files, only, releases=releases)
    except FindingsError as error:
        error.root = found
        raise
    return OpenedKit(root=found, kit=kit, texts=files.texts, files=files)


def _recover_kit(root: Path) -> None:
    """Finish or drop what was cut short: a write of overlays/, or a change of the specs."""
    with wrap_os_errors("repair the folder"):
        is_written = has_state_folder(root / OVERLAYS) and has_pending_write(root / OVERLAYS)
    if is_written:
        from kitgen.files.apply import recover_write  # as a rule there is nothing to do

        recover_write(root / OVERLAYS)
    with wrap_os_errors(f"repair {root}"):
        is_changed = has_state_folder(root)
    if is_changed:
        from kitgen.files.edits import recover_change

        recover_change(root)


def raise_on_errors(findings: Iterable[Finding], root: Path | None) -> None:
    """Raise FindingsError, with all of the findings, if one of them is an error that stands."""
    found = deduplicate_findings(findings)
    if any(finding.is_blocking for finding in found):
        raise FindingsError(found, root)


class OverlaidFiles(Struct, frozen=True):
    """The files of a kit, with others over them."""

    below: Files
    texts: Mapping[str, str]

    @property
    def overlay_files(self) -> Memory:
        """Return the files that are laid over."""
        return Memory({name: text.encode() for name, text in self.texts.items()})

    def list_names(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted."""
        return sorted({*self.below.list_names(folder), *self.overlay_files.list_names(folder)})

    def is_folder(self, name: str) -> bool | Problem:
        """Return whether a path is a folder's."""
        return self.overlay_files.is_folder(name) or self.below.is_folder(name)

    def exists(self, name: str) -> bool:
        """Return whether something has this path."""
        return self.overlay_files.exists(name) or self.below.exists(name)

    def read(self, name: str) -> bytes | Problem:
        """Return a file's content, or why it must not be read."""
        return self.overlay_files.read(name) if name in self.texts else self.below.read(name)


def load_changed_kit(root: Path, texts: Mapping[str, str]) -> OpenedKit:
    """Load the kit with other texts in it; what would be wrong with that is a FindingsError."""
    files = SpecFiles(OverlaidFiles(Disk(root), texts))
    try:
        kit = load_kit(files)
    except FindingsError as error:
        raise FindingsError(error.findings, root, texts) from error
    return OpenedKit(root=root, kit=kit, texts=files.texts, files=files)
