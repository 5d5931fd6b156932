"""What annotations.yaml says of a bundle, and the labels of its image with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from posixpath import normpath

from kitgen.findings import MAX_ERRORS, Finding, Path, Problem, problem
from kitgen.kit.bundle_settings import OPENSHIFT, PREFIX
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import CHANNELS, DEFAULT, MANIFESTS, MEDIA_TYPE, METADATA, PACKAGE, Bundle
from kitgen.olm.rules.terms import BundleFault, BundleTerms
from kitgen.olm.rules.versions import OLD_LIST, is_inverted, parse_versions
from kitgen.text.values import text_at
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import Json

STABLE = ("candidate", "fast", "stable")
REGISTRY = "registry+v1"


def check(bundle: Bundle, terms: BundleTerms) -> Iterator[BundleFault | Finding]:
    """Yield what is wrong with the metadata of a bundle."""
    if not bundle.folders[1] or "metadata" in bundle.lacks:
        return
    if (notes := bundle.annotations) is None:
        if not any("/annotations." in each.origin.file for each in bundle.findings):
            yield problem("bundle-annotation", "found no metadata/annotations.yaml, expected one", line=1).at(
                bundle.origin
            )
        return
    if not isinstance(notes.body.get("annotations"), dict):
        message = f"found {shown(notes.body.get('annotations'))}, expected a mapping of annotations"
        yield BundleFault(notes, problem("bundle-annotation", message, ("annotations",)))
        return
    own = (
        *_present(bundle, notes, terms),
        *_values(bundle),
        *_channels(bundle, notes, terms),
        *_openshift(bundle.note(OPENSHIFT)),
    )
    yield from (BundleFault(notes, each) for each in own)
    yield from _names(bundle, notes)
    yield from _labels(bundle, notes)


def _at(key: str) -> Path:
    return ("annotations", key)


def _present(bundle: Bundle, notes: Manifest, terms: BundleTerms) -> Iterator[Problem]:
    for key in (MEDIA_TYPE, MANIFESTS, METADATA, PACKAGE, CHANNELS):
        value = bundle.note(key)
        if key == CHANNELS and terms.from_catalog and not value:
            continue
        there = key in notes.body["annotations"]
        if not text_at(value).strip() or (key == CHANNELS and not bundle.channels):
            found = shown(value) if there else "nothing"
            yield problem(
                "bundle-annotation",
                f"found {found} for {key}, expected a value",
                _at(key) if there else ("annotations",),
                "a catalog may say them: --from-catalog" if key == CHANNELS else "",
            )


def _values(bundle: Bundle) -> Iterator[Problem]:
    if (kind := text_at(bundle.note(MEDIA_TYPE))) not in ("", REGISTRY):
        yield problem("bundle-media-type", f"found {cut(kind)}, expected {REGISTRY}", _at(MEDIA_TYPE))
    for key, folder in zip((MANIFESTS, METADATA), bundle.folders, strict=True):
        said = text_at(bundle.note(key)).strip()
        if said and normpath(said.lstrip("/")) != folder and folder not in bundle.lacks:
            yield problem(
                "bundle-path", f"found {cut(said)}, expected {folder}/, where the bundle has them", _at(key)
            )


def _channels(bundle: Bundle, notes: Manifest, terms: BundleTerms) -> Iterator[Problem]:
    if DEFAULT in notes.body["annotations"]:
        said = bundle.note(DEFAULT)
        if not (default := text_at(said).strip()):
            yield problem(
                "bundle-default-channel", f"found {shown(said)}, expected the name of a channel", _at(DEFAULT)
            )
        elif bundle.channels and default not in bundle.channels and not terms.siblings:
            named = choice(bundle.channels, last="and", say=lambda each: cut(str(each)))
            yield problem(
                "bundle-default-elsewhere",
                f"found {cut(default)}, but the bundle is in {named}",
                _at(DEFAULT),
            )
    for name in islice((name for name in bundle.channels if not name.startswith(STABLE)), MAX_ERRORS):
        yield problem(
            "bundle-channel-name",
            f"found the channel {cut(name)}, expected {choice(STABLE)} at its start",
            _at(CHANNELS),
        )


def _openshift(said: Json) -> Iterator[Problem]:
    if said is None:
        return
    versions = parse_versions(said) if isinstance(said, str) else None
    if versions is None:
        inverted = ", which ends before it begins" if is_inverted(text_at(said)) else ""
        yield problem(
            "bundle-openshift",
            f"found {shown(said)}{inverted}, expected versions such as v4.12 or v4.10-v4.15",
            _at(OPENSHIFT),
        )
    elif versions.listed and "".join(said.split()) not in OLD_LIST:
        yield problem(
            "bundle-openshift-list", f"found the list {cut(said)}, expected a range", _at(OPENSHIFT)
        )


def _names(bundle: Bundle, notes: Manifest) -> Iterator[BundleFault]:
    if not (package := text_at(bundle.note(PACKAGE)).strip()):
        return
    if bundle.package_folder and bundle.package_folder != package:
        message = f"found {cut(package)}, but its folder is called {cut(bundle.package_folder)}"
        yield BundleFault(notes, problem("bundle-package-name", message, _at(PACKAGE)))
    if bundle.csv is not None:
        name = text_at(bundle.csv.body, "metadata", "name")
        if name and name.partition(".")[0] != package:
            message = f"found {cut(name)}, expected {cut(package)} and a dot at its start"
            yield BundleFault(bundle.csv, problem("bundle-package-name", message, ("metadata", "name")))


def _as_label(value: Json) -> str:
    """Return a value of YAML as the text that a label has."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _labels(bundle: Bundle, notes: Manifest) -> Iterator[BundleFault]:
    if bundle.labels is None:
        return
    labels, said = bundle.labels.body["labels"], notes.body["annotations"]
    for key, value in labels.items():
        if key in said and _as_label(said[key]) != value:
            message = f"found {key}={cut(value)}, but annotations.yaml says {shown(said[key])}"
            yield BundleFault(bundle.labels, problem("bundle-labels", message, ("labels", key)))
        elif key.startswith(PREFIX) and key not in said:
            yield BundleFault(
                bundle.labels,
                problem(
                    "bundle-labels",
                    f"found the label {key}, which annotations.yaml does not say",
                    ("labels", key),
                ),
            )
    for key in said:
        if isinstance(key, str) and key.startswith(PREFIX) and key not in labels:
            yield BundleFault(
                bundle.labels,
                problem("bundle-labels", f"found no label {key}, which annotations.yaml says", ("labels",)),
            )
