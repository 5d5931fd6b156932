"""What goes together in a bundle: what is owned and what is there, accounts, images.

Objects and permissions in a bundle that bear on more than the operator itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from kitgen.findings import Path, Rule, problem, rule
from kitgen.kube.identity import is_namespaced, split_api_version
from kitgen.kube.image_reference import reference
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.examples import VersionedKind
from kitgen.olm.rules.removed_apis import BUNDLE_API_GOING
from kitgen.olm.rules.terms import INSTALL, OWNED, BundleFault, BundleTerms, annotation
from kitgen.text.values import entries_at, text_at, texts_at, value_at
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import Json

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
            if (other := there.setdefault(api, crd)) is not crd:
                message = f"found {cut(str(api))} in a second CRD, expected it in one"
                yield BundleFault(
                    crd,
                    problem("bundle-crd-twice", message, path, f"the first is in {other.origin(()).file}"),
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
            yield BundleFault(bundle.csv, problem("csv-owned-name", message, (*OWNED, at, "name")))
        elif api not in there:
            versions = [one.version for one in there if (one.group, one.kind) == (api.group, api.kind)]
            hint = f"the bundle has {choice(versions, last='and')}" if versions else ""
            message = f"found {cut(str(api))} owned, but no CRD of it in the bundle"
            yield BundleFault(bundle.csv, problem("bundle-crd-missing", message, (*OWNED, at), hint))
    for crd in bundle.crds:
        if (apis := [*apis_of(crd)]) and all((each.group, each.kind) not in owned for each in apis):
            message = f"found the CRD of {cut(str(apis[0]))}, which the ClusterServiceVersion does not own"
            yield BundleFault(crd, problem("bundle-crd-unowned", message, ("spec", "names", "kind")))


def _accounts(bundle: Bundle) -> Iterator[BundleFault]:
    if bundle.csv is None:
        return
    deployments = entries_at(bundle.csv.body, *INSTALL, "deployments")
    made = {text_at(each, "spec", "template", "spec", "serviceAccountName") for _, each in deployments}
    for each in bundle.objects:
        name = value_at(each.body, "metadata", "name")
        if each.body.get("kind") == "ServiceAccount" and isinstance(name, str) and name and name in made:
            message = f"found the ServiceAccount {cut(name)}, which a deployment runs as"
            yield BundleFault(each, problem("bundle-account", message, ("metadata", "name")))


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
            yield BundleFault(each, problem("bundle-namespace", message, ("metadata", "namespace")))


def _images(csv: Manifest) -> Iterator[BundleFault]:
    path: Path = ("spec", "relatedImages")
    for at, each in entries_at(csv.body, *path):
        if not isinstance(image := each.get("image"), str) or not image or reference(image) is None:
            there = (*path, at, "image") if "image" in each else (*path, at)
            yield BundleFault(
                csv, problem("bundle-related-image", f"found {shown(image)}, expected an image", there)
            )


SECURITY = "security.openshift.io"
CONSTRAINTS = frozenset(
    {
        *("privileged", "restricted", "anyuid", "hostaccess", "hostmount-anyuid", "hostnetwork"),
        *("node-exporter", "nonroot"),
    }
)
"""SecurityContextConstraints that every OpenShift has."""


class GrantRule(NamedTuple):
    """A permission that reaches too far: for a group, one of some resources, and one of some verbs."""

    rule: Rule
    group: str
    resources: frozenset[str]
    verbs: tuple[str, ...]
    message: str
    hint: str = ""
    names: Callable[[str], bool] | None = None
    """Which names of objects count, if it counts only with names."""


GRANTS = (
    GrantRule(
        *(rule("bundle-grants-budgets"), "policy", frozenset({"poddisruptionbudgets"})),
        verbs=("create", "update", "patch"),
        message="found permission to create or change poddisruptionbudgets",
    ),
    GrantRule(
        *(rule("bundle-grants-crds"), "apiextensions.k8s.io", frozenset({"customresourcedefinitions", "*"})),
        verbs=("create", "patch"),
        message="found permission to create or patch customresourcedefinitions",
        hint="OLM installs those of the bundle",
    ),
    GrantRule(
        *(BUNDLE_API_GOING, "policy", frozenset({"podsecuritypolicies"})),
        verbs=("use", "get", "list", "watch", "create", "update", "patch"),
        message="found permission for podsecuritypolicies, which Kubernetes 1.25 no longer serves",
    ),
    GrantRule(
        *(rule("bundle-grants-constraints"), SECURITY, frozenset({"securitycontextconstraints"})),
        verbs=("delete", "update", "patch"),
        message="found permission to change {names}, which every OpenShift has",
        names=CONSTRAINTS.__contains__,
    ),
    GrantRule(
        *(rule("csv-constraints"), SECURITY, frozenset({"securitycontextconstraints"})),
        verbs=("use",),
        message="found permission to use {names}, expected the usual constraints",
        names=lambda name: name not in ("restricted", "restricted-v2"),
    ),
)


def check_grants(bundle: Bundle, _terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield objects and permissions that reach too far."""
    for each in bundle.objects:
        match each.body.get("kind"):
            case "PodDisruptionBudget":
                yield from _budget(each)
            case "PriorityClass":
                if each.body.get("globalDefault") is True:
                    message = "found globalDefault true, expected a class of the operator's own pods"
                    yield BundleFault(each, problem("bundle-priority", message, ("globalDefault",)))
    for manifest, path, entry in _granting(bundle):
        groups, resources, verbs = ({*texts_at(entry, key)} for key in ("apiGroups", "resources", "verbs"))
        for row in GRANTS:
            names = [each for each in texts_at(entry, "resourceNames") if row.names and row.names(each)]
            granted = row.group in groups and row.resources & resources and verbs & {*row.verbs, "*"}
            if granted and (names or row.names is None):
                message = row.message.format(names=choice(names, last="and"))
                yield BundleFault(manifest, row.rule(message, path, row.hint))


def _granting(bundle: Bundle) -> Iterator[tuple[Manifest, Path, Json]]:
    """Yield every rule that grants something: in the ClusterServiceVersion, and in roles beside it."""
    csv = bundle.csv
    for manifest in bundle.objects:
        holders: list[Path] = []
        if manifest is csv:
            keys = ((*INSTALL, key) for key in ("clusterPermissions", "permissions"))
            holders = [(*path, at) for path in keys for at, _ in entries_at(manifest.body, *path)]
        elif manifest.body.get("kind") in ("ClusterRole", "Role"):
            holders = [()]
        for path in holders:
            for at, entry in entries_at(manifest.body, *path, "rules"):
                yield manifest, (*path, "rules", at), entry


def _budget(manifest: Manifest) -> Iterator[BundleFault]:
    for key, none in (("maxUnavailable", (0, "0", "0%")), ("minAvailable", ("100%",))):
        if (said := value_at(manifest.body, "spec", key)) in none and not isinstance(said, bool):
            message = f"found {key} {shown(said)}, with which no pod may ever be away"
            yield BundleFault(manifest, problem("bundle-budget", message, ("spec", key)))
