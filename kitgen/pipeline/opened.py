"""A kit that was loaded, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from kitgen.compile import Session
from kitgen.emit import Plan
from kitgen.errors import FindingsError, UsageError
from kitgen.findings import Finding, Severity, near, unique
from kitgen.load import SpecFiles, load_kit
from kitgen.mark import generated
from kitgen.model import Component, Kit, Release, Target
from kitgen.objects import Manifest
from kitgen.root import find_root
from kitgen.write import recover

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A kit that was loaded, and the means to go on with it."""

    root: Path
    kit: Kit
    session: Session

    def target(self, name: str) -> Target:
        """Return a target by its name."""
        return pick(self.kit.targets, "target", name)

    def release(self, target: Target, name: str | None) -> Release:
        """Return the release that a target pins, or the one that is asked for."""
        return pick(self.kit.releases, "release", name or target.release)

    def plan(self, target: Target, release: str | None = None) -> Plan:
        """Compile a target."""
        chosen = self.release(target, release)
        return Plan(
            target=target,
            release=chosen,
            units=tuple(self.session.units(target, chosen)),
            apart=tuple(self.session.apart(target, chosen)),
        )

    def component(self, release: Release, name: str) -> Component:
        """Return a component in the version that a release builds."""
        versions = {each.name: each for each in self.session.components(release)}
        return pick(versions, "component", name)

    def crds(self) -> dict[tuple[str, str], tuple[Manifest, ...]]:
        """Return the expanded CRDs of every component and version; broken ones are a FindingsError."""
        findings: list[Finding] = []
        found = {
            (name, version): tuple(self.session.crds(component, findings))
            for name, versions in self.kit.components.items()
            for version, component in versions.items()
        }
        stop_on_errors(findings, self.root)
        return found


def pick(known: Mapping[str, T], what: str, name: str) -> T:
    """Return the thing of a name; a name that is not there is wrong usage."""
    if name not in known:
        hint = near(name, list(known)) or f"known are {', '.join(known)}"
        raise UsageError(f"no {what} {name!r} in this kit", hint=hint)
    return known[name]


def open_kit(root: Path | None) -> Opened:
    """Mend what a killed run left behind, then load the kit; wrong specs are a FindingsError."""
    found = find_root(root)
    recover(found / "overlays", ours=generated)
    files = SpecFiles(found)
    try:
        kit = load_kit(files)
    except FindingsError as error:
        error.root = found
        raise
    return Opened(root=found, kit=kit, session=Session(kit))


def stop_on_errors(findings: Iterable[Finding], root: Path | None) -> list[Finding]:
    """Raise FindingsError if one of the findings is an error; else return them, sorted."""
    found = unique(list(findings))
    if any(finding.severity is Severity.ERROR for finding in found):
        raise FindingsError(found, root)
    return found
