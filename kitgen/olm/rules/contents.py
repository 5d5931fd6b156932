"""What goes together in a bundle: what is owned and what is there, accounts, images.

Objects and permissions in a bundle that bear on more than the operator itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from kitgen.findings import Path, Problem, Rule, get_rule, make_problem
from kitgen.kube.identity import is_namespaced, split_api_version
from kitgen.kube.image_reference import parse_image_reference
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import CSV, Bundle
from kitgen.olm.rules.examples import VersionedKind
from kitgen.olm.rules.removed_apis import BUNDLE_API_GOING
from kitgen.olm.rules.terms import INSTALL, OWNED, BundleFault, BundleTerms, CsvView, annotation_of
from kitgen.text.values import entries_at, text_at, texts_at, value_at
from kitgen.text.wording import describe_value, join_words, quote_text
from kitgen.text.yaml import Json

SUGGESTED = "operatorframework.io/suggested-namespace"


def list_crd_kinds(crd: Manifest) -> dict[VersionedKind, Path]:
    """Return the kind of a CRD in each of its versions, and where that stands."""
    spec = value_at(crd.body, "spec")
    group, kind = text_at(spec, "group"), text_at(spec, "names", "kind")
    found: dict[VersionedKind, Path] = {}
    for at, each in entries_at(spec, "versions"):
        found.setdefault(VersionedKind(group, text_at(each, "name"), kind), ("spec", "versions", at, "name"))
    if not found and (version := text_at(spec, "version")):
        found[VersionedKind(group, version, kind)] = ("spec", "version")
    return found


def check_crds(bundle: Bundle, _terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield CRDs that are there twice, that nobody owns, and those that are owned and not there."""
    there: dict[VersionedKind, Manifest] = {}
    for crd in bundle.crds:
        for api, path in list_crd_kinds(crd).items():
            if (other := there.setdefault(api, crd)) is not crd:
                message = f"found {quote_text(str(api))} in a second CRD, expected it in one"
                hint = f"the first is in {other.find_origin(()).file}"
                yield BundleFault(crd, make_problem("bundle-crd-twice", message, path, hint))
    if bundle.csv is None:
        return
    owned: set[tuple[str, str]] = set()
    for at, each in entries_at(bundle.csv.body, *OWNED):
        name = text_at(each, "name")
        api = VersionedKind(name.partition(".")[2], text_at(each, "version"), text_at(each, "kind"))
        owned.add((api.group, api.kind))
        if api not in there:
            versions = [one.version for one in there if (one.group, one.kind) == (api.group, api.kind)]
            hint = f"the bundle has {join_words(versions, last='and')}" if versions else ""
            message = f"found {quote_text(str(api))} owned, but no CRD of it in the bundle"
            yield BundleFault(bundle.csv, make_problem("bundle-crd-missing", message, (*OWNED, at), hint))
        elif name != (called := text_at(there[api].body, "metadata", "name")):  # OLM looks for it by the name
            message = f"found {quote_text(name)}, expected {quote_text(called)}, which the CRD is called"
            yield BundleFault(bundle.csv, make_problem("csv-owned-name", message, (*OWNED, at, "name")))
    for crd in bundle.crds:
        if (apis := [*list_crd_kinds(crd)]) and owned.isdisjoint((each.group, each.kind) for each in apis):
            message = (
                f"found the CRD of {quote_text(str(apis[0]))}, which the ClusterServiceVersion does not own"
            )
            yield BundleFault(crd, make_problem("bundle-crd-unowned", message, ("spec", "names", "kind")))


def check_account(each: Manifest, bundle: Bundle) -> Iterator[Problem]:
    """Yield a ServiceAccount that a deployment runs as: OLM creates these."""
    name = text_at(each.body, "metadata", "name")
    if each.body.get("kind") != "ServiceAccount" or bundle.csv is None or not name:
        return
    if any(pod.spec.get("serviceAccountName") == name for pod in CsvView(bundle.csv, bundle).pods):
        message = f"found the ServiceAccount {quote_text(name)}, which a deployment runs as"
        yield make_problem("bundle-account", message, ("metadata", "name"))


