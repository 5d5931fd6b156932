"""Sources: the one way in which every command names what it looks at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from kitgen.compile import Session
from kitgen.compile.made import together
from kitgen.crds.schema.crd import is_crd
from kitgen.errors import FindingsError, UsageError
from kitgen.findings import Finding, near
from kitgen.load import SpecFiles, exists, load_kit
from kitgen.load.files import Memory
from kitgen.load.git import revision_files
from kitgen.load.manifests import STDIN
from kitgen.model import Component
from kitgen.objects import Manifest
from kitgen.pipeline.build import build
from kitgen.pipeline.opened import Opened, open_kit, pick, stop_on_errors
from kitgen.pipeline.upgrade import rewritten
from kitgen.report.located import locate
from kitgen.root import find_root

GIT = "git:"


class Kind(StrEnum):
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
    Kind.TARGET: "target:NAME, target:NAME/COMPONENT or target:NAME@RELEASE",
    Kind.COMPONENT: "component:NAME@VERSION",
    Kind.RELEASE: "release:NAME",
    Kind.PATH: "path:FILE",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceName:
    """How a source is written, taken apart; as text it is what was written."""

    kind: Kind
    name: str = ""
    """Of the target, component or release; the path; what was written without a prefix."""
    component: str = ""
    """One component of a target."""
    version: str = ""
    """The release of a target, or the version of a component."""
    revision: str = ""
    """The revision to look at instead of the work tree."""

    def __str__(self) -> str:
        before = f"{GIT}{self.revision}" if self.revision else ""
        if self.kind is Kind.KIT:
            return before
        prefix = f"{self.kind}:" if self.kind in FORMS else self.kind
        component = f"/{self.component}" if self.component else ""
        version = f"@{self.version}" if self.version else ""
        return f"{before}{':' if before else ''}{prefix}{self.name}{component}{version}"

    @property
    def file(self) -> str:
        """Return what reads manifests: a path, or the sign for standard input, which no path is."""
        if self.kind is Kind.STDIN:
            return STDIN
        return f"./{STDIN}" if self.name == STDIN else self.name


def parse_source(text: str) -> SourceName:
    """Take a source apart; one that cannot be meant is wrong usage."""
    if text.startswith(GIT):
        revision, colon, rest = text.removeprefix(GIT).partition(":")
        if not revision or (colon and not rest):
            raise UsageError(f"{text!r} is no source, expected git:REF or git:REF:SOURCE")
        inner = parse_source(rest) if colon else SourceName(kind=Kind.KIT)
        if inner.revision or inner.kind in (Kind.PATH, Kind.STDIN):
            hint = "git show REF:FILE prints a file of a revision, and - reads it"
            raise UsageError(
                f"{text!r} is no source: a revision holds targets, components and releases", hint=hint
            )
        return replace(inner, revision=revision)
    if text == Kind.STDIN:
        return SourceName(kind=Kind.STDIN)
    prefix, colon, rest = text.partition(":")
    kind = Kind(prefix) if colon and prefix in set(FORMS) else Kind.PLAIN
    return _parsed(kind, rest if kind is not Kind.PLAIN else text, text)


def _parsed(kind: Kind, rest: str, text: str) -> SourceName:
    """Take apart what stands behind a prefix."""
    if kind in (Kind.PATH, Kind.PLAIN) and (rest or kind is Kind.PLAIN):
        return SourceName(kind=kind, name=rest)
    before, at, version = rest.partition("@") if kind is not Kind.RELEASE else (rest, "", "")
    name, slash, component = before.partition("/") if kind is Kind.TARGET else (before, "", "")
    whole = name and (version or not at) and (component or not slash)
    if (
        not whole
        or (kind is Kind.COMPONENT and not at)
        or any(c in f"{version}{component}{name}" for c in "/@:")
    ):
        raise UsageError(f"{text!r} is no source", hint=f"expected {FORMS[kind]}")
    return SourceName(kind=kind, name=name, component=component, version=version)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A kit that was opened as it is or as it was in a revision."""

    opened: Opened
    revision: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    """The specs of a revision; those of the work tree are on disk."""

    def located(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return findings that say where in the revision they are, written as git does: `main:kit.yaml`."""
        return _located(findings, self.revision, self.texts) if self.revision else list(findings)

    @contextmanager
    def telling(self) -> Iterator[Opened]:
        """Give the kit to work with; findings that stop the work say which revision they are about."""
        try:
            yield self.opened
        except FindingsError as error:
            raise FindingsError(self.located(error.findings), error.root, error.texts) from error


def _located(findings: Iterable[Finding], revision: str, texts: dict[str, str]) -> list[Finding]:
    return [
        replace(
            each.finding,
            origin=replace(
                each.finding.origin, file=f"{revision}:{each.finding.origin.file}", line=each.line
            ),
        )
        for each in locate(findings, texts.get)
    ]


class Kits:
    """The kit in every revision that a command names, each opened once."""

    def __init__(self, root: Path | None) -> None:
        self.root = root
        self._open: dict[str, Opening] = {}

    def at(self, revision: str = "") -> Opening:
        """Open the kit as it is, or as it was in a revision; wrong specs are a FindingsError."""
        if revision not in self._open:
            self._open[revision] = (
                self._opening(revision) if revision else Opening(opened=open_kit(self.root))
            )
        return self._open[revision]

    def _opening(self, revision: str) -> Opening:
        root = find_root(self.root)
        found = revision_files(root, revision)
        # What an older form means is known, and nobody can rewrite what is committed.
        fresh = {path: text.encode() for path, text in rewritten(SpecFiles(found))[0].items()}
        links = {path: link for path, link in found.links.items() if path not in fresh}
        specs = SpecFiles(Memory({**found.files, **fresh}, links))
        try:
            kit = load_kit(specs)
        except FindingsError as error:
            raise FindingsError(_located(error.findings, revision, specs.texts), root) from error
        return Opening(
            opened=Opened(root=root, kit=kit, session=Session(kit)), revision=revision, texts=specs.texts
        )

    def resolve(self, name: SourceName, *, paths: bool = True) -> SourceName:
        """Return the first source that exists for a name without a prefix: target, component, then path."""
        if name.kind is not Kind.PLAIN:
            return name
        kit = self.at(name.revision).opened.kit
        paths = paths and not name.revision
        target, component = _as(Kind.TARGET, name), _as(Kind.COMPONENT, name)
        if target and target.name in kit.targets and target.component in ("", *kit.components):
            return target
        if component and component.version in kit.components.get(component.name, {}):
            return component
        if paths and name.name and exists(Path(name.name)):
            return SourceName(kind=Kind.PATH, name=name.name)
        if target and (target.name in kit.targets or not paths):
            return target  # whoever looks for what it names says what is missing
        prefixes = [f"{kind}:{name.name.partition(':')[2]}" for kind in FORMS]
        hint = near(name.name, [*kit.targets, *prefixes]) or "kitgen list shows the targets"
        raise UsageError(f"no target and no file {name.name!r}", hint=hint)


def _as(kind: Kind, name: SourceName) -> SourceName | None:
    """Return what a name without a prefix means with one, if it can mean that."""
    try:
        return replace(_parsed(kind, name.name, name.name), revision=name.revision)
    except UsageError:
        return None


def component_of(opened: Opened, name: SourceName) -> Component:
    """Return the component that a source names."""
    versions = pick(opened.kit.components, "component", name.name)
    return pick(versions, f"version of {name.name}", name.version)


def by_itself(opened: Opened, component: Component) -> tuple[list[Manifest], list[Finding]]:
    """Return what a component consists of before a target changes it, CRDs included, and what is wrong."""
    crds, findings = opened.session.crds(component)
    base = opened.session.base(component)
    return [*crds, *base.final], [*findings, *base.findings]


def objects_of(kits: Kits, name: SourceName) -> list[Manifest]:
    """Return the final objects of a target or of one of its components, or a component's own."""
    with kits.at(name.revision).telling() as opened:
        if name.kind is Kind.TARGET:
            return build(opened, name.name, name.component or None, name.version or None)
        if name.kind is not Kind.COMPONENT:
            hint = f"expected {FORMS[Kind.TARGET]}, or {FORMS[Kind.COMPONENT]}"
            raise UsageError(f"{name} is neither a target nor a component", hint=hint)
        made, findings = by_itself(opened, component_of(opened, name))
        stop_on_errors(findings, opened.root)
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildRequest:
    """What to build; component and release may stand in the source or beside it."""

    root: Path | None = None
    source: str
    component: str = ""
    release: str = ""


def build_source(request: BuildRequest) -> list[Manifest]:
    """Return the final objects of a source."""
    kits = Kits(request.root)
    name = kits.resolve(parse_source(request.source), paths=False)
    component, release = request.component or name.component, request.release or name.version
    for value, own in ((request.component, name.component), (request.release, name.version)):
        if value and (own or name.kind is not Kind.TARGET):
            raise UsageError(f"{name} takes no {value!r} beside it", hint=f"expected {FORMS[Kind.TARGET]}")
    return objects_of(kits, replace(name, component=component, version=release))


def crds_of(kits: Kits, name: SourceName) -> list[Manifest]:
    """Return the CRDs of a component, a target or a release; wrong ones are a FindingsError."""
    with kits.at(name.revision).telling() as opened:
        if name.kind is Kind.COMPONENT:
            made, findings = opened.session.crds(component_of(opened, name))
        elif name.kind is Kind.RELEASE:
            release = pick(opened.kit.releases, "release", name.name)
            parts = together(opened.session.crds(each) for each in opened.session.components(release))
            made, findings = tuple(crd for each in parts.value for crd in each), parts.findings
        elif name.kind is Kind.TARGET and not name.component:
            plan = opened.plan(opened.target(name.name), name.version or None)
            made = (*(each for unit in plan.units for each in unit.final), *plan.outside)
            findings = plan.findings
        else:
            hint = f"expected {FORMS[Kind.TARGET]}, or {FORMS[Kind.COMPONENT]}"
            raise UsageError(f"{name} is no target, component or release", hint=hint)
        stop_on_errors(findings, opened.root)
        return [each for each in made if is_crd(each.body)]
