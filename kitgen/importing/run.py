"""Import a whole component: read trees, decide, write the specs, all of them or none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from kitgen.compare.objects.compare import Comparison
from kitgen.crd.importer.importer import CRD_IMPORT
from kitgen.files.checkout import kept_by_git
from kitgen.files.edits import change
from kitgen.files.root import MARK
from kitgen.findings import Origin, near
from kitgen.findings.errors import FindingsError, UsageError
from kitgen.importing.crd_neighbours import version_before
from kitgen.importing.crds import ImportedDeclarations, declare, new_fields
from kitgen.importing.files import texts_of, version_like
from kitgen.importing.leftovers import Made, patched, sparing
from kitgen.importing.read_trees import read_reals, read_trees, whose_trees
from kitgen.importing.request import ImportRequest, ImportResult, Look, Verified
from kitgen.importing.review.review import carried_lines, check_line, looks, range_lines
from kitgen.importing.review.sides import pair_of
from kitgen.importing.solve import solve
from kitgen.importing.spec import Spec, spec_of
from kitgen.importing.target_checks import VersionChecks, check_trees, check_version
from kitgen.importing.trees import GivenTree, InvertedTree, Plainness
from kitgen.importing.unbuilt_images import with_unbuilt
from kitgen.importing.verify import assembled, by_name, compared, idle_patches, refuse_unsound, tried
from kitgen.kit.model import Component
from kitgen.kit.shipped_trees import Real
from kitgen.text.schema_errors import REFERENCE_MISSING
from kitgen.workspace.kit import Opened, known, open_kit, pick


def import_component(request: ImportRequest) -> ImportResult:
    """Make the spec of a component from real trees, verify it, and write it."""
    opened = open_kit(request.root)
    asked = _older(opened, request)
    _refuse(opened, request)
    reals = read_reals(request)
    check_trees(reals, opened)
    givens = whose_trees(request, reals, opened, asked)
    attempt = _attempted(request, opened, asked, givens, reals)
    checks = _checks(request, opened, attempt)
    if request.clusters and checks.range:
        attempt = _narrowed(request, opened, attempt, checks.range)
        checks = _checks(request, opened, attempt)
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
            _verified(read, each, request, asked, attempt.declared)
            for read, each in zip(attempt.reads, attempt.found, strict=True)
        ),
        looks=tuple(_looks(request, opened, attempt, asked, checks)),
        errors=tuple(_errors(checks, {each.who for each in givens})),
        folder=next((path for path in _folders(request) if not (opened.root / path).exists()), ""),
        kept=kept_by_git(opened.root, before),
    )
    if not request.dry_run:
        change(opened.root, opened.texts, texts)
    return made


def _left(found: Iterable[Comparison]) -> int:
    """Return how many differences there are."""
    return sum(len(each.differences) for each in found)


def _own(found: Iterable[Comparison], declared: ImportedDeclarations) -> list[Comparison]:
    """Return comparisons without the CRDs of other components, which these have to declare."""
    others = {crd for _, crd in declared.missing}
    return [
        replace(each, differences=tuple(one for one in each.differences if one.object.name not in others))
        for each in found
    ]


class _Attempt(NamedTuple):
    """A spec that was tried."""

    older: Component | None
    kit: Opened
    reads: Sequence[InvertedTree]
    spec: Spec
    declared: ImportedDeclarations
    texts: dict[str, str]
    found: Sequence[Comparison]

    @property
    def left(self) -> int:
        return _left(_own(self.found, self.declared))


def _attempted(
    request: ImportRequest,
    opened: Opened,
    older: Component | None,
    givens: Sequence[GivenTree],
    reals: Mapping[str, Real],
) -> _Attempt:
    """Return the shortest spec that builds what the trees have, or the one that comes nearest to it.

    What cannot be said as changes of an older version is a spec of its own, in plainer words if need be.
    """
    ways: list[tuple[Component | None, Plainness]] = [(None, each) for each in Plainness]
    if older is not None:
        ways.insert(0, (older, Plainness.SHORT))
    made: list[_Attempt] = []
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
    opened: Opened,
    older: Component | None,
    givens: Sequence[GivenTree],
    reals: Mapping[str, Real],
) -> _Attempt:
    """Make a spec, patch what it lacks, and hold it against the trees; one that is refused raises."""
    declared = declare(givens, reals, opened, older, request.version, like=version_like(opened, request))
    givens = [replace(each, crds=declared.forks.get(each.who, {})) for each in givens]
    reads = read_trees(givens, opened)
    spec = with_unbuilt(spec_of(reads, solve([each.tree for each in reads]), older), reals.values(), older)
    texts = texts_of(request, opened, spec, declared, older, reads)
    kit = tried(opened.root, texts, request)
    if idle := idle_patches(kit, request, givens, declared.carried):
        spec = replace(spec, remove=(*spec.remove, *idle))
        texts = texts_of(request, opened, spec, declared, older, reads)
        kit = tried(opened.root, texts, request)
    if any(each.found.spared for each in reads):
        spec = sparing(spec, reads, _base(kit, request), _patch_names(older))
        texts = texts_of(request, opened, spec, declared, older, reads)
        kit = tried(opened.root, texts, request)
    found = compared(kit, request.component, request.version, givens, declared.carried)
    before: int | None = None
    while (now := _left(mine := _own(found, declared))) and (before is None or now < before):
        before = now
        built = assembled(kit, request.component, request.version, givens, declared.carried)
        spec = patched(spec, givens, mine, built, _base(kit, request), _patch_names(older))
        texts = texts_of(request, opened, spec, declared, older, reads)
        kit = tried(opened.root, texts, request)
        found = compared(kit, request.component, request.version, givens, declared.carried)
    refuse_unsound(kit, request, givens, declared.carried, texts)
    return _Attempt(older, kit, reads, spec, declared, texts, found)


def _base(kit: Opened, request: ImportRequest) -> Made:
    """Return the new version by itself, as patches find it."""
    made = kit.session.alone(kit.kit.components[request.component][request.version])
    return by_name((*made.assembled, *made.crds))


def _folders(request: ImportRequest) -> tuple[str, ...]:
    """Return the folders on the way to the new version, the highest first."""
    return "components", f"components/{request.component}", request.folder


def _patch_names(older: Component | None) -> list[str]:
    """Return how patches of the older spec are called."""
    if older is None:
        return []
    parts = (older.part, *(each.part for each in older.features.values()))
    return [item.layers[0].data["name"] for part in parts for item in part["patches"]]


def _checks(request: ImportRequest, opened: Opened, made: _Attempt) -> VersionChecks:
    """Check the new version as if each target took it."""
    component = made.kit.kit.components[request.component][request.version]
    return check_version(made.kit, component, made.declared.carried, opened.judged(opened.kit.warnings))


def _errors(checks: VersionChecks, whos: set[str]) -> Iterator[str]:
    """Yield errors in targets whose trees were given, or in all; others may never take the version."""
    for finding, targets in checks.findings:
        if finding.blocks and (not targets or not whos.isdisjoint(targets)):
            yield check_line(finding, targets)


def _narrowed(request: ImportRequest, opened: Opened, made: _Attempt, span: str) -> _Attempt:
    """Return an attempt that says which minors of Kubernetes it runs on."""
    texts = texts_of(request, opened, made.spec, made.declared, made.older, made.reads, span)
    return made._replace(texts=texts, kit=tried(opened.root, texts, request))


def _looks(
    request: ImportRequest,
    opened: Opened,
    made: _Attempt,
    older: Component | None,
    checks: VersionChecks,
) -> Iterator[Look]:
    known = older.config_type[1] if older and older.config_type else None
    fields = [name for read in made.reads for name in new_fields(read.taken.config_fields, known)]
    pairs = [pair_of(opened, older, read) for read in made.reads]
    component = made.kit.kit.components[request.component][request.version]
    whos = [read.given.who for read in made.reads]
    needed = [line for who in whos for line in carried_lines(made.kit, who, component, made.declared.fitting)]
    span = range_lines(checks, opened.kit.minors, request) if checks.range else ()
    return looks(pairs, made.spec, made.declared, fields, checks, needed, span)


def _verified(
    read: InvertedTree,
    found: Comparison,
    request: ImportRequest,
    older: Component | None,
    declared: ImportedDeclarations,
) -> Verified:
    made = read.taken.made
    return Verified(
        who=read.given.who,
        name=read.given.name,
        comparison=found,
        families=sum(key != "objects" for key in made.values()),
        objects=len(made),
        carried=tuple(declared.carried.items()),
        nearest=older is not None and read.given.who not in dict(request.targets),
        because=read.given.because,
    )


def _older(opened: Opened, request: ImportRequest) -> Component | None:
    """Return the version that the new one builds on, if there is one."""
    versions = opened.kit.components.get(request.component, {})
    if request.older is None:
        before = version_before(versions, request.version)
        return versions[before] if before else None
    if not request.older:
        return None
    return pick(versions, f"version of {request.component}", request.older)


def _refuse(opened: Opened, request: ImportRequest) -> None:
    """Raise if the version is there already, or a target is not."""
    if request.version in opened.kit.components.get(request.component, {}):
        name = f"{request.component}@{request.version}"
        raise UsageError(f"the kit has {name} already", hint=f"remove {request.folder} to import it anew")
    wrong = []
    for target, _ in request.targets:
        if target not in opened.kit.targets:
            hint = near(target, list(opened.kit.targets)) or known(opened.kit.targets)
            problem = REFERENCE_MISSING(f"found --target {target!r}, expected a target of the kit", hint=hint)
            wrong.append(problem.at(Origin(MARK, (), 1)))
    if wrong:
        raise FindingsError(wrong, opened.root)
