"""What the pipelines of the community's catalog check before they take a bundle."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Path, Problem, problem
from kitgen.kit.bundle_settings import OPENSHIFT
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.removed_apis import oldest_minor
from kitgen.olm.rules.terms import BundleFault, BundleTerms, CsvView
from kitgen.olm.rules.versions import minor_of, named, parse_versions
from kitgen.text.values import text_at
from kitgen.text.wording import cut


def check_folder(csv: CsvView) -> Iterator[Problem]:
    """Yield that the folder of a bundle is called after another version."""
    folder = csv.bundle.version_folder
    if folder and csv.version and csv.version != folder:
        message = f"found {cut(csv.version)}, but the folder is called {cut(folder)}"
        yield problem("bundle-version-folder", message, ("spec", "version"))


def check_policy(each: Manifest, _bundle: Bundle) -> Iterator[Problem]:
    """Yield a NetworkPolicy."""
    if each.body.get("kind") == "NetworkPolicy":
        message = "found a NetworkPolicy, which the community's catalog does not take"
        yield problem("bundle-network-policy", message, ("kind",))


def check_range(bundle: Bundle, terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield that OLM would refuse the bundle on a version of OpenShift that it is offered for."""
    oldest, said = oldest_minor(bundle), bundle.note(OPENSHIFT)
    if terms.from_catalog or oldest is None or bundle.annotations is None or bundle.csv is None:
        return
    path: Path = ("spec", "minKubeVersion")
    if said is None:
        message = f"found minKubeVersion, but no {OPENSHIFT} in annotations.yaml"
        yield BundleFault(bundle.csv, problem("bundle-kube-range", message, path))
        return
    if (versions := parse_versions(text_at(said))) is None:
        return
    least = text_at(bundle.csv.body, *path)
    if minor_of(versions.first) < oldest:  # which patch a cluster has, nobody can tell
        message = (
            f"found {cut(str(said))}, but OpenShift {named(versions.first)} has Kubernetes "
            f"1.{minor_of(versions.first)}, and minKubeVersion is {cut(least)}"
        )
        wrong = problem("bundle-kube-range", message, ("annotations", OPENSHIFT))
        yield BundleFault(bundle.annotations, wrong)
