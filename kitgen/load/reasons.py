"""Reasons that are still missing: an empty one is a note to somebody, and is told until it is written."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Chapter, Finding, Origin, Rule, Severity, in_chain
from kitgen.model import Component, Item, Kit, Target

REASON_MISSING = Rule(
    id="reason-missing",
    chapter=Chapter.TARGET,
    checks=(
        "Patches, permissions that are withheld and versions that a target takes instead say why, and "
        "features say what they are about."
    ),
    fix="Write the reason: it stands in the overlays, where reviewers read it.",
    severity=Severity.WARNING,
    exceptable=True,
)


def check_reasons(kit: Kit) -> list[Finding]:
    """Return a warning for every reason that is empty."""
    of_components = (
        finding
        for each in kit.every_component
        for finding in in_chain(_component(each), f"components/{each.name}/", each.chain)
    )
    of_targets = (
        finding
        for each in kit.targets.values()
        for finding in in_chain(_target(each), "targets/", each.chain)
    )
    return [*of_components, *of_targets]


def _missing(what: str, origin: Origin, key: str = "why") -> Finding:
    return REASON_MISSING(f"{what} says no reason", hint="write one for the reviewer").at(origin.at(key))


def _component(component: Component) -> Iterator[Finding]:
    for part in component.parts:
        yield from _patches(part["patches"])
    for feature in component.features.values():
        if not feature.about:
            yield _missing(f"the feature {feature.name!r}", feature.origin, "about")


def _target(target: Target) -> Iterator[Finding]:
    for blocks in target.settings.values():
        for block in blocks:
            yield from _patches(block.settings.patches)
            for withheld in block.settings.withheld:
                if not withheld.why:
                    yield _missing("what is withheld", withheld.origin)
    for overrides in target.overrides.values():
        yield from (_missing(f"the version {own.version}", own.origin) for own in overrides if not own.why)


def _patches(patches: tuple[Item, ...]) -> Iterator[Finding]:
    for patch in patches:
        for layer in patch.layers:
            if layer.data.get("why") == "":
                yield _missing(f"the patch {layer.data['name']!r}", layer.origin)