def check_namespace(each: Manifest, bundle: Bundle) -> Iterator[Problem]:
    """Yield that an object says where it goes, unless that is where the bundle suggests to install it."""
    said, kind = text_at(each.body, "metadata", "namespace"), text_at(each.body, "kind")
    group, _ = split_api_version(text_at(each.body, "apiVersion"))
    # A ClusterServiceVersion has a placeholder there by custom.
    if not said or kind == CSV or not is_namespaced(group, kind):
        return
    if said not in {annotation_of(csv, SUGGESTED) for csv in bundle.csvs}:
        message = f"found the namespace {quote_text(said)}, which OLM ignores"
        yield make_problem("bundle-namespace", message, ("metadata", "namespace"))


def check_related_images(csv: CsvView) -> Iterator[Problem]:
    """Yield related images that are none."""
    path: Path = ("spec", "relatedImages")
    for at, each in entries_at(csv.body, *path):
        image = each.get("image")
        if not isinstance(image, str) or parse_image_reference(image) is None:
            there = (*path, at, "image") if "image" in each else (*path, at)
            yield make_problem(
                "bundle-related-image", f"found {describe_value(image)}, expected an image", there
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
        *(get_rule("bundle-grants-budgets"), "policy", frozenset({"poddisruptionbudgets"})),
        verbs=("create", "update", "patch"),
        message="found permission to create or change poddisruptionbudgets",
    ),
    GrantRule(
        *(
            get_rule("bundle-grants-crds"),
            "apiextensions.k8s.io",
            frozenset({"customresourcedefinitions", "*"}),
        ),
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
        *(get_rule("bundle-grants-constraints"), SECURITY, frozenset({"securitycontextconstraints"})),
        verbs=("delete", "update", "patch"),
        message="found permission to change {names}, which every OpenShift has",
        names=CONSTRAINTS.__contains__,
    ),
    GrantRule(
        *(get_rule("csv-constraints"), SECURITY, frozenset({"securitycontextconstraints"})),
        verbs=("use",),
        message="found permission to use {names}, expected the usual constraints",
        names=lambda name: name not in ("restricted", "restricted-v2"),
    ),
)


def check_grants(bundle: Bundle, _terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield permissions that reach too far."""
    for manifest, path, entry in _list_granting_rules(bundle):
        groups, resources, verbs = ({*texts_at(entry, key)} for key in ("apiGroups", "resources", "verbs"))
        for row in GRANTS:
            names = [each for each in texts_at(entry, "resourceNames") if row.names and row.names(each)]
            granted = row.group in groups and row.resources & resources and verbs & {*row.verbs, "*"}
            if granted and (names or row.names is None):
                message = row.message.format(names=join_words(names, last="and"))
                yield BundleFault(manifest, row.rule(message, path, row.hint))


def _list_granting_rules(bundle: Bundle) -> Iterator[tuple[Manifest, Path, Json]]:
    """Yield every rule that grants something: in the ClusterServiceVersion, and in roles beside it."""
    for manifest in bundle.objects:
        holders: list[Path] = []
        if manifest is bundle.csv:
            keys = ((*INSTALL, key) for key in ("clusterPermissions", "permissions"))
            holders = [(*path, at) for path in keys for at, _ in entries_at(manifest.body, *path)]
        elif manifest.body.get("kind") in ("ClusterRole", "Role"):
            holders = [()]
        for path in holders:
            for at, entry in entries_at(manifest.body, *path, "rules"):
                yield manifest, (*path, "rules", at), entry


def check_side_effects(each: Manifest, _bundle: Bundle) -> Iterator[Problem]:
    """Yield objects that bear on more than the operator: on drains of nodes, on pods without a class."""
    match each.body.get("kind"):
        case "PriorityClass" if each.body.get("globalDefault") is True:
            message = "found globalDefault true, expected a class of the operator's own pods"
            yield make_problem("bundle-priority", message, ("globalDefault",))
        case "PodDisruptionBudget":
            for key, none in (("maxUnavailable", (0, "0", "0%")), ("minAvailable", ("100%",))):
                said = value_at(each.body, "spec", key)
                if said in none and not isinstance(said, bool):
                    message = f"found {key} {describe_value(said)}, with which no pod may ever be away"
                    yield make_problem("bundle-budget", message, ("spec", key))
