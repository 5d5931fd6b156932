"""What the pipelines of the community's catalog check before they take a bundle."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Path, Problem, make_problem
from kitgen.kit.bundle_settings import OPENSHIFT
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.removed_apis import oldest_minor
from kitgen.olm.rules.terms import BundleFault, BundleTerms, CsvView
from kitgen.olm.rules.versions import format_openshift, kubernetes_minor_of, parse_openshift_versions
from kitgen.text.values import text_at
from kitgen.text.wording import quote_text


def check_folder(csv: CsvView) -> Iterator[Problem]:
    """Yield that the folder of a bundle is called after another version."""
    folder = csv.bundle.version_folder
    if folder and csv.version and csv.version != folder:
        message = f"found {quote_text(csv.version)}, but the folder is called {quote_text(folder)}"
        yield make_problem("bundle-version-folder", message, ("spec", "version"))


def check_network_policy(each: Manifest, _bundle: Bundle) -> Iterator[Problem]:
    """Yield a NetworkPolicy."""
    if each.body.get("kind") == "NetworkPolicy":
        message = "found a NetworkPolicy, which the community's catalog does not take"
        yield make_problem("bundle-network-policy", message, ("kind",))


def check_openshift_range(bundle: Bundle, terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield that OLM would refuse the bundle on a version of OpenShift that it is offered for."""
    oldest, said = oldest_minor(bundle), bundle.get_annotation(OPENSHIFT)
    if terms.from_catalog or oldest is None or bundle.annotations is None or bundle.csv is None:
        return
    path: Path = ("spec", "minKubeVersion")
    if said is None:
        message = f"found minKubeVersion, but no {OPENSHIFT} in annotations.yaml"
        yield BundleFault(bundle.csv, make_problem("bundle-kube-range", message, path))
        return
    if (versions := parse_openshift_versions(text_at(said))) is None:
        return
    least = text_at(bundle.csv.body, *path)
    if kubernetes_minor_of(versions.first) < oldest:  # which patch a cluster has, nobody can tell
        message = (
            f"found {quote_text(str(said))}, but OpenShift {format_openshift(versions.first)} has Kubernetes "
            f"1.{kubernetes_minor_of(versions.first)}, and minKubeVersion is {quote_text(least)}"
        )
        wrong = make_problem("bundle-kube-range", message, ("annotations", OPENSHIFT))
        yield BundleFault(bundle.annotations, wrong)
