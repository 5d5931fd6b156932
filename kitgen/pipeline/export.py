"""What `kitgen export` does: write the tree that the ODH operator mounts."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from kitgen.emit import OUTPUTS, bundle_note
from kitgen.errors import UsageError
from kitgen.findings import Finding
from kitgen.pipeline.checks import check_plans
from kitgen.pipeline.opened import open_kit, require
from kitgen.pipeline.rendered import WAITING, Progress, silent
from kitgen.pipeline.rendering import refuse_own
from kitgen.write import Changes, apply, recover


class ExportRequest(Struct, frozen=True, kw_only=True):
    """Which target to export, and into which folder."""

    root: Path | None = None
    target: str
    folder: Path


class Exported(Struct, frozen=True, kw_only=True):
    """What an export did."""

    root: Path
    changes: Changes
    note: str
    """Where to find what is not in it; empty if it has all."""
    findings: tuple[Finding, ...]


def export(request: ExportRequest, progress: Progress = silent) -> Exported:
    """Write the tree that the ODH operator mounts."""
    opened, target, folder = open_kit(request.root), request.target, request.folder
    plan = opened.plan(opened.target(target))
    if not any(unit.context.settings.export for unit in plan.units):
        hint = "give its components an export setting" if plan.units else "it manages no component"
        raise UsageError(f"target {target} exports nothing", hint=hint)
    refuse_own(opened.root, folder)
    findings = opened.judged(check_plans(opened, [plan]))
    require(findings, opened.root)
    tree = OUTPUTS["odh"]([plan])
    recover(folder)
    changes = apply(tree, folder, waiting=lambda: progress(WAITING))
    return Exported(root=opened.root, changes=changes, note=bundle_note(plan), findings=tuple(findings))
