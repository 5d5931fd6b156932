"""Run an import of a whole component: read trees, decide, and write the specs, all of them or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from msgspec.structs import replace

from kitgen.crd.importer.importer import CRD_IMPORT
from kitgen.files.edits import change_files
from kitgen.files.root import MARK
from kitgen.findings import Origin, suggest_word
from kitgen.findings.errors import FindingsError, UsageError
from kitgen.importing.crds import declare_component_crds
from kitgen.importing.env_file_images import add_unbuilt_images
from kitgen.importing.files import find_previous_component
from kitgen.importing.leftovers import add_patches, add_unlabelled_patches
from kitgen.importing.request import ImportRequest, ImportResult, VerifiedTree
from kitgen.importing.review import collect_review_items, format_finding
from kitgen.importing.solver import solve_trees
from kitgen.importing.spec import build_spec
from kitgen.importing.target_checks import check_trees
from kitgen.importing.tree_reader import assign_targets, invert_trees, read_shipped_trees
from kitgen.importing.trees import FamilyCoverage, GivenTree
from kitgen.importing.verification import SpecTrial
from kitgen.kit.model import Component
from kitgen.kit.shipped_trees import ShippedTree
from kitgen.text.schema_errors import REFERENCE_MISSING
from kitgen.workspace.kit import OpenedKit, format_known_names, get_by_name, open_kit


def import_component(request: ImportRequest) -> ImportResult:
    """Make the spec of a component from real trees, verify it, and write it."""
    opened = open_kit(request.root)
    asked = _resolve_older_version(opened, request)
    _validate_request(opened, request)
    reals = read_shipped_trees(request)
    check_trees(reals, opened)
    givens = assign_targets(request, reals, opened, asked)
    attempt = _find_best_trial(request, opened, asked, givens, reals)
    checks = attempt.check_targets()
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
                carried=tuple(attempt.declared.carried_versions.items()),
                because=read.given.because,
            )
            for read, found in zip(attempt.reads, attempt.comparisons, strict=True)
        ),
        looks=tuple(collect_review_items(attempt, asked, checks)),
        # Errors in targets whose trees were given, or in all; others may never take the version.
        errors=tuple(
            format_finding(finding, targets)
            for finding, targets in checks
            if finding.is_blocking and (not targets or any(each.who in targets for each in givens))
        ),
    )
    if not request.dry_run:
        change_files(opened.root, opened.texts, texts)
    return made


def _find_best_trial(
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
            made.append(_build_trial(request, opened, before, some, reals))
        except FindingsError as error:
            refused = refused or error
            if before is None and any(each.rule is CRD_IMPORT for each in error.findings):
                break  # plainer words are for other objects than CRDs
            continue
        if not made[-1].difference_count:
            break
    if refused and not made:
        raise refused
    return min(made, key=lambda each: each.difference_count)


def _build_trial(
    request: ImportRequest,
    opened: OpenedKit,
    older: Component | None,
    givens: Sequence[GivenTree],
    reals: Mapping[str, ShippedTree],
) -> SpecTrial:
    """Make a spec, patch what it lacks, and compare it with the trees; one that is refused raises."""
    declared = declare_component_crds(
        givens, reals, opened, older, request.version, like=find_previous_component(opened, request)
    )
    givens = [replace(each, crds=declared.forks.get(each.who, {})) for each in givens]
    reads = invert_trees(givens, opened)
    spec = add_unbuilt_images(
        build_spec(reads, solve_trees([each.solved_tree for each in reads]), older), reals.values(), older
    )
    trial = SpecTrial(request=request, opened=opened, older=older, declared=declared, reads=reads, spec=spec)
    if idle := trial.find_idle_patches():
        trial = replace(trial, spec=replace(spec, remove=(*spec.remove, *idle)))
    if any(each.found.spared for each in reads):
        trial = replace(
            trial, spec=add_unlabelled_patches(trial.spec, reads, trial.base_objects, trial.patch_names)
        )
    before: float = inf
    while 0 < trial.difference_count < before:
        before, built, own = trial.difference_count, trial.assemble_objects(), trial.component_comparisons
        trial = replace(
            trial, spec=add_patches(trial.spec, givens, own, built, trial.base_objects, trial.patch_names)
        )
    trial.require_compilation()
    return trial


def _resolve_older_version(opened: OpenedKit, request: ImportRequest) -> Component | None:
    """Return the version that the new one builds on, if there is one."""
    if request.older is None:
        return find_previous_component(opened, request)
    versions = opened.kit.components.get(request.component, {})
    return get_by_name(versions, f"version of {request.component}", request.older) if request.older else None


def _validate_request(opened: OpenedKit, request: ImportRequest) -> None:
    """Raise if the version is there already, or a target is not."""
    if request.version in opened.kit.components.get(request.component, {}):
        name = f"{request.component}@{request.version}"
        raise UsageError(f"the kit has {name} already", hint=f"remove {request.folder} to import it anew")
    targets = opened.kit.targets
    wrong = [
        REFERENCE_MISSING(
            f"found --target {target!r}, expected a target of the kit",
            hint=suggest_word(target, list(targets)) or format_known_names(targets),
        ).to_finding(Origin(MARK, (), 1))
        for target, _ in request.targets
        if target not in targets
    ]
    if wrong:
        raise FindingsError(wrong, opened.root)
