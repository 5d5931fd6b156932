"""Run an import of a whole component: read trees, decide, and write the specs, all of them or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from msgspec.structs import replace

from kitgen.crd.importer.importer import CRD_IMPORT
from kitgen.files.edits import change
from kitgen.files.root import MARK
from kitgen.findings import Origin, near
from kitgen.findings.errors import FindingsError, UsageError
from kitgen.importing.crds import declare
from kitgen.importing.env_file_images import with_unbuilt
from kitgen.importing.files import version_like
from kitgen.importing.leftovers import patched, sparing
from kitgen.importing.request import ImportRequest, ImportResult, VerifiedTree
from kitgen.importing.review import check_line, review_items
from kitgen.importing.solver import solve
from kitgen.importing.spec import spec_of
from kitgen.importing.target_checks import check_trees
from kitgen.importing.tree_reader import read_reals, read_trees, whose_trees
from kitgen.importing.trees import FamilyCoverage, GivenTree
from kitgen.importing.verification import SpecTrial
from kitgen.kit.model import Component
from kitgen.kit.shipped_trees import ShippedTree
from kitgen.text.schema_errors import REFERENCE_MISSING
from kitgen.workspace.kit import OpenedKit, known, open_kit, pick


def import_component(request: ImportRequest) -> ImportResult:
    """Make the spec of a component from real trees, verify it, and write it."""
    opened = open_kit(request.root)
    asked = _older(opened, request)
    _refuse(opened, request)
    reals = read_reals(request)
    check_trees(reals, opened)
    givens = whose_trees(request, reals, opened, asked)
    attempt = _attempted(request, opened, asked, givens, reals)
    checks = attempt.checks()
    older, texts = attempt.older, attempt.texts
    before = {path: opened.texts[path] for path in texts if path in opened.texts}
    made = ImportResult(
        root=opened.root,
        request=request,
        older=older.version if older else "",
        asked=asked.version if asked else "",
        texts=texts,
        before=before,
        verified=tuple(
            VerifiedTree(
                who=read.given.who,
                name=read.given.name,
                comparison=found,
                families=sum(key != "objects" for key in read.taken.made.values()),
                objects=len(read.taken.made),
                carried=tuple(attempt.declared.carried.items()),
                because=read.given.because,
            )
            for read, found in zip(attempt.reads, attempt.found, strict=True)
        ),
        looks=tuple(review_items(attempt, asked, checks)),
        # Errors in targets whose trees were given, or in all; others may never take the version.
        errors=tuple(
            check_line(finding, targets)
            for finding, targets in checks
            if finding.blocks and (not targets or any(each.who in targets for each in givens))
        ),
    )
    if not request.dry_run:
        change(opened.root, opened.texts, texts)
    return made


def _attempted(
    request: ImportRequest,
    opened: OpenedKit,
    older: Component | None,
    givens: Sequence[GivenTree],
    reals: Mapping[str, ShippedTree],
) -> SpecTrial:
    """Return the shortest spec that builds what the trees have, or the one that comes nearest to it.

    What cannot be said as changes of an older version is a spec of its own, in plainer words if need be.
    """
    ways: list[tuple[Component | None, FamilyCoverage]] = [(None, each) for each in FamilyCoverage]
    if older is not None:
        ways.insert(0, (older, FamilyCoverage.SHORT))
    made: list[SpecTrial] = []
    refused: FindingsError | None = None
    for before, plainness in ways:
        some = [replace(each, plainness=plainness) for each in givens]
        if before is None:
            some = [replace(each, older=None, full=None) for each in some]
        try:
            made.append(_attempt(request, opened, before, some, reals))
        except FindingsError as error:
            refused = refused or error
            if before is None and any(each.rule is CRD_IMPORT for each in error.findings):
                break  # plainer words are for other objects than CRDs
            continue
        if not made[-1].left:
            break
    if refused and not made:
        raise refused
    return min(made, key=lambda each: each.left)


def _attempt(
    request: ImportRequest,
    opened: OpenedKit,
    older: Component | None,
    givens: Sequence[GivenTree],
    reals: Mapping[str, ShippedTree],
) -> SpecTrial:
    """Make a spec, patch what it lacks, and compare it with the trees; one that is refused raises."""
    declared = declare(givens, reals, opened, older, request.version, like=version_like(opened, request))
    givens = [replace(each, crds=declared.forks.get(each.who, {})) for each in givens]
    reads = read_trees(givens, opened)
    spec = with_unbuilt(spec_of(reads, solve([each.tree for each in reads]), older), reals.values(), older)
    trial = SpecTrial(request=request, opened=opened, older=older, declared=declared, reads=reads, spec=spec)
    if idle := trial.idle_patches():
        trial = replace(trial, spec=replace(spec, remove=(*spec.remove, *idle)))
    if any(each.found.spared for each in reads):
        trial = replace(trial, spec=sparing(trial.spec, reads, trial.base, trial.patch_names))
    before: float = inf
    while 0 < trial.left < before:
        before, built, own = trial.left, trial.assembled(), trial.own_found
        trial = replace(trial, spec=patched(trial.spec, givens, own, built, trial.base, trial.patch_names))
    trial.refuse_unsound()
    return trial


def _older(opened: OpenedKit, request: ImportRequest) -> Component | None:
    """Return the version that the new one builds on, if there is one."""
    if request.older is None:
        return version_like(opened, request)
    versions = opened.kit.components.get(request.component, {})
    return pick(versions, f"version of {request.component}", request.older) if request.older else None


def _refuse(opened: OpenedKit, request: ImportRequest) -> None:
    """Raise if the version is there already, or a target is not."""
    if request.version in opened.kit.components.get(request.component, {}):
        name = f"{request.component}@{request.version}"
        raise UsageError(f"the kit has {name} already", hint=f"remove {request.folder} to import it anew")
    targets = opened.kit.targets
    wrong = [
        REFERENCE_MISSING(
            f"found --target {target!r}, expected a target of the kit",
            hint=near(target, list(targets)) or known(targets),
        ).at(Origin(MARK, (), 1))
        for target, _ in request.targets
        if target not in targets
    ]
    if wrong:
        raise FindingsError(wrong, opened.root)
