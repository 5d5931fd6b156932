"""Render and export: compile, check, emit, write."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from msgspec import Struct

from kitgen.check.rendered_trees import Crds, check_lost_crds
from kitgen.files.apply import apply_tree, open_changes, recover_write, write_changes
from kitgen.files.generated_files import list_generated_files, render_own_files
from kitgen.files.paths import is_in_scope
from kitgen.files.reads import ReadLog, copy_log, hash_bytes
from kitgen.files.results import decode_value, encode_value
from kitgen.files.root import ARGOCD, BASES, FLEET, MARK, OVERLAYS, PATH_SYMLINK, SPECS, to_absolute_path
from kitgen.files.tree_changes import TreeChanges, compare_tree, hold_changes
from kitgen.files.workers import share_work
from kitgen.findings import Finding, Origin, make_problem
from kitgen.findings.errors import FindingsError, UsageError
from kitgen.kit.load import KitSelection
from kitgen.kit.references import check_shared_folders
from kitgen.render.file_tree import FileTree
from kitgen.render.images import check_lock_file
from kitgen.render.outputs import render_output
from kitgen.render.overlays.overlay import describe_bundled_crds
from kitgen.workspace.baselines import Baselines
from kitgen.workspace.checks import (
    CheckedTarget,
    PlannedBaseline,
    check_plans,
    decode_checks,
    encode_checks,
    limit_sharing,
    list_baselines,
    merge_planned_checks,
    recall_check,
)
from kitgen.workspace.crds_on_disk import make_overlay_reader, read_disk_crds
from kitgen.workspace.kit import OpenedKit, open_kit, raise_on_errors
from kitgen.workspace.planned_files import (
    RenderedFiles,
    folders_of,
    list_touched_targets,
    merge_files,
    recall_target_files,
)
from kitgen.workspace.planned_targets import PlannedTarget, plan_target
from kitgen.workspace.render_request import WAITING, D, Progress, RenderRequest, RenderResult
from kitgen.workspace.sources import Kits

if TYPE_CHECKING:
    from kitgen.kit.migrations import DeclaredMigrations
    from kitgen.workspace.rendered_folder import PreviousState, Recall
    from kitgen.workspace.states import SourceState

Review: TypeAlias = "Callable[[SourceState, SourceState, DeclaredMigrations], tuple[D, Mapping[str, str]]]"
"""Returns what changes on a cluster, and the CRDs that migrations move with what tells how."""


def render_targets(
    request: RenderRequest,
    progress: Progress,
    recall: Recall | None = None,
    review: Review[D] | None = None,
) -> RenderResult[D]:
    """Render targets into overlays/; nothing is written while an error stands.

    What changes on a cluster is told by a review, if one is wanted.
    """
    progress("reading the specs")
    opened = open_kit(request.root, KitSelection(release=request.release))
    raise_on_errors(opened.check_targets(), opened.root)
    targets = opened.kit.targets
    chosen = [opened.target(name).name for name in dict.fromkeys(request.targets)] or list(targets)
    planned = [plan_target(opened, target, request.release) for target in targets.values()]
    asked = [each for each in planned if each.target.name in chosen]
    progress("checking")
    baselines = Baselines(Kits(request.root))
    before = partial(baselines.of_target, opened, release=request.release)
    out = request.out or opened.root / OVERLAYS
    prepared = _prepare_targets(opened, list_baselines(asked, before), out)
    found, objects = merge_planned_checks(opened, asked, [each.checked for each in prepared])
    found += (each for one in asked for each in check_lock_file(one.target, one.release))
    findings = [
        *baselines.locate_findings(opened.apply_exceptions(found)),
        *opened.load_declared_moves().unread,
    ]
    raise_on_errors(findings, opened.root)
    # What is read from here on decides nothing that is said again.
    log = copy_log() if request.is_whole else None
    # Other targets share bases and fleet, so they are rendered too and only left out of the write.
    made = {one.target.name: each.files for one, each in zip(asked, prepared, strict=True)}
    files = [made.get(each.target.name) or recall_target_files(each, out) for each in planned]
    whole, hashes, _ = merge_files(planned, files, out)
    scope = _list_written_folders(chosen, alone=request.out is not None) if request.targets else ()
    tree = {path: text for path, text in whole.items() if is_in_scope(path, scope)}
    progress("writing")
    if request.out:
        refuse_kit_folder(opened.root, request.out)
        recover_write(request.out)
    with _open_changes(tree, out, scope, progress, dry_run=request.dry_run) as changes:
        held = _look_before(asked, changes, recall, reviewed=not request.out)
        if not request.dry_run:
            write_changes(changes)
    if not request.dry_run:
        findings += _check_stale_targets(whole, out, [name for name in targets if name not in chosen])
    after = make_overlay_reader(out, tree, scope)
    diff, moves = _run_review(review, held.state, asked) if review and held.state else (None, {})
    leaving = check_lost_crds(held.crds, after, targets, out.absolute().name, moves)
    return RenderResult(
        root=opened.root,
        out=out,
        targets=tuple(chosen),
        objects=objects,
        files=len(tree),
        changes=changes,
        findings=tuple(findings),
        of_folder=tuple(leaving),
        diff=diff,
        unknown=held.is_unknown,
        log=log and _add_rendered_files(log, out, hashes),
    )


class PreparedTarget(NamedTuple):
    """What is wrong with a target, and its files, unless it could not be compiled as it is meant."""

    checked: CheckedTarget
    files: RenderedFiles | None


def _prepare_targets(opened: OpenedKit, items: Sequence[PlannedBaseline], out: Path) -> list[PreparedTarget]:
    """Check and render targets; two processes share the work if there is much."""
    work = partial(_prepare_target, opened, out)
    alone = limit_sharing((), items)
    with share_work(work, items, _encode_target, _decode_target, alone=alone) as results:
        return [*results]


def _prepare_target(opened: OpenedKit, out: Path, item: PlannedBaseline) -> PreparedTarget:
    checked = recall_check(opened, (), item)
    is_broken = any(each.is_blocking for each in checked.compiled)
    return PreparedTarget(checked, None if is_broken else recall_target_files(item[0], out))


def _encode_target(prepared: PreparedTarget) -> bytes | None:
    checked = encode_checks(prepared.checked)
    return checked and encode_value((checked, prepared.files))


def _decode_target(content: bytes) -> PreparedTarget:
    checked, files = decode_value(content)
    return PreparedTarget(decode_checks(checked), files and RenderedFiles(*files))


def _add_rendered_files(log: ReadLog, out: Path, hashes: Mapping[str, str]) -> ReadLog:
    """Add what a folder holds once it is written: files with some hashes, and those that kitgen keeps."""
    root, name = os.path.realpath(out.parent), out.name
    own = {path: hash_bytes(content) for path, content in render_own_files(hashes)}
    for path, found in (*hashes.items(), *own.items()):
        log.add_hash(root, f"{name}/{path}", found)
    return log


def _list_written_folders(targets: Iterable[str], *, alone: bool) -> tuple[str, ...]:
    """Return the folders that a render of some targets writes.

    All targets have a part in the fleet, so where these stand alone it would lead to what is not there.
    """
    own = (folder for name in targets for folder in folders_of(name))
    return (BASES, *own) if alone else (BASES, f"{ARGOCD}/{FLEET}", *own)


class FolderBefore(NamedTuple):
    """What a folder held before it is changed."""

    crds: Mapping[str, Crds]
    """Of the targets that change, and of those that the kit no longer has."""
    state: PreviousState | None = None
    is_unknown: bool = False
    """Whether it held something, and nobody knows what that was rendered from."""


@contextmanager
def _open_changes(
    tree: FileTree, out: Path, scope: tuple[str, ...], progress: Progress, *, dry_run: bool
) -> Iterator[TreeChanges]:
    """Compare a tree with a folder, which nobody else writes meanwhile; what is in the way is an error."""
    if not dry_run:
        with open_changes(tree, out, scope=scope, waiting=lambda: progress(WAITING)) as changes:
            yield changes
        return
    with hold_changes(tree, out, scope=scope) as changes:
        raise_on_errors(changes.findings, out.absolute().parent)
        yield changes


def _look_before(
    planned: Sequence[PlannedTarget], changes: TreeChanges, recall: Recall | None, *, reviewed: bool
) -> FolderBefore:
    """Return what a folder holds of the targets that change; a first render has no need of all that."""
    there = list_generated_files(changes.out)
    if not changes.has_changes:
        return FolderBefore({})
    folders = {path.partition("/")[0] for path in there} - {BASES, ARGOCD}
    names = list_touched_targets(changes, {*(each.target.name for each in planned), *folders})
    crds = read_disk_crds(changes.out, names)
    if not (reviewed and there and changes.changed_files):
        return FolderBefore(crds)
    from kitgen.workspace.rendered_folder import find_previous_state

    state = find_previous_state(planned, changes, recall)
    return FolderBefore(crds, state, state is None)


def _run_review(
    review: Review[D], was: PreviousState, planned: Sequence[PlannedTarget]
) -> tuple[D, Mapping[str, str]]:
    from kitgen.workspace.states import state_of_targets

    opened = planned[0].opened
    now = state_of_targets("what is now", opened, planned, was.changed)
    return review(was.state, now, opened.load_declared_moves())


def _check_stale_targets(tree: Mapping[str, str], out: Path, targets: Iterable[str]) -> Iterator[Finding]:
    """Yield a warning for every target whose overlay is there and no longer fits the bases and specs."""
    for name in targets:
        own = folders_of(name)
        changes = compare_tree(tree, out, scope=own)
        missing, differing, same = (
            [path for path in paths if is_in_scope(path, own)]
            for paths in (changes.create, (*changes.change, *changes.delete), changes.keep)
        )
        if differing or (missing and same):
            yield make_problem(
                "target-stale",
                f"the overlay of {name} is not up to date with the bases that were rendered",
                hint=f"kitgen render {name}",
            ).to_finding(Origin(f"targets/{name}.yaml"))


class ExportResult(Struct, frozen=True, kw_only=True):
    """What an export did."""

    root: Path
    changes: TreeChanges
    note: str
    """Where to find what is not in it; empty if it has all."""
    findings: tuple[Finding, ...]


def export_target(
    root: Path | None, target: str, folder: Path, release: str | None, progress: Progress
) -> ExportResult:
    """Write the tree that the ODH operator mounts for a target, in its release or another one."""
    opened = open_kit(root, KitSelection(targets=(target,), release=release))
    plan = opened.plan(opened.target(target), release)
    exports = [(unit.context.component.name, unit.context.settings.export) for unit in plan.units]
    if not (exported := [(name, export) for name, export in exports if export is not None]):
        raise UsageError(
            f"target {target} exports nothing",
            hint="give its components an export setting" if plan.units else "it manages no component",
        )
    refuse_kit_folder(opened.root, folder)
    baselines = Baselines(Kits(root))
    before = partial(baselines.of_target, opened, release=release)
    found = [*check_shared_folders(exported), *check_plans(opened, [plan], before=before)]
    found += check_lock_file(plan.target, plan.release)
    findings = baselines.locate_findings(opened.apply_exceptions(found))
    raise_on_errors(findings, opened.root)
    tree = render_output("odh", [plan])
    recover_write(folder)
    changes = apply_tree(tree, folder, waiting=lambda: progress(WAITING))
    return ExportResult(
        root=opened.root, changes=changes, note=describe_bundled_crds(plan), findings=tuple(findings)
    )


def refuse_kit_folder(root: Path, folder: Path) -> None:
    """Refuse to write another tree over the kit itself or over its rendered overlays."""
    place = Path(
        os.path.realpath(to_absolute_path(folder))
    )  # unlike Path.resolve, at ease with links in a circle
    own = [root / name for name in (OVERLAYS, *SPECS)]
    if place == root or any(place == each or place.is_relative_to(each) for each in own):
        raise UsageError(f"{folder} belongs to the kit", hint="choose a folder of its own")
    if place.parent == place or os.path.lexists(place / MARK):
        what = "the root of the disk" if place.parent == place else "another kit"
        raise UsageError(f"{folder} is {what}", hint="choose a folder of its own")
    for step in folder.absolute().parents:
        link = Path(os.path.realpath(step.parent), step.name)
        if step.is_symlink() and link.is_relative_to(root):  # others are not the kit's, but the caller's
            wrong = PATH_SYMLINK(
                f"found a symlink on the way to {folder}",
                hint="remove it; kitgen follows no symlinks",
                line=1,
            )
            raise FindingsError([wrong.to_finding(Origin(link.relative_to(root).as_posix()))], root)
