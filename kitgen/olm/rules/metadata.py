"""What annotations.yaml says of a bundle, and the labels of its image with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from posixpath import normpath

from kitgen.findings import MAX_ERRORS, Finding, Path, Problem, make_problem
from kitgen.kit.bundle_settings import OPENSHIFT, PREFIX
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import CHANNELS, DEFAULT, MANIFESTS, MEDIA_TYPE, METADATA, PACKAGE, Bundle
from kitgen.olm.rules.terms import BundleFault, BundleTerms
from kitgen.olm.rules.versions import OLD_LIST, is_inverted_range, parse_openshift_versions
from kitgen.text.values import text_at
from kitgen.text.wording import describe_value, join_words, quote_text
from kitgen.text.yaml import Json

STABLE = ("candidate", "fast", "stable")
REGISTRY = "registry+v1"


def check(bundle: Bundle, terms: BundleTerms) -> Iterator[BundleFault | Finding]:
    """Yield what is wrong with the metadata of a bundle."""
    if not bundle.folders[1] or "metadata" in bundle.lacks:
        return
    if (notes := bundle.annotations) is None:
        if not any("/annotations." in each.origin.file for each in bundle.findings):
            yield make_problem(
                "bundle-annotation", "found no metadata/annotations.yaml, expected one", line=1
            ).to_finding(bundle.origin)
        return
    if not isinstance(notes.body.get("annotations"), dict):
        message = f"found {describe_value(notes.body.get('annotations'))}, expected a mapping of annotations"
        yield BundleFault(notes, make_problem("bundle-annotation", message, ("annotations",)))
        return
    own = (
        *_check_required(bundle, notes, terms),
        *_check_values(bundle),
        *_check_channels(bundle, notes, terms),
        *_check_openshift(bundle.get_annotation(OPENSHIFT)),
    )
    yield from (BundleFault(notes, each) for each in own)
    yield from _check_package_name(bundle, notes)
    yield from _check_labels(bundle, notes)


def _annotation_path(key: str) -> Path:
    return ("annotations", key)


def _check_required(bundle: Bundle, notes: Manifest, terms: BundleTerms) -> Iterator[Problem]:
    for key in (MEDIA_TYPE, MANIFESTS, METADATA, PACKAGE, CHANNELS):
        value = bundle.get_annotation(key)
        if key == CHANNELS and terms.from_catalog and not value:
            continue
        there = key in notes.body["annotations"]
        if not text_at(value).strip() or (key == CHANNELS and not bundle.channels):
            found = describe_value(value) if there else "nothing"
            yield make_problem(
                "bundle-annotation",
                f"found {found} for {key}, expected a value",
                _annotation_path(key) if there else ("annotations",),
                "a catalog may say them: --from-catalog" if key == CHANNELS else "",
            )


def _check_values(bundle: Bundle) -> Iterator[Problem]:
    if (kind := text_at(bundle.get_annotation(MEDIA_TYPE))) not in ("", REGISTRY):
        yield make_problem(
            "bundle-media-type",
            f"found {quote_text(kind)}, expected {REGISTRY}",
            _annotation_path(MEDIA_TYPE),
        )
    for key, folder in zip((MANIFESTS, METADATA), bundle.folders, strict=True):
        said = text_at(bundle.get_annotation(key)).strip()
        if said and normpath(said.lstrip("/")) != folder and folder not in bundle.lacks:
            yield make_problem(
                "bundle-path",
                f"found {quote_text(said)}, expected {folder}/, where the bundle has them",
                _annotation_path(key),
            )


def _check_channels(bundle: Bundle, notes: Manifest, terms: BundleTerms) -> Iterator[Problem]:
    if DEFAULT in notes.body["annotations"]:
        said = bundle.get_annotation(DEFAULT)
        if not (default := text_at(said).strip()):
            yield make_problem(
                "bundle-default-channel",
                f"found {describe_value(said)}, expected the name of a channel",
                _annotation_path(DEFAULT),
            )
        elif bundle.channels and default not in bundle.channels and not terms.siblings:
            named = join_words(bundle.channels, last="and", say=lambda each: quote_text(str(each)))
            yield make_problem(
                "bundle-default-elsewhere",
                f"found {quote_text(default)}, but the bundle is in {named}",
                _annotation_path(DEFAULT),
            )
    for name in islice((name for name in bundle.channels if not name.startswith(STABLE)), MAX_ERRORS):
        yield make_problem(
            "bundle-channel-name",
            f"found the channel {quote_text(name)}, expected {join_words(STABLE)} at its start",
            _annotation_path(CHANNELS),
        )


def _check_openshift(said: Json) -> Iterator[Problem]:
    if said is None:
        return
    versions = parse_openshift_versions(said) if isinstance(said, str) else None
    if versions is None:
        inverted = ", which ends before it begins" if is_inverted_range(text_at(said)) else ""
        yield make_problem(
            "bundle-openshift",
            f"found {describe_value(said)}{inverted}, expected versions such as v4.12 or v4.10-v4.15",
            _annotation_path(OPENSHIFT),
        )
    elif versions.listed and "".join(said.split()) not in OLD_LIST:
        yield make_problem(
            "bundle-openshift-list",
            f"found the list {quote_text(said)}, expected a range",
            _annotation_path(OPENSHIFT),
        )


def _check_package_name(bundle: Bundle, notes: Manifest) -> Iterator[BundleFault]:
    if not (package := text_at(bundle.get_annotation(PACKAGE)).strip()):
        return
    if bundle.package_folder and bundle.package_folder != package:
        message = f"found {quote_text(package)}, but its folder is called {quote_text(bundle.package_folder)}"
        yield BundleFault(notes, make_problem("bundle-package-name", message, _annotation_path(PACKAGE)))
    if bundle.csv is not None:
        name = text_at(bundle.csv.body, "metadata", "name")
        if name and name.partition(".")[0] != package:
            message = f"found {quote_text(name)}, expected {quote_text(package)} and a dot at its start"
            yield BundleFault(bundle.csv, make_problem("bundle-package-name", message, ("metadata", "name")))


def _as_label(value: Json) -> str:
    """Return a value of YAML as the text that a label has."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check_labels(bundle: Bundle, notes: Manifest) -> Iterator[BundleFault]:
    if bundle.labels is None:
        return
    labels, said = bundle.labels.body["labels"], notes.body["annotations"]
    for key, value in labels.items():
        if key in said and _as_label(said[key]) != value:
            message = (
                f"found {key}={quote_text(value)}, but annotations.yaml says {describe_value(said[key])}"
            )
            yield BundleFault(bundle.labels, make_problem("bundle-labels", message, ("labels", key)))
        elif key.startswith(PREFIX) and key not in said:
            yield BundleFault(
                bundle.labels,
                make_problem(
                    "bundle-labels",
                    f"found the label {key}, which annotations.yaml does not say",
                    ("labels", key),
                ),
            )
    for key in said:
        if isinstance(key, str) and key.startswith(PREFIX) and key not in labels:
            yield BundleFault(
                bundle.labels,
                make_problem(
                    "bundle-labels", f"found no label {key}, which annotations.yaml says", ("labels",)
                ),
            )
