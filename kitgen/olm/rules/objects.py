"""Objects of a bundle held to what API servers ask of any object: kitgen's own checks."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import chain
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.check import identity
from kitgen.check.cel import objects as cel
from kitgen.check.context import CheckContext
from kitgen.check.engine import to_findings
from kitgen.check.schemas import objects as schemas
from kitgen.check.server import objects as server
from kitgen.findings import Finding, Origin, Path, Severity
from kitgen.kit.bundle_settings import OPENSHIFT
from kitgen.kube.definitions import list_minors as known_minors
from kitgen.kube.definitions import list_supported_minors
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.installed_objects import check_deployments
from kitgen.olm.rules.removed_apis import oldest_minor
from kitgen.olm.rules.versions import kubernetes_minor_of, parse_openshift_versions
from kitgen.text.values import text_at

TOLD = frozenset({"csv-unfinished", "kind-unknown", "kubernetes-api"})
"""What rules of bundles tell in their own words: missing deployments, kinds, removed APIs."""
Place: TypeAlias = tuple[str, int, Path]
"""File, document, and the path in it."""
LIST = "List"
"""What is no object by itself, and stands in no bundle."""
FORGIVEN = ("field-unknown", "service-selector", "service-port")
"""What an API server leaves out without a word, or takes as it is, so that the bundle can be installed."""
FILLED_IN = "field-missing"
"""What OLM fills in with nothing before it creates a ClusterServiceVersion."""


def check_objects(bundle: Bundle, told: Iterable[Finding]) -> list[Finding]:
    """Return what is wrong with the objects of a bundle, without what is told already of the same place.

    What a cluster forgives is forgiven to others; a kit can correct it.
    """
    objects = [each for each in bundle.objects if each.body.get("kind") != LIST]
    context = CheckContext(targets={"": objects}, minors=minors_for(bundle))
    checks = (schemas.check, server.check, identity.check, cel.check)
    refused = _collect_places(told)
    deployed = [
        each for each in check_deployments(bundle, context.minors) if _place_of(each.origin) not in refused
    ]
    # What the schema of a ClusterServiceVersion has on a deployment, that of a Deployment has as well; of an
    # item that is there twice, one names the item and the other its name.
    refused |= (below := _collect_places(deployed)) | {
        (file, document, path[:-1]) for file, document, path in below
    }
    reported = {(each.rule.id, _place_of(each.origin)) for each in deployed}
    csvs = {each.find_origin(()).file for each in bundle.csvs}
    found = [
        each
        for each in to_findings(context, chain.from_iterable(each(context) for each in checks))
        if each.rule.id not in TOLD
        and _place_of(each.origin) not in refused
        and (each.rule.id, _place_of(each.origin)) not in reported
    ]
    if bundle.rendered:
        return [*found, *deployed]
    return [
        *(_adjust_severity(each, FORGIVEN + (FILLED_IN,) * (each.origin.file in csvs)) for each in found),
        *(_adjust_severity(each, FORGIVEN) for each in deployed),
    ]


def _adjust_severity(finding: Finding, forgiven: Collection[str]) -> Finding:
    """Return a finding as a warning if a bundle with this fault can be installed all the same."""
    return replace(finding, graded=Severity.WARNING) if finding.rule.id in forgiven else finding


def _collect_places(findings: Iterable[Finding]) -> set[Place]:
    return {_place_of(each.origin) for each in findings if each.is_blocking}


def _place_of(origin: Origin) -> Place:
    return origin.file, origin.document, origin.path


def minors_for(bundle: Bundle) -> tuple[int, ...]:
    """Return the minors of Kubernetes to hold objects to: those that are supported and the bundle is for."""
    versions = parse_openshift_versions(text_at(bundle.get_annotation(OPENSHIFT)))
    first = max(oldest_minor(bundle) or 0, kubernetes_minor_of(versions.first) if versions else 0)
    last = (
        kubernetes_minor_of(versions.last) if versions and versions.last is not None else known_minors()[-1]
    )
    if within := tuple(each for each in list_supported_minors() if first <= each <= last):
        return within
    known = [each for each in known_minors() if each <= last] or [known_minors()[0]]
    return (known[-1],)
