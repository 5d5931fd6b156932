"""What `kitgen sources` does: say where the platform's operator takes manifests and images from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from kitgen.check.images.related_images import without_variable
from kitgen.check.images.rules import IMAGE_TAG
from kitgen.findings import Finding
from kitgen.findings.errors import UsageError
from kitgen.kit.load import Only
from kitgen.kit.references import shared_folders
from kitgen.kube.image_reference import wrong_image
from kitgen.release.manifest_sources import TargetSources, target_sources
from kitgen.release.source_files import Platforms, manifests_config, script_2024, script_2025, script_2026
from kitgen.render.placement import place
from kitgen.render.plan import TargetPlan
from kitgen.workspace.kit import open_kit, require

PLATFORM = re.compile(r"[a-z][a-z0-9]*")


class SourcesForm(StrEnum):
    """How the platform's operator has its sources; the year is that in which a form was in use."""

    SCRIPT_2024 = "script-2024"
    SCRIPT_2025 = "script-2025"
    SCRIPT_2026 = "script-2026"
    CONFIG = "manifests-config"


class SourcesRequest(Struct, frozen=True, kw_only=True):
    """Whose sources to tell, and of which release."""

    root: Path | None = None
    targets: tuple[str, ...]
    release: str | None = None
    """What each target pins when absent."""
    form: SourcesForm | None = None
    """None for people and programs."""


class ManifestSources(Struct, frozen=True, kw_only=True):
    """The sources of some targets."""

    root: Path
    targets: tuple[TargetSources, ...]
    text: str
    """In the form that was asked for, if one was."""
    remarks: tuple[str, ...]
    """What is not among them."""
    findings: tuple[Finding, ...]


def tell_sources(request: SourcesRequest) -> ManifestSources:
    """Tell the sources of targets; what is wrong with their specs is a FindingsError."""
    names = tuple(dict.fromkeys(request.targets))
    opened = open_kit(request.root, Only(targets=names, release=request.release))
    found: list[Finding] = [*opened.kit.warnings]
    told = []
    for target in map(opened.target, names):
        placement = place(opened.kit, target, opened.release(target, request.release))
        plan = opened.session.objects(placement, placement.units, checked=False)
        found += _wrong(plan)
        told.append(target_sources(opened.kit, plan))
    findings = opened.judged(found)
    require(findings, opened.root)
    for each in told:
        if not each.sources:
            hint = "; ".join(each.left_out) or "give its components a source setting"
            raise UsageError(f"target {each.target} has no sources", hint=hint)
    return ManifestSources(
        root=opened.root,
        targets=tuple(told),
        text=_written(request.form, told) if request.form else "",
        remarks=tuple(_remarks(told, request.form)),
        findings=tuple(findings),
    )


def _wrong(plan: TargetPlan) -> Iterator[Finding]:
    """Yield what is wrong with what compiles, with images that no file can name, and with folders."""
    yield from plan.findings
    yield from without_variable([plan])
    contexts = [unit.context for unit in plan.units]
    yield from shared_folders(
        (each.component.name, export) for each in contexts if (export := each.settings.export)
    )
    for image, origin in (pair for each in contexts for pair in each.images.values()):
        if problem := wrong_image(image, IMAGE_TAG):
            yield problem.at(origin)


def _written(form: SourcesForm, targets: Sequence[TargetSources]) -> str:
    """Write sources as the platform's operator has them; older forms know no platforms."""
    if form in (SourcesForm.SCRIPT_2024, SourcesForm.SCRIPT_2025):
        if len(targets) > 1:
            raise UsageError(f"{form} has no platforms", hint="name one target")
        write = script_2024 if form is SourcesForm.SCRIPT_2024 else script_2025
        return write(targets[0].sources)
    return (script_2026 if form is SourcesForm.SCRIPT_2026 else manifests_config)(_platforms(targets))


def _platforms(targets: Sequence[TargetSources]) -> Platforms:
    found: Platforms = {}
    for each in targets:
        if not PLATFORM.fullmatch(each.platform):
            hint = f"say platform in targets/{each.target}.yaml"
            raise UsageError(f"the target {each.target} has no platform that a script can name", hint=hint)
        if each.platform in found:
            raise UsageError(f"two targets are of the platform {each.platform}", hint="name one of them")
        found[each.platform] = each.sources
    return found


def _remarks(targets: Sequence[TargetSources], form: SourcesForm | None) -> Iterator[str]:
    """Yield what is left out of what is told, and why."""
    for each in targets:
        yield from (f"{each.target}: left out: {reason}" for reason in each.left_out)
    first: dict[str, tuple[str, str]] = {}
    rows = [(each, one, image) for each in targets for one in each.sources for image in one.images]
    for target, one, image in rows if form is SourcesForm.CONFIG else ():
        own = (image.key, one.component)
        if not image.variable:
            yield f"{target.target}: left out: {image.key}, for which {target.release} has no variable"
        elif (other := first.setdefault(image.variable, own)) != own:
            said = f"{image.variable} is listed for {other[0]} of {other[1]}"
            yield f"{target.target}: left out: {own[0]} of {own[1]}: {said}"
