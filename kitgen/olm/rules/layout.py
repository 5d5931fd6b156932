"""How a bundle is laid out: its folders, one object a file, kinds that OLM installs, and its size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from posixpath import basename

from kitgen.findings import Finding, Origin, Problem, get_rule, make_problem
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.folders import CSV_ENDINGS
from kitgen.olm.packages.records import Bundle, PackageFile, UnknownManifest
from kitgen.olm.rules.terms import BundleFault, BundleTerms
from kitgen.text.wording import format_count, join_words, quote_text

BUNDLE_NESTED = get_rule("bundle-nested")
BUNDLE_STRAY = get_rule("bundle-stray")

KINDS = frozenset(
    {
        *("ClusterServiceVersion", "CustomResourceDefinition", "Secret", "ConfigMap", "ServiceAccount"),
        *("Service", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding", "PrometheusRule"),
        *("ServiceMonitor", "PodMonitor", "PodDisruptionBudget", "PriorityClass", "VerticalPodAutoscaler"),
        *("ConsoleYAMLSample", "ConsoleQuickStart", "ConsoleCLIDownload", "ConsoleLink", "ConsolePlugin"),
        "NetworkPolicy",
    }
)
"""What OLM installs from a bundle."""
CREATED = "the operator can create it when it starts"
ADVICE = {
    "List": "give each of its items a file",
    **dict.fromkeys(
        ("Deployment", "DaemonSet", "StatefulSet"), "deployments stand in the ClusterServiceVersion"
    ),
}
"""What to do with an object of a kind that OLM does not install, unless the operator can create it."""
MOST, NEAR = 1_048_576, 0.85
OLD_FORM = "packages had this form once; put the manifests into manifests/, and add metadata/annotations.yaml"


def check(bundle: Bundle, _terms: BundleTerms) -> Iterator[BundleFault | Finding]:
    """Yield what is wrong with the files of a bundle, whatever they say."""
    yield from _check_folders(bundle)
    yield from _check_csvs(bundle)
    for path, what in bundle.strange:
        rule = BUNDLE_STRAY if what is UnknownManifest.OTHER else BUNDLE_NESTED
        yield rule(f"found {what} among the manifests, expected manifests alone").to_finding(Origin(path))
    unread = {each.origin.file for each in bundle.findings}
    for file in bundle.files:
        if not file.documents and file.path not in unread:
            yield BUNDLE_STRAY("found an empty file, expected an object", line=1).to_finding(
                Origin(file.path)
            )
        if file.documents > 1:
            yield make_problem(
                "bundle-documents",
                f"found {file.documents} documents in one file, of which OLM reads the first",
            ).to_finding(Origin(file.path, document=1))
    yield from check_line_ends((*bundle.files, *bundle.beside))
    yield from _check_size(bundle)


def check_kind(each: Manifest, _bundle: Bundle) -> Iterator[Problem]:
    """Yield an object of a kind that OLM does not install."""
    if (kind := each.body.get("kind")) not in KINDS:
        message = f"found the kind {quote_text(str(kind))}, which OLM installs from no bundle"
        yield make_problem("bundle-kind", message, ("kind",), ADVICE.get(str(kind), CREATED))


def check_line_ends(files: Iterable[PackageFile]) -> Iterator[Finding]:
    """Yield files with lines that end in spaces, or not at all."""
    for file in files:
        if file.untidy:
            lines = format_count(len(file.untidy), "line")
            verb = "ends" if len(file.untidy) == 1 else "end"
            yield make_problem(
                "bundle-tidy",
                f"found {lines} that {verb} in spaces, or without an end, expected none",
                line=file.untidy[0],
            ).to_finding(Origin(file.path))


def _check_folders(bundle: Bundle) -> Iterator[Finding]:
    if bundle.lacks:
        missing = join_words(bundle.lacks, last="and")
        yield make_problem(
            "bundle-folders",
            f"found no folder {missing}, expected manifests and metadata in a bundle",
            (),
            OLD_FORM if len(bundle.lacks) > 1 and bundle.csvs else "",
            1,
        ).to_finding(bundle.origin)


def _check_csvs(bundle: Bundle) -> Iterator[BundleFault | Finding]:
    if not (found := bundle.csvs) and "manifests" not in bundle.lacks:
        yield make_problem("csv-single", "found no ClusterServiceVersion, expected one", line=1).to_finding(
            bundle.origin
        )
    for each in found[1:]:
        message = "found another ClusterServiceVersion, expected one in a bundle"
        yield BundleFault(
            each,
            make_problem(
                "csv-single", message, ("kind",), f"the first is in {found[0].find_origin(()).file}"
            ),
        )
    for each in found if not bundle.rendered else ():
        name = basename(each.find_origin(()).file)
        if not name.endswith(CSV_ENDINGS):
            message = (
                f"found the ClusterServiceVersion in {quote_text(name)}, expected {CSV_ENDINGS[0]} at its end"
            )
            yield BundleFault(each, make_problem("csv-file", message, ("kind",)))


def _check_size(bundle: Bundle) -> Iterator[Finding]:
    if (size := sum(each.size for each in bundle.files)) <= NEAR * MOST:
        return
    biggest = max(bundle.files, key=lambda each: each.size)
    share = f"{size:,} bytes, {size / MOST:.0%} of what OLM can unpack"
    hint = f"{basename(biggest.path)} takes {biggest.size:,} of them"
    line = 0 if bundle.rendered else 1  # a folder has no lines to look one up in
    if size > MOST:
        yield make_problem(
            "bundle-size", f"found {share}, expected at most {MOST:,}", (), hint, line
        ).to_finding(bundle.origin)
    else:
        yield make_problem("bundle-size-near", f"found {share}", (), hint, line).to_finding(bundle.origin)
