"""Sources: the one way in which every command names its input."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from kitgen.files.root import find_root, has_kit
from kitgen.files.tree import Memory
from kitgen.findings import Finding, suggest_word
from kitgen.findings.errors import FindingsError, UsageError
from kitgen.kit.load import KitSelection, load_kit
from kitgen.kit.manifests import ENDINGS, STDIN, ReadBudget, exists
from kitgen.kit.model import Component
from kitgen.kit.spec_files import SpecFiles
from kitgen.kit.spec_formats import upgrade_specs
from kitgen.report.text import locate_findings
from kitgen.text.patterns import compile_late
from kitgen.workspace.kit import OpenedKit, format_known_names, get_by_name, open_kit

if TYPE_CHECKING:
    from kitgen.kit.migrations import DeclaredMigrations

GIT = "git:"


class SourceKind(StrEnum):
    """What a source is; the value stands before the colon."""

    TARGET = "target"
    COMPONENT = "component"
    RELEASE = "release"
    PATH = "path"
    STDIN = STDIN
    KIT = "kit"
    """All that a revision holds: `git:REF` by itself."""
    PLAIN = ""
    """Without a prefix: the first that exists."""


FORMS = {
    SourceKind.TARGET: "target:NAME[@RELEASE][/COMPONENT[=VERSION]]",
    SourceKind.COMPONENT: "component:NAME@VERSION",
    SourceKind.RELEASE: "release:NAME",
    SourceKind.PATH: "path:FILE",
}
NAME = r"[^/@:=]+"
PATTERNS = {
    SourceKind.TARGET: compile_late(
        f"(?P<name>{NAME})(?:@(?P<version>{NAME}))?(?:/(?P<component>{NAME})(?:=(?P<component_version>{NAME}))?)?"
    ),
    SourceKind.COMPONENT: compile_late(f"(?P<name>{NAME})@(?P<version>{NAME})"),
    SourceKind.RELEASE: compile_late(f"(?P<name>{NAME})"),
    SourceKind.PATH: compile_late(r"(?P<name>.+)", re.DOTALL),
}
IN_RELEASE = compile_late(f"(?P<name>{NAME})/(?P<component>{NAME})@(?P<version>{NAME})")
"""A component of a target in a release, with the release behind it."""


class SourceName(Struct, frozen=True, kw_only=True):
    """How a source is written, taken apart; as text it is what was written, a release behind its target."""

    kind: SourceKind
    name: str = ""
    """Of the target, component or release; the path; what was written without a prefix."""
    component: str = ""
    """One component of a target."""
    version: str = ""
    """The release of a target, or the version of a component."""
    component_version: str = ""
    """The version of the one component of a target, instead of that of the release."""
    revision: str = ""
    """The revision to look at instead of the work tree."""

    def __str__(self) -> str:
        before = f"{GIT}{self.revision}" if self.revision else ""
        if self.kind is SourceKind.KIT:
            return before
        prefix = f"{self.kind}:" if self.kind in FORMS else self.kind
        component = f"/{self.component}" if self.component else ""
        version = f"@{self.version}" if self.version else ""
        own = f"={self.component_version}" if self.component_version else ""
        return f"{before}{':' if before else ''}{prefix}{self.name}{version}{component}{own}"

    @property
    def is_foreign(self) -> bool:
        """Return whether manifests are meant, and nothing of a kit."""
        return self.kind in (SourceKind.PATH, SourceKind.STDIN)

    @property
    def file(self) -> str:
        """Return what reads manifests: a path, or the sign for standard input, which no path is."""
        if self.kind is SourceKind.STDIN:
            return STDIN
        return f"./{STDIN}" if self.name == STDIN else self.name


def parse_source(text: str) -> SourceName:
    """Take a source apart; one that cannot be meant is wrong usage."""
    if text.startswith(GIT):
        revision, colon, rest = text.removeprefix(GIT).partition(":")
        if not revision or (colon and not rest):
            raise UsageError(f"{text!r} is no source, expected git:REF or git:REF:SOURCE")
        inner = parse_source(rest) if colon else SourceName(kind=SourceKind.KIT)
        if inner.revision or inner.kind in (SourceKind.PATH, SourceKind.STDIN):
            raise UsageError(
                f"{text!r} is no source: a revision holds targets, components and releases",
                hint="git show REF:FILE prints a file of a revision, and - reads it",
            )
        return replace(inner, revision=revision)
    if text == SourceKind.STDIN:
        return SourceName(kind=SourceKind.STDIN)
    prefix, colon, rest = text.partition(":")
    if colon and prefix in set(FORMS):
        return _parse_kind(SourceKind(prefix), rest, text)
    return SourceName(kind=SourceKind.PLAIN, name=text)


def _parse_kind(kind: SourceKind, rest: str, text: str) -> SourceName:
    """Take apart what stands behind a prefix."""
    match = PATTERNS[kind].fullmatch(rest)
    if match is None and kind is SourceKind.TARGET:
        match = IN_RELEASE.fullmatch(rest)
    if match is None:
        raise UsageError(f"{text!r} is no source", hint=f"expected {FORMS[kind]}")
    return SourceName(kind=kind, **match.groupdict(default=""))


def parse_path_source(text: str) -> str:
    """Return the file, folder or `-` that a real thing is read from; `path:` may stand before it."""
    name = parse_source(text)
    if name.revision or not (name.is_foreign or name.kind is SourceKind.PLAIN):
        raise UsageError(f"{text!r} is of a kit, expected a folder, a file or - for standard input")
    return name.file


class Kits:
    """The kit in every revision that a command names, each opened once."""

    def __init__(
        self,
        root: Path | None,
        only: KitSelection | None = None,
        *,
        everywhere: bool = False,
        opened: OpenedKit | None = None,
    ) -> None:
        """Take what is wanted of the kit, or the kit as it is if that was opened already."""
        self.root = root
        self.only = only
        """What is wanted of the kit as it is, if that is not all."""
        self.once = only if everywhere else None
        """What is wanted of it in revisions."""
        self._open: dict[str, OpenedKit] = {"": opened} if opened else {}
        self.intake = ReadBudget()

    def open_at(self, revision: str = "") -> OpenedKit:
        """Open the kit as it is, or as it was in a revision; wrong specs are a FindingsError."""
        if revision not in self._open:
            self._open[revision] = (
                self._load_revision(revision) if revision else open_kit(self.root, self.only)
            )
        return self._open[revision]

    def _load_revision(self, revision: str) -> OpenedKit:
        from kitgen.files.git import read_revision_files  # most commands look at no revision

        root = find_root(self.root)
        found = read_revision_files(root, revision)
        # What an older form means is known, and nobody can rewrite what is committed.
        fresh = {path: text.encode() for path, text in upgrade_specs(SpecFiles(found))[0].items()}
        links = {path: link for path, link in found.links.items() if path not in fresh}
        specs = SpecFiles(Memory({**found.files, **fresh}, links))
        try:
            kit = load_kit(specs, self.once)
        except FindingsError as error:
            raise FindingsError(_locate_in_revision(error.findings, revision, specs.texts), root) from error
        return OpenedKit(root=root, kit=kit, texts=specs.texts, files=specs, revision=revision)

    def load_declared_moves(self) -> DeclaredMigrations:
        """Return the kinds that the kit as it is says to move; none where there is no kit."""
        from kitgen.kit.migrations import NOTHING_DECLARED, load_declared_moves  # few commands ask for them

        return (
            load_declared_moves(SpecFiles(find_root(self.root))) if has_kit(self.root) else NOTHING_DECLARED
        )

    def resolve(self, name: SourceName, *, paths: bool = True) -> SourceName:
        """Return the source that a name stands for; wrong usage if nothing of that name exists."""
        if found := self.find(name, paths=paths):
            return found
        if not has_kit(self.root):
            raise UsageError(
                f"no such file or folder: {name.name!r}",
                hint="there is no kit here, so it is no target, component or CRD",
            )
        kit, version = self.open_at(name.revision).kit, name.name.partition("@")[2]
        prefixes = [f"{kind}:{name.name.partition(':')[2]}" for kind in FORMS]
        hint = suggest_word(
            name.name, [*kit.targets, *(f"{each}@{version}" for each in kit.components), *prefixes]
        )
        if name.name in kit.components:
            hint = f"a component is written {name.name}@VERSION"
        if paths and not name.revision:
            raise UsageError(
                f"no target and no file {name.name!r}", hint=hint or "kitgen list shows the targets"
            )
        raise UsageError(f"no target {name.name!r} in this kit", hint=hint or format_known_names(kit.targets))

    def find(self, name: SourceName, *, paths: bool = True) -> SourceName | None:
        """Return the source that a name stands for: without a prefix the first that exists, if any.

        That is a target, a component's version or a path. What can only be a path asks no kit.
        """
        alone = paths and not has_kit(self.root)
        if alone and (name.revision or not (name.is_foreign or name.kind is SourceKind.PLAIN)):
            raise UsageError(f"{str(name) or 'this'} needs a kit, and there is none here")
        if name.kind is not SourceKind.PLAIN:
            return name
        target, component = _to_kind(SourceKind.TARGET, name), _to_kind(SourceKind.COMPONENT, name)
        paths = paths and not name.revision
        path = (
            replace(name, kind=SourceKind.PATH) if paths and name.name and exists(Path(name.name)) else None
        )
        if alone or (path and (name.name.endswith(ENDINGS) or not (target or component))):
            return path
        kit = self.open_at(name.revision).kit
        if target and target.name in kit.targets and target.component in ("", *kit.versions):
            return target
        if component and component.version in kit.versions.get(component.name, ()):
            return component
        # Whoever looks for what it names says what is missing.
        if not path and component and component.name in kit.versions:
            return component
        return path or (target if target and target.name in kit.targets else None)


def _to_kind(kind: SourceKind, name: SourceName) -> SourceName | None:
    """Return what a name without a prefix means with one, if it can mean that."""
    try:
        return replace(_parse_kind(kind, name.name, name.name), revision=name.revision)
    except UsageError:
        return None


def to_release_source(kits: Kits, name: SourceName) -> SourceName:
    """Return a release for its bare name, if nothing else is called so."""
    plain = name.kind is SourceKind.PLAIN and not kits.find(name)
    released = plain and name.name in kits.open_at(name.revision).kit.release_names
    return replace(name, kind=SourceKind.RELEASE) if released else name


def to_target_source(name: SourceName) -> SourceName | None:
    """Return the target that a name can mean, if it can mean one."""
    if name.kind is SourceKind.PLAIN:
        return _to_kind(SourceKind.TARGET, name)
    return name if name.kind is SourceKind.TARGET else None


@contextmanager
def add_revision_to_errors(opened: OpenedKit) -> Iterator[None]:
    """Make findings that stop the work say which revision they are about."""
    try:
        yield
    except FindingsError as error:
        raise FindingsError(locate_in_revision(error.findings, opened), error.root, error.texts) from error


def locate_in_revision(findings: Iterable[Finding], opened: OpenedKit) -> list[Finding]:
    """Return findings that say where in the revision they are, written as git does: `main:kit.yaml`."""
    return _locate_in_revision(findings, opened.revision, opened.texts) if opened.revision else list(findings)


def _locate_in_revision(
    findings: Iterable[Finding], revision: str, texts: Mapping[str, str]
) -> list[Finding]:
    return [
        replace(each, origin=replace(each.origin, file=f"{revision}:{each.origin.file}"))
        for each in locate_findings(findings, texts.get)
    ]


def component_of(opened: OpenedKit, name: SourceName) -> Component:
    """Return the component that a source names."""
    return get_by_name(
        get_by_name(opened.kit.components, "component", name.name), f"version of {name.name}", name.version
    )
