"""What goes together in a bundle: what is owned and what is there, accounts, images.

Objects and permissions in a bundle that bear on more than the operator itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Path, rule
from kitgen.kube.identity import is_namespaced, split_api_version
from kitgen.kube.image_reference import reference
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.csv import CSV_OWNED_NAME
from kitgen.olm.rules.examples import VersionedKind
from kitgen.olm.rules.terms import INSTALL, OWNED, BundleFault, BundleTerms, annotation, grants, rules_of
from kitgen.text.values import entries_at, text_at, texts_at, value_at
from kitgen.text.wording import choice, cut, shown

BUNDLE_CRD_MISSING = rule("bundle-crd-missing")
BUNDLE_CRD_UNOWNED = rule("bundle-crd-unowned")
BUNDLE_CRD_TWICE = rule("bundle-crd-twice")
BUNDLE_ACCOUNT = rule("bundle-account")
BUNDLE_NAMESPACE = rule("bundle-namespace")
BUNDLE_RELATED_IMAGE = rule("bundle-related-image")

SUGGESTED = "operatorframework.io/suggested-namespace"


def check(bundle: Bundle, _terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield what in a bundle does not fit the rest of it."""
    yield from _crds(bundle)
    yield from _accounts(bundle)
    yield from _namespaces(bundle)
    for csv in bundle.csvs:
        yield from _images(csv)


def apis_of(crd: Manifest) -> dict[VersionedKind, Path]:
    """Return the kind of a CRD in each of its versions, and where that stands."""
    spec = value_at(crd.body, "spec")
    group, kind = text_at(spec, "group"), text_at(spec, "names", "kind")
    found: dict[VersionedKind, Path] = {}
    for at, each in entries_at(spec, "versions"):
        found.setdefault(VersionedKind(group, text_at(each, "name"), kind), ("spec", "versions", at, "name"))
    if not found and (version := text_at(spec, "version")):
        found[VersionedKind(group, version, kind)] = ("spec", "version")
    return found


def _crds(bundle: Bundle) -> Iterator[BundleFault]:
    there: dict[VersionedKind, Manifest] = {}
    for crd in bundle.crds:
        for api, path in apis_of(crd).items():
            other = there.setdefault(api, crd)
            if other is not crd:
                message = f"found {cut(str(api))} in a second CRD, expected it in one"
                yield BundleFault(
                    crd, BUNDLE_CRD_TWICE(message, path, f"the first is in {other.origin(()).file}")
                )
    if bundle.csv is None:
        return
    owned: dict[tuple[str, str], None] = {}
    for at, each in entries_at(bundle.csv.body, *OWNED):
        group = text_at(each, "name").partition(".")[2]
        api = VersionedKind(group, text_at(each, "version"), text_at(each, "kind"))
        owned[(api.group, api.kind)] = None
        name = text_at(there[api].body, "metadata", "name") if api in there else ""
        if api in there and text_at(each, "name") != name:  # OLM looks for it by the name
            message = f"found {cut(text_at(each, 'name'))}, expected {cut(name)}, which the CRD is called"
            yield BundleFault(bundle.csv, CSV_OWNED_NAME(message, (*OWNED, at, "name")))
        elif api not in there:
            versions = [one.version for one in there if (one.group, one.kind) == (api.group, api.kind)]
            hint = f"the bundle has {choice(versions, last='and')}" if versions else ""
            message = f"found {cut(str(api))} owned, but no CRD of it in the bundle"
            yield BundleFault(bundle.csv, BUNDLE_CRD_MISSING(message, (*OWNED, at), hint))
    for crd in bundle.crds:
        apis = [*apis_of(crd)]
        if apis and all((each.group, each.kind) not in owned for each in apis):
            message = f"found the CRD of {cut(str(apis[0]))}, which the ClusterServiceVersion does not own"
            yield BundleFault(crd, BUNDLE_CRD_UNOWNED(message, ("spec", "names", "kind")))


