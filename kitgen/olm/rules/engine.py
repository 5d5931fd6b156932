"""Run every rule of bundles and make findings of the faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from msgspec.structs import replace

from kitgen.findings import (
    MAX_ERRORS,
    MAX_FINDINGS,
    Finding,
    Problem,
    deduplicate_findings,
    format_pointer,
    report_findings_limit,
    report_limit,
)
from kitgen.kit.model.moves import NO_MOVES, DeclaredMoves
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import Bundle, PackageFile
from kitgen.olm.rules import (
    certification,
    community,
    contents,
    csv,
    dependencies,
    examples,
    fields,
    install,
    layout,
    listing,
    metadata,
    release_config,
    removed_apis,
)
from kitgen.olm.rules.graph import REPLACES, GraphEntry
from kitgen.olm.rules.objects import check_objects
from kitgen.olm.rules.terms import BundleFault, BundleTerms, CsvView
from kitgen.olm.rules.updates import check_graph
from kitgen.olm.rules.upgrade import check_crd_upgrade

BUNDLE_CHECKS: tuple[Callable[[Bundle, BundleTerms], Iterator[BundleFault | Finding]], ...] = (
    layout.check,
    metadata.check,
    dependencies.check,
    examples.check,
    contents.check_crds,
    contents.check_grants,
    community.check_openshift_range,
    release_config.check,
    certification.check_images,
)
"""Rules of a whole bundle."""
CSV_CHECKS: tuple[Callable[[CsvView], Iterator[Problem]], ...] = (
    *(csv.check_name, csv.check_required, csv.check_install_modes),
    *(csv.check_annotations, csv.check_owned_crds, csv.check_release),
    fields.check_fields,
    *(install.check_selectors, install.check_webhooks, install.check_refused_webhooks),
    *(install.check_accounts, install.check_container_image),
    contents.check_related_images,
    *(listing.check_contacts, listing.check_icon, listing.check_categories),
    *(listing.check_kind_descriptions, listing.check_resource_requests),
    removed_apis.check_resources,
    community.check_folder,
    certification.check_disconnected,
)
"""Rules of each ClusterServiceVersion."""
OBJECT_CHECKS: tuple[Callable[[Manifest, Bundle], Iterator[Problem]], ...] = (
    layout.check_kind,
    *(contents.check_account, contents.check_namespace, contents.check_side_effects),
    removed_apis.check_api,
    community.check_network_policy,
)
"""Rules of each object."""


def check_bundle(bundle: Bundle, terms: BundleTerms, *, objects: bool = True) -> list[Finding]:
    """Return what is wrong with a bundle; with its objects by themselves, too, unless others look at that."""
    told = [*bundle.findings, *to_findings(_collect_faults(bundle, terms), bundle.rendered)]
    return deduplicate_findings([*told, *(check_objects(bundle, told) if objects else ())])


def _collect_faults(bundle: Bundle, terms: BundleTerms) -> Iterator[BundleFault | Finding]:
    for of_bundle in BUNDLE_CHECKS:
        yield from of_bundle(bundle, terms)
    for manifest in bundle.csvs:
        view = CsvView(manifest, bundle)
        yield from (BundleFault(manifest, each) for of_csv in CSV_CHECKS for each in of_csv(view))
    for manifest in bundle.objects:
        of_object = (each for check in OBJECT_CHECKS for each in check(manifest, bundle))
        yield from (BundleFault(manifest, each) for each in of_object)


def check_package(
    ci: Manifest | None, package: str, entries: Sequence[GraphEntry], mode: str = REPLACES
) -> list[Finding]:
    """Return what is wrong with a package: what is said of all bundles, and the ways between them."""
    of_all = release_config.check_ci(ci) if ci is not None else ()
    return to_findings(chain(of_all, check_graph(package, entries, mode)))


def check_files(files: Iterable[PackageFile]) -> list[Finding]:
    """Return what is wrong with files of a package that belong to none of its bundles."""
    return to_findings(layout.check_line_ends(files))


def check_upgrade(
    name: str, before: Sequence[Manifest], now: Sequence[Manifest], said: DeclaredMoves = NO_MOVES
) -> list[Finding]:
    """Return what OLM refuses in an upgrade from a bundle that is called `name`, by the CRDs of both."""
    return to_findings(check_crd_upgrade(name, before, now, said))


def to_findings(faults: Iterable[BundleFault | Finding], rendered: bool = False) -> list[Finding]:
    """Turn faults into findings, each thing once, and not more errors than anybody reads."""
    found: dict[Finding, None] = {}
    errors = 0
    for fault in faults:
        finding = fault if isinstance(fault, Finding) else _to_finding(*fault, rendered)
        errors += finding.is_blocking and finding not in found
        if errors > MAX_ERRORS:
            return deduplicate_findings([*found, report_limit(finding.origin.file)])
        if len(found) > MAX_FINDINGS:
            return deduplicate_findings([*found, report_findings_limit(finding.origin.file)])
        found[finding] = None
    return deduplicate_findings(found)


def _to_finding(manifest: Manifest, problem: Problem, accepted: str, rendered: bool) -> Finding:
    about = str(manifest.id) if "kind" in manifest.body else ""
    if rendered:
        about = f"{about} {format_pointer(problem.path)}".strip()
    return replace(
        replace(problem, path=()).to_finding(manifest.find_origin(problem.path), about), accepted=accepted
    )
