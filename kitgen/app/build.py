"""Run `kitgen build`: print the final objects of a source, straight from the compiler."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kitgen.findings.errors import UsageError
from kitgen.kit.load import KitSelection
from kitgen.workspace.compilation import BuiltObjects, check_built_objects, compile_source
from kitgen.workspace.kit import OpenedKit, raise_on_errors
from kitgen.workspace.sources import (
    FORMS,
    Kits,
    SourceKind,
    SourceName,
    add_revision_to_errors,
    locate_in_revision,
    parse_source,
    to_target_source,
)

if TYPE_CHECKING:
    from kitgen.workspace.baselines import Baselines
    from kitgen.workspace.checks import TargetBaseline


def build_objects(root: Path | None, source: str, component: str = "", release: str = "") -> BuiltObjects:
    """Return the final objects of a target or of one of its components, or a component's own.

    Component and release may stand in the source or beside it.
    """
    from kitgen.render.images import check_lock_file
    from kitgen.workspace.baselines import Baselines  # those that compile without a check need none

    said = parse_source(source)
    kits = Kits(root, _build_kit_selection(said, release), everywhere=True)
    name = kits.resolve(said, paths=False)
    for value, own in ((component, name.component), (release, name.version)):
        if value and (own or name.kind is not SourceKind.TARGET):
            raise UsageError(
                f"{name} takes no {value!r} beside it", hint=f"expected {FORMS[SourceKind.TARGET]}"
            )
    if name.kind not in (SourceKind.TARGET, SourceKind.COMPONENT):
        raise UsageError(
            f"{name} is neither a target nor a component",
            hint=f"expected {FORMS[SourceKind.TARGET]}, or {FORMS[SourceKind.COMPONENT]}",
        )
    if name.kind is SourceKind.TARGET:
        name = replace(name, component=name.component or component, version=name.version or release)
    opened = kits.open_at(name.revision)
    with add_revision_to_errors(opened):
        made = compile_source(opened, name)
        findings = list(made.findings)
        if name.kind is SourceKind.TARGET:  # what a component lacks by itself a target may give
            baselines = Baselines(kits)
            before = {name.name: found} if (found := _find_baseline(baselines, opened, name)) else {}
            findings = baselines.locate_findings(check_built_objects(opened, name.name, made, (), before))
            findings += check_lock_file(opened.target(name.name), made.release) if made.release else []
        findings = opened.apply_exceptions(findings)
        raise_on_errors(findings, opened.root)
    return replace(made, findings=tuple(locate_in_revision(findings, opened)))


def _build_kit_selection(source: SourceName, release: str) -> KitSelection | None:
    """Return what has to be read of a kit: a target's own, if one is meant."""
    target = to_target_source(source)
    if target is None or target.component_version:
        return None
    return KitSelection(targets=(target.name,), release=target.version or release or None, alone=True)


def _find_baseline(baselines: Baselines, opened: OpenedKit, name: SourceName) -> TargetBaseline | None:
    """Return what is there before a target or one of its components, by the target's own word."""
    target = opened.target(name.name)
    if not target.upgrades_from or name.component_version or name.version not in ("", target.release):
        return None
    if name.component:
        return baselines.of_source(opened, name)
    plan = opened.plan(target)
    aside = {each.id for each in plan.outside_objects}  # it is there, but no part of what is built
    there = baselines.of_target(opened, plan.target, plan.release.name)
    return there and replace(there, objects=[each for each in there.objects if each.id not in aside])