def _accounts(bundle: Bundle) -> Iterator[BundleFault]:
    if bundle.csv is None:
        return
    deployments = entries_at(bundle.csv.body, *INSTALL, "deployments")
    made = {text_at(each, "spec", "template", "spec", "serviceAccountName") for _, each in deployments}
    for each in bundle.objects:
        name = value_at(each.body, "metadata", "name")
        if each.body.get("kind") == "ServiceAccount" and isinstance(name, str) and name and name in made:
            message = f"found the ServiceAccount {cut(name)}, which a deployment runs as"
            yield BundleFault(each, BUNDLE_ACCOUNT(message, ("metadata", "name")))


def _namespaces(bundle: Bundle) -> Iterator[BundleFault]:
    suggested = {text_at(annotation(each, SUGGESTED)) for each in bundle.csvs}
    for each in bundle.objects:
        said = text_at(each.body, "metadata", "namespace")
        # A ClusterServiceVersion has a placeholder there by custom.
        if (
            said
            and said not in suggested
            and each not in bundle.csvs
            and is_namespaced(
                split_api_version(text_at(each.body, "apiVersion"))[0], text_at(each.body, "kind")
            )
        ):
            message = f"found the namespace {cut(said)}, which OLM ignores"
            yield BundleFault(each, BUNDLE_NAMESPACE(message, ("metadata", "namespace")))


def _images(csv: Manifest) -> Iterator[BundleFault]:
    path: Path = ("spec", "relatedImages")
    for at, each in entries_at(csv.body, *path):
        image = each.get("image")
        if not isinstance(image, str) or not image or reference(image) is None:
            there = (*path, at, "image") if "image" in each else (*path, at)
            yield BundleFault(csv, BUNDLE_RELATED_IMAGE(f"found {shown(image)}, expected an image", there))


BUNDLE_BUDGET = rule("bundle-budget")
BUNDLE_PRIORITY = rule("bundle-priority")
BUNDLE_GRANTS_BUDGETS = rule("bundle-grants-budgets")
BUNDLE_GRANTS_CONSTRAINTS = rule("bundle-grants-constraints")
BUNDLE_GRANTS_CRDS = rule("bundle-grants-crds")

CONSTRAINTS = frozenset(
    {
        *("privileged", "restricted", "anyuid", "hostaccess", "hostmount-anyuid", "hostnetwork"),
        *("node-exporter", "nonroot"),
    }
)
"""SecurityContextConstraints that every OpenShift has."""


def check_grants(bundle: Bundle, _terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield objects and permissions that reach too far."""
    for each in bundle.objects:
        match each.body.get("kind"):
            case "PodDisruptionBudget":
                yield from _budget(each)
            case "PriorityClass":
                if each.body.get("globalDefault") is True:
                    message = "found globalDefault true, expected a class of the operator's own pods"
                    yield BundleFault(each, BUNDLE_PRIORITY(message, ("globalDefault",)))
    for manifest, path, entry in rules_of(bundle):
        if grants(entry, "policy", ("poddisruptionbudgets",), ("create", "update", "patch")):
            yield BundleFault(
                manifest,
                BUNDLE_GRANTS_BUDGETS("found permission to create or change poddisruptionbudgets", path),
            )
        own = [each for each in texts_at(entry, "resourceNames") if each in CONSTRAINTS]
        security = ("securitycontextconstraints",)
        if own and grants(entry, "security.openshift.io", security, ("delete", "update", "patch")):
            message = f"found permission to change {choice(own, last='and')}, which every OpenShift has"
            yield BundleFault(manifest, BUNDLE_GRANTS_CONSTRAINTS(message, path))
        if grants(entry, "apiextensions.k8s.io", ("customresourcedefinitions", "*"), ("create", "patch")):
            message = "found permission to create or patch customresourcedefinitions"
            yield BundleFault(manifest, BUNDLE_GRANTS_CRDS(message, path, "OLM installs those of the bundle"))


def _budget(manifest: Manifest) -> Iterator[BundleFault]:
    for key, none in (("maxUnavailable", (0, "0", "0%")), ("minAvailable", ("100%",))):
        said = value_at(manifest.body, "spec", key)
        if said in none and not isinstance(said, bool):
            message = f"found {key} {shown(said)}, with which no pod may ever be away"
            yield BundleFault(manifest, BUNDLE_BUDGET(message, ("spec", key)))
