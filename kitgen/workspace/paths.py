"""Check the manifests behind paths: foreign ones, and rendered overlays as kustomize builds them."""

from __future__ import annotations

from collections.abc import Iterable
from pkgutil import resolve_name

from kitgen.check.context import CheckContext
from kitgen.check.engine import run_checks
from kitgen.check.limits import check_directory_size
from kitgen.check.table import NAMED_FOLDERS
from kitgen.findings import MAX_FINDINGS, Origin, deduplicate_findings, report_findings_limit
from kitgen.kit.foreign_objects import ForeignObject
from kitgen.kit.manifest_gathering import GatheredManifests, gather_manifests
from kitgen.kit.manifests import STDIN, ReadBudget
from kitgen.kit.model import Release
from kitgen.kit.model.moves import NO_MOVES
from kitgen.kube.identity import ObjectId
from kitgen.text.values import group_pairs
from kitgen.text.yaml import Json, JsonObject
from kitgen.workspace import rendered_folder
from kitgen.workspace.baselines import Baselines
from kitgen.workspace.checks import CheckResult
from kitgen.workspace.kit import OpenedKit
from kitgen.workspace.sources import SourceName


def check_paths(
    sources: list[SourceName],
    minors: tuple[int, ...],
    opened: OpenedKit | None,
    release: Release | None,
    baselines: Baselines,
) -> CheckResult:
    """Check foreign manifests, with the kit's CRDs if there is one; CRDs among them count too."""
    intake = ReadBudget()
    found = [gather_manifests(source.file, intake) for source in sources]
    findings = [finding for each in found for finding in each.findings]
    for source, each in zip(sources, found, strict=True):
        sizes = [len(text.encode()) for text in each.texts.values() if source.file != STDIN]
        if wrong := check_directory_size(sizes):
            findings.append(wrong.to_finding(Origin(source.file, (), 1)))
    whole = [each.body for some in found for part in some.parts for each in part]
    crds = _select_crds(opened, release, whole) if opened else []
    names = [source.file for source in sources]
    identities = [ObjectId.of(each) for each in whole if isinstance(each, dict)]
    made = rendered_folder.compile_expected_objects(names, identities, opened)
    parts = _group_objects(names, found, opened)
    there = baselines.of_manifests() if sources else None
    every = [each.manifest for some in found for part in some.parts for each in part if not each.problems]
    folders = {place: each for row in NAMED_FOLDERS for place, each in resolve_name(row)(every).items()}
    checked = 0
    for number, part in enumerate(parts, 1):
        findings += [finding for each in part for finding in each.findings]
        sound = [
            rendered_folder.to_compiled_object(each.manifest, made) for each in part if not each.problems
        ]
        checked += len(sound)
        if sound:
            before = {"": there} if there is not None and number == len(parts) else {}
            context = CheckContext(
                targets={"": sound},
                minors=minors,
                crds=crds,
                before=before,
                moves=opened.load_declared_moves().moves if opened and before else NO_MOVES,
                folders=folders,
            )
            findings += run_checks(context)
        if len(findings) > MAX_FINDINGS:
            findings.append(report_findings_limit(part[0].origin.file))
            break
    return CheckResult(
        minors=minors,
        objects=checked,
        findings=tuple(deduplicate_findings(findings)),
        texts=baselines.texts | {file: text for each in found for file, text in each.texts.items()},
        aside=sum(each.aside for each in found),
        remarks=tuple(remark for each in found for remark in each.remarks),
    )


def _group_objects(
    names: list[str], found: list[GatheredManifests], opened: OpenedKit | None
) -> list[tuple[ForeignObject, ...]]:
    """Return the objects that come to a cluster together, those of the last part being at the end.

    What is named one by one does; what is built of several folders does not, nor do two targets.
    """
    parts = [part for each in found for part in each.parts[:-1]]
    last = group_pairs(
        (rendered_folder.find_target_name(name, opened), one)
        for name, each in zip(names, found, strict=True)
        for part in each.parts[-1:]
        for one in part
    )
    return [*parts, *map(tuple, last.values())]


def _select_crds(opened: OpenedKit, release: Release | None, bodies: Iterable[Json]) -> list[JsonObject]:
    """Return the CRDs that custom resources are validated against: the kit's, or those of one release.

    None is expanded if nothing is of their groups.
    """
    groups = {ObjectId.of(body).group for body in bodies if isinstance(body, dict)}
    if not groups & {crd["group"] for each in opened.kit.every_component for _, crd in each.crds}:
        return []
    targets = opened.kit.targets.values()
    taken = (
        [release.components, *(each.component_versions(release) for each in targets)]
        if release is not None
        else []
    )
    chosen = {pair for each in taken for pair in each.items()} if taken else None
    return [
        manifest.body
        for version, made in opened.crds().items()
        if chosen is None or version in chosen
        for manifest in made
    ]
