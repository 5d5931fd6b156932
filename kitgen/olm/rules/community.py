"""What the pipelines of the community's catalog check before they take a bundle."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Path, problem
from kitgen.kit.bundle_settings import OPENSHIFT
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.removed_apis import oldest_minor
from kitgen.olm.rules.terms import BundleFault, BundleTerms
from kitgen.olm.rules.versions import minor_of, named, parse_versions
from kitgen.text.values import text_at
from kitgen.text.wording import cut


def check(bundle: Bundle, terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield what the community's pipelines refuse, and what they warn of."""
    for csv in bundle.csvs:
        version = text_at(csv.body, "spec", "version")
        if bundle.version_folder and version and version != bundle.version_folder:
            message = f"found {cut(version)}, but the folder is called {cut(bundle.version_folder)}"
            yield BundleFault(csv, problem("bundle-version-folder", message, ("spec", "version")))
    for each in bundle.objects:
        if each.body.get("kind") == "NetworkPolicy":
            message = "found a NetworkPolicy, which the community's catalog does not take"
            yield BundleFault(each, problem("bundle-network-policy", message, ("kind",)))
    if not terms.from_catalog and bundle.annotations is not None:
        yield from _range(bundle)


def _range(bundle: Bundle) -> Iterator[BundleFault]:
    """Yield that OLM would refuse the bundle on a version of OpenShift that it is offered for."""
    oldest, said = oldest_minor(bundle), bundle.note(OPENSHIFT)
    if oldest is None or bundle.annotations is None or bundle.csv is None:
        return
    path: Path = ("spec", "minKubeVersion")
    if said is None:
        yield BundleFault(
            bundle.csv,
            problem(
                "bundle-kube-range", f"found minKubeVersion, but no {OPENSHIFT} in annotations.yaml", path
            ),
        )
        return
    if (versions := parse_versions(text_at(said))) is None:
        return
    least = text_at(bundle.csv.body, *path)
    if minor_of(versions.first) < oldest:  # which patch a cluster has, nobody can tell
        message = (
            f"found {cut(str(said))}, but OpenShift {named(versions.first)} has Kubernetes "
            f"1.{minor_of(versions.first)}, and minKubeVersion is {cut(least)}"
        )
        yield BundleFault(
            bundle.annotations, problem("bundle-kube-range", message, ("annotations", OPENSHIFT))
        )
