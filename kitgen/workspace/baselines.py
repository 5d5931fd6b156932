"""Baselines of an upgrade: what --baseline names, or what a target declares in upgradesFrom."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kitgen.files.root import has_kit
from kitgen.files.tree import resolve_inside
from kitgen.findings import Finding, Origin
from kitgen.findings.errors import FindingsError, UsageError
from kitgen.kit.model import Target
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.report.text import locate_findings
from kitgen.text.schema_errors import REFERENCE_MISSING
from kitgen.text.semver import is_version
from kitgen.workspace.checks import TargetBaseline, list_target_releases
from kitgen.workspace.compilation import compile_source
from kitgen.workspace.kit import OpenedKit, raise_on_errors
from kitgen.workspace.sources import (
    Kits,
    SourceKind,
    SourceName,
    add_revision_to_errors,
    parse_source,
    to_release_source,
)

if TYPE_CHECKING:
    pass

EACH = (SourceKind.KIT, SourceKind.RELEASE)
"""Baselines that hold every target against itself; any other is one thing."""
HINT = "git:REF holds each target against itself in that revision, and release:NAME in that release"


class Baselines:
    """The objects that are there before, of everything that a command looks at."""

    def __init__(self, kits: Kits, asked: str | None = None) -> None:
        """Take the requested baseline; without one, targets name their own."""
        self.kits = kits
        self.name = self._resolve_source(asked) if asked is not None else None
        self.texts: dict[str, str] = {}
        """What was read for it, for the lines of findings."""
        self._things: set[Hashable] = set()
        self._objects: tuple[Manifest, ...] | None = None
        self._held = False

    def _resolve_source(self, text: str) -> SourceName:
        """Return what is meant; a release of the kit needs no prefix if nothing else has its name."""
        name = parse_source(text)
        return self.kits.resolve(to_release_source(self.kits, name) if has_kit(self.kits.root) else name)

    def of_target(
        self, opened: OpenedKit, target: Target, own: str, release: str | None = None
    ) -> TargetBaseline | None:
        """Return what is there before a target in one of its releases; None if nothing is known.

        A release that is asked for, or else the pinned one, is what an upgrade leads to.
        """
        found = None
        if self.name is None:
            if own == target.release and target.upgrades_from:
                found = self._read_declared(opened, target)
        elif self.name.kind is SourceKind.KIT:
            found = self._compile_target(
                self.kits.open_at(self.name.revision), target.name, "" if own == target.release else own
            )
        elif own == (release or target.release):
            is_release = self.name.kind is SourceKind.RELEASE
            found = (
                self._compile_in_baseline(opened, target, self.name)
                if is_release
                else self._read_single(target.name)
            )
        return self._build_baseline(found, target, own)

    def of_source(self, opened: OpenedKit, source: SourceName) -> TargetBaseline | None:
        """Return what is there before a component, by itself or in a target."""
        target = opened.kit.targets.get(source.name) if source.kind is SourceKind.TARGET else None
        found = None
        if self.name is None:
            pinned = target and source.version in ("", target.release) and not source.component_version
            if target and pinned and target.upgrades_from:
                found = self._read_declared_component(opened, target, source)
        elif self.name.kind is SourceKind.KIT:
            at = self.kits.open_at(self.name.revision)
            found = self._compile_component(at, replace(source, revision=self.name.revision))
        elif self.name.kind is SourceKind.RELEASE and source.kind is SourceKind.TARGET:
            at, release = self._resolve_release(opened, self.name)
            found = self._compile_component(at, replace(source, version=release, component_version=""))
        else:
            found = self._read_single(str(source))
        return self._build_baseline(found, target, source.version or (target.release if target else ""))

    def _build_baseline(
        self, found: tuple[Manifest, ...] | None, target: Target | None, release: str
    ) -> TargetBaseline | None:
        """Return objects with what a target may break on the way from them to a release."""
        if found is None or target is None:
            return None if found is None else TargetBaseline(found, {})
        if (name := self.name) is None:
            before = target.upgrades_from
        elif not name.revision and name.kind is SourceKind.RELEASE:
            before = name.name
        else:
            own = not name.revision and name.kind is SourceKind.TARGET and name.name == target.name
            before = name.version if own and name.version else str(name)
        return TargetBaseline(found, target.list_accepted_rules(before, release))

    def _resolve_release(self, opened: OpenedKit, name: SourceName) -> tuple[OpenedKit, str]:
        """Return the kit that has a release which was named, and the release."""
        at = self.kits.open_at(name.revision) if name.revision else opened
        return at, at.get_buildable_release(name.name).name if name.kind is SourceKind.RELEASE else ""

    def _compile_in_baseline(
        self, opened: OpenedKit, target: Target, name: SourceName
    ) -> tuple[Manifest, ...] | None:
        """Return the objects of a target in what holds each target against itself."""
        at, release = self._resolve_release(opened, name)
        return self._compile_target(at, target.name, release, shipped=False)

    def of_manifests(self) -> tuple[Manifest, ...] | None:
        """Return what is there before manifests that others wrote."""
        return None if self.name is None else self._read_single("")

    def require_used(self) -> None:
        """Refuse a baseline that nothing was compared with."""
        if self.name is not None and not self._held:
            raise UsageError(f"nothing of what is checked is in the baseline {self.name}", hint=HINT)

    def locate_findings(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return findings with the lines of those that are about what was read for the baseline."""
        before, others = self.split_findings(findings)
        return [*locate_findings(before, self.texts.get), *others] if before else others

    def split_findings(self, findings: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
        """Return the findings in files of the baseline alone, and all others."""
        parts: tuple[list[Finding], list[Finding]] = ([], [])
        for each in findings:
            parts[each.origin.file not in self.texts].append(each)
        return parts

    def _read_declared(self, opened: OpenedKit, target: Target) -> tuple[Manifest, ...]:
        """Return what is there before a target by its own word."""
        with _report_bad_baseline(target, opened):
            name = self._resolve_upgrades_from(opened, target)
            return (
                self._read_source(name)
                if name.kind not in EACH
                else self._compile_in_baseline(opened, target, name) or ()
            )

    def _resolve_upgrades_from(self, opened: OpenedKit, target: Target) -> SourceName:
        """Return the source that a target upgrades from; a release is one of the target itself."""
        said = parse_source(target.upgrades_from)
        if is_version(target.upgrades_from):
            return SourceName(kind=SourceKind.RELEASE, name=target.upgrades_from)
        name = self.kits.find(said, paths=False) or replace(said, kind=SourceKind.PATH)
        return _resolve_kit_path(opened.root, name) if name.is_foreign else name

    def _read_declared_component(
        self, opened: OpenedKit, target: Target, source: SourceName
    ) -> tuple[Manifest, ...] | None:
        """Return what is there before a component of a target, by the target's own word."""
        with _report_bad_baseline(target, opened):
            name = self._resolve_upgrades_from(opened, target)
            if name.kind is SourceKind.TARGET and not name.component:
                return self._compile_component(
                    self.kits.open_at(name.revision), replace(name, component=source.component)
                )
            if name.kind in EACH:
                at, release = self._resolve_release(opened, name)
                return self._compile_component(at, replace(source, revision=name.revision, version=release))
            # Nothing says whose the objects are: what is gone is told of the whole target.
            wanted = {each.id for each in compile_source(opened, source, checked=False).objects}
            return tuple(each for each in self._read_source(name) if each.id in wanted)

    def _read_single(self, thing: str) -> tuple[Manifest, ...]:
        """Return the objects of a baseline that is one thing: two are not compared with it."""
        assert self.name is not None
        if self.name.kind in EACH:
            raise UsageError(
                f"{self.name} is no baseline for {thing or 'manifests'}", hint="name a target or a path"
            )
        self._things.add(thing)
        if len(self._things) > 1:
            raise UsageError(f"the baseline {self.name} is for one thing, and several are checked", hint=HINT)
        if self._objects is None:
            self._objects = self._read_source(self.name)
        return self._objects

    def _read_source(self, name: SourceName) -> tuple[Manifest, ...]:
        self._held = True
        if name.is_foreign:
            from kitgen.kit.shipped_trees import read_shipped_tree  # most targets upgrade from a release

            real = read_shipped_tree(name.file, self.kits.intake, most=None)
            real.raise_on_findings()
            self.texts |= real.texts
            return real.manifests
        opened = self.kits.open_at(name.revision)
        if name.kind is SourceKind.TARGET and not name.component:
            return (
                self._compile_target(opened, opened.target(name.name).name, name.version, shipped=False) or ()
            )
        return self._compile_source(opened, name)

    def _compile_target(
        self, opened: OpenedKit, name: str, release: str, *, shipped: bool = True
    ) -> tuple[Manifest, ...] | None:
        """Return the objects of a target, in the release that it pins there or in another one."""
        target = opened.kit.targets.get(name)
        if target is None or (shipped and release and release not in list_target_releases(opened, target)):
            return None
        self._held = True
        with add_revision_to_errors(opened):
            plan = opened.plan(target, release or None)
            raise_on_errors(plan.findings, opened.root)
        return self._add_revision(plan.objects, opened)

    def _compile_component(self, opened: OpenedKit, source: SourceName) -> tuple[Manifest, ...] | None:
        """Return the objects of a component as it was, if it was there."""
        try:
            return self._compile_source(opened, source)
        except UsageError:
            return None

    def _compile_source(self, opened: OpenedKit, source: SourceName) -> tuple[Manifest, ...]:
        with add_revision_to_errors(opened):
            made = compile_source(opened, source, checked=False)
            raise_on_errors(made.findings, opened.root)
        self._held = True
        return self._add_revision(made.objects, opened)

    def _add_revision(self, objects: Iterable[Manifest], opened: OpenedKit) -> tuple[Manifest, ...]:
        """Return objects that say which revision they are of: findings about them stand there."""
        if not opened.revision:
            return tuple(objects)
        self.texts |= {f"{opened.revision}:{file}": text for file, text in opened.texts.items()}
        return tuple(
            Manifest(body=each.body, sources=(_prefix_revision(each.sources[0], opened.revision),))
            for each in objects
        )


@contextmanager
def _report_bad_baseline(target: Target, opened: OpenedKit) -> Iterator[None]:
    """Make a baseline that is none a finding of the target that names it."""
    try:
        yield
    except UsageError as error:
        problem = REFERENCE_MISSING(
            f"found the baseline {target.upgrades_from!r}: {error.message}", hint=error.hint
        )
        raise FindingsError([problem.to_finding(target.origin.at("upgradesFrom"))], opened.root) from error


def _prefix_revision(source: FieldSource, revision: str) -> FieldSource:
    origin = source.origin
    return replace(source, origin=Origin(f"{revision}:{origin.file}", origin.path, origin.line), moves=())


def _resolve_kit_path(root: Path, name: SourceName) -> SourceName:
    """Return a path of the kit as one that can be read; one that leads out of it is wrong usage."""
    if name.kind is SourceKind.STDIN:
        raise UsageError(
            "standard input is nobody's baseline for good", hint="name a release, a revision or a path"
        )
    if Path(name.name).is_absolute() or resolve_inside(root, name.name) is None:
        raise UsageError("the path leaves the kit", hint="name a file or folder of the kit")
    return replace(name, name=str(root / name.name))
