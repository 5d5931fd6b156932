"""Find the CRDs behind a name: a file, a folder, standard input, or a version of a component of the kit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kitgen.crds.schema.crd import crd_faults, is_crd
from kitgen.crds.schema.rules import CRD_TWICE
from kitgen.errors import UsageError
from kitgen.findings import Chapter, Finding, Origin, Rule, near
from kitgen.load import ForeignObject, read_foreign
from kitgen.pipeline.opened import Opened, known, pick, stop_on_errors
from kitgen.pipeline.sources import Kind, Kits, crds_of, parse_source
from kitgen.root import in_kit
from kitgen.schema.wording import counted
from kitgen.semver import version_key
from kitgen.yamlio import JsonObject

CRD_NONE = Rule(
    id="crd-none",
    chapter=Chapter.CRD,
    title="no CRD",
    checks="What is imported or compared holds at least one CRD.",
    fix="Name a file or folder that holds CRDs.",
)
NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignCrds:
    """The CRDs that were read behind some names."""

    found: Mapping[str, ForeignObject]
    """By the name of the CRD."""
    others: tuple[ForeignObject, ...]
    texts: Mapping[str, str]

    @property
    def bodies(self) -> list[JsonObject]:
        """Return the CRDs themselves."""
        return [each.body for each in self.found.values()]


def foreign_crds(
    names: tuple[str, ...], faults: Callable[[JsonObject, Origin], Iterable[Finding]] = crd_faults
) -> ForeignCrds:
    """Read CRDs; other objects are passed over, and whatever is wrong with one is a FindingsError.

    A CRD may come again if it is the same.
    """
    read = read_foreign(names)
    found: dict[str, ForeignObject] = {}
    findings: list[Finding] = []
    others = tuple(each for each in read.objects if not is_crd(each.body))
    for each in filter(lambda each: is_crd(each.body), read.objects):
        if wrong := list(faults(each.body, each.origin)):
            findings += wrong
            continue
        name = each.body["metadata"]["name"]
        first = found.setdefault(name, each)
        if first.body != each.body:
            message = f"found {name!r} a second time, and not the same; {first.origin.file} has it too"
            findings.append(CRD_TWICE(message).at(each.origin))
    if not (found or findings or read.findings):
        hint = f"found {counted(len(others), 'other object')}" if others else ""
        none = CRD_NONE("found no CRDs, expected at least one", hint=hint)
        findings.append(none.at(Origin(names[0], (), 1)))
    read.stop(*findings)
    return ForeignCrds(found=found, others=others, texts=read.texts)


class CrdSources:
    """The CRDs behind names; the kit is opened once, and only when a name asks for it."""

    def __init__(self, root: Path | None) -> None:
        self.root = root

        self._kits = Kits(root)

    @property
    def _opened(self) -> Opened:
        return self._kits.at().opened

    def bodies(self, source: str) -> list[JsonObject]:
        """Return the CRDs of a source; what has no prefix and exists as a path is one."""
        name = parse_source(source)
        if (name.kind is not Kind.PLAIN and name.kind is not Kind.STDIN) or name.revision:
            if name.kind is Kind.PATH:
                return foreign_crds((name.file,)).bodies
            return [each.body for each in crds_of(self._kits, self._kits.resolve(name, paths=False))]
        if is_of_kit(source):
            self.require_kit(source)
            component, _, version = source.rpartition("@")
            return self._of_kit(component, version)
        if source != "-" and not Path(source).exists() and NAME.fullmatch(source):
            hint = f"a component of the kit is written {source}@VERSION"
            raise UsageError(f"no such file or folder: {source}", hint=hint)
        return foreign_crds((source,)).bodies

    def every(self) -> Iterator[tuple[str, str, list[JsonObject]]]:
        """Yield component, version and CRDs of everything in the kit, the newest version first."""
        for component, versions in sorted(self._opened.kit.components.items()):
            for version in sorted(versions, key=version_key, reverse=True):
                yield component, version, self._of_kit(component, version)

    def require_kit(self, name: str) -> None:
        """Raise if a name that is no file stands for something of a kit, and there is none."""
        if not in_kit(self.root):
            hint = "there is no kit here, so it stands for no CRD and no component"
            raise UsageError(f"no such file or folder: {name}", hint=hint)

    def _of_kit(self, component: str, version: str) -> list[JsonObject]:
        versions = pick(self._opened.kit.components, "component", component)
        if version not in versions:
            hint = near(version, list(versions)) or known(versions)
            raise UsageError(f"no version {version!r} of {component}", hint=hint)
        manifests, findings = self._opened.session.crds(versions[version])
        stop_on_errors(findings, self._opened.root)
        return [manifest.body for manifest in manifests]


def is_of_kit(source: str) -> bool:
    """Tell whether something of the kit is meant, and no file or folder."""
    name = parse_source(source)
    if name.kind is Kind.PLAIN and not name.revision:
        return "@" in source and not Path(source).exists()
    return name.kind not in (Kind.PATH, Kind.STDIN)
