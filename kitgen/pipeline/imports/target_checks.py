"""Check a new version as if each target took it, and find the minors of Kubernetes that it runs on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import FINDINGS_LIMIT, Finding, sort_key
from kitgen.kubernetes import minors as known_minors
from kitgen.kubernetes import narrow
from kitgen.load.reasons import REASON_MISSING
from kitgen.model import Component
from kitgen.pipeline.compiled import check_built, compiled, placement_of
from kitgen.pipeline.opened import Opened
from kitgen.pipeline.sources import Kind, SourceName
from kitgen.report.lines import with_lines


class VersionChecks(Struct, frozen=True, kw_only=True):
    """What `kitgen check` finds in a version."""

    findings: tuple[tuple[Finding, tuple[str, ...]], ...] = ()
    """Each with the targets in which it is found; none if that is all of them."""
    range: str = ""
    """The minors of Kubernetes that it runs on, such as `>=1.30`, if it does not on all of the kit's."""


def check_version(
    opened: Opened, component: Component, carried: Mapping[str, str], known: Sequence[Finding]
) -> VersionChecks:
    """Check a version in every target that would have it; what is known of the kit already is left out."""
    sources = [*_sources(opened, component)]
    found: dict[Finding, list[str]] = {}
    for source in sources:
        for each in _checked(opened, source, carried):
            if each not in known and each.rule is not REASON_MISSING and not each.accepted:
                found.setdefault(each, []).append(source.name)
    lined = with_lines((each.origin for each in found), opened.texts.get)
    told = [
        (replace(each, origin=lined[each.origin]), () if len(whos) == len(sources) else tuple(whos))
        for each, whos in sorted(found.items(), key=lambda pair: (not pair[0].blocks, sort_key(pair[0])))
    ]
    wrong = {whos[0] for each, whos in found.items() if each.blocks}  # one target of each error is enough
    some = [each for each in sources if each.name in wrong]
    # With errors that were not looked for, minors cannot be told apart.
    whole = not any(each.rule is FINDINGS_LIMIT for each in found)
    spanned = _range(opened, component, some, carried) if some and whole else ""
    return VersionChecks(findings=tuple(told), range=spanned)


def _sources(opened: Opened, component: Component) -> Iterator[SourceName]:
    """Yield the version as each target has it that manages it; by itself, if there is none."""
    found = False
    for who, target in opened.kit.targets.items():
        placement = placement_of(opened, target, {component.name: component.version})
        if placement.settings(component).managed:
            found = True
            name, version = component.name, component.version
            yield SourceName(kind=Kind.TARGET, name=who, component=name, component_version=version)
    if not found:
        yield SourceName(kind=Kind.COMPONENT, name=component.name, version=component.version)


def _checked(
    opened: Opened, source: SourceName, carried: Mapping[str, str], minors: tuple[int, ...] = ()
) -> list[Finding]:
    made = compiled(opened, source, others=carried)
    return opened.judged(check_built(opened, source.name, made, minors))


def _range(
    opened: Opened, component: Component, sources: Sequence[SourceName], carried: Mapping[str, str]
) -> str:
    """Return the minors without errors that others have; empty if all or none of the kit's are so."""
    wrong = {
        minor: {
            (each.rule, each.origin)
            for source in sources
            for each in _checked(opened, source, carried, (minor,))
            if each.blocks
        }
        for minor in known_minors()
    }
    everywhere = set.intersection(*wrong.values())
    fine = tuple(minor for minor, some in wrong.items() if some <= everywhere)
    fine = narrow(fine, component.clusters) if component.clusters else fine
    releases = [opened.release(target, None) for target in opened.kit.targets.values()]
    wanted = {minor for each in releases for minor in opened.kit.minors_for(each)}
    if not fine or wanted <= set(fine):
        return ""
    last = fine[-1]
    first = min(minor for minor in fine if set(range(minor, last + 1)) <= set(fine))
    parts = [f">=1.{first}"] if first > known_minors()[0] else []
    return " ".join([*parts, *([f"<=1.{last}"] if last < known_minors()[-1] else [])])
