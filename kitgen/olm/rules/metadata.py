"""What annotations.yaml says of a bundle, and the labels of its image with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from posixpath import normpath

from kitgen.check.index import below
from kitgen.findings import MAX_ERRORS, Chapter, Path, Rule, Severity
from kitgen.kit.bundle_settings import OPENSHIFT, PREFIX
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import CHANNELS, DEFAULT, MANIFESTS, MEDIA_TYPE, METADATA, PACKAGE, Bundle
from kitgen.olm.rules.terms import Fault, Terms, text_of
from kitgen.olm.rules.versions import OLD_LIST, is_inverted, parse_versions
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import Json

BUNDLE_ANNOTATION = Rule(
    id="bundle-annotation",
    chapter=Chapter.BUNDLE,
    checks=(
        "metadata/annotations.yaml names the media type, the folders of manifests and metadata, the package "
        "and the channels. Channels may be missing where a catalog says them: with --from-catalog, or where "
        "ci.yaml enables fbc, or where a release-config.yaml stands beside the bundle."
    ),
    fix="Add what is missing.",
    why="opm and operator-sdk refuse the bundle.",
    exceptable=True,
)
BUNDLE_MEDIA_TYPE = Rule(
    id="bundle-media-type",
    chapter=Chapter.BUNDLE,
    checks="The media type of a bundle with a ClusterServiceVersion is registry+v1.",
    fix="Write registry+v1.",
    why="opm reads the folder by its media type, and refuses a bundle that is another one.",
)
BUNDLE_PATH = Rule(
    id="bundle-path",
    chapter=Chapter.BUNDLE,
    checks="The folders that annotations.yaml names are those of the bundle.",
    fix="Write the folder's name, with a slash at its end.",
    why="opm looks for manifests where the image says they are; operator-sdk does not compare the two.",
)
BUNDLE_DEFAULT_CHANNEL = Rule(
    id="bundle-default-channel",
    chapter=Chapter.BUNDLE,
    checks="A default channel that annotations.yaml names is not empty.",
    fix="Name a channel, or leave the key out.",
)
BUNDLE_DEFAULT_ELSEWHERE = Rule(
    id="bundle-default-elsewhere",
    chapter=Chapter.BUNDLE,
    checks="The default channel is one of those that bundles of the package are in.",
    fix="Name a channel of the bundle, unless other bundles have it.",
    why="A catalog whose default channel is empty is refused as a whole.",
    severity=Severity.WARNING,
    exceptable=True,
)
BUNDLE_CHANNEL_NAME = Rule(
    id="bundle-channel-name",
    chapter=Chapter.BUNDLE,
    checks="The names of channels start with candidate, fast or stable.",
    fix="Rename the channel, if nobody uses it yet.",
    why="That is what people expect of an update channel; operator-sdk says so as good practice.",
    severity=Severity.WARNING,
    exceptable=True,
)
BUNDLE_OPENSHIFT = Rule(
    id="bundle-openshift",
    chapter=Chapter.BUNDLE,
    checks="com.redhat.openshift.versions is v4.12 (from there on), =v4.12, or v4.10-v4.15.",
    fix="Write one of these forms.",
    why="The pipelines cannot tell which catalogs the bundle is for.",
    exceptable=True,
)
BUNDLE_OPENSHIFT_LIST = Rule(
    id="bundle-openshift-list",
    chapter=Chapter.BUNDLE,
    checks="com.redhat.openshift.versions is no list of versions.",
    fix="Write a range, such as v4.10-v4.15.",
    why="Lists are deprecated; catalogs read all but v4.5,v4.6 in ways of their own.",
    severity=Severity.WARNING,
    exceptable=True,
)
BUNDLE_LABELS = Rule(
    id="bundle-labels",
    chapter=Chapter.BUNDLE,
    checks="The labels in bundle.Dockerfile say what annotations.yaml says.",
    fix="Write in bundle.Dockerfile what annotations.yaml says, which counts.",
    severity=Severity.WARNING,
)
BUNDLE_PACKAGE_NAME = Rule(
    id="bundle-package-name",
    chapter=Chapter.BUNDLE,
    checks="The package is called like its folder, and the ClusterServiceVersion starts with its name.",
    fix="Use one name, at least from the first version on.",
    why=(
        "The community's pipelines refuse the first bundle of a package if these differ, and warn of later "
        "ones."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

STABLE = ("candidate", "fast", "stable")
REGISTRY = "registry+v1"


def check(bundle: Bundle, terms: Terms) -> Iterator[Fault]:
    """Yield what is wrong with the metadata of a bundle."""
    if not bundle.folders[1] or "metadata" in bundle.lacks:
        return
    notes = bundle.annotations
    if notes is None:
        if not any("/annotations." in each.origin.file for each in bundle.findings):
            message = "found no metadata/annotations.yaml, expected one"
            yield Fault(bundle.origin, BUNDLE_ANNOTATION(message, line=1))
        return
    if not isinstance(notes.body.get("annotations"), dict):
        message = f"found {shown(notes.body.get('annotations'))}, expected a mapping of annotations"
        yield Fault(notes, BUNDLE_ANNOTATION(message, ("annotations",)))
        return
    yield from _present(bundle, notes, terms)
    yield from _values(bundle, notes)
    yield from _channels(bundle, notes, terms)
    yield from _openshift(bundle, notes)
    yield from _names(bundle, notes)
    yield from _labels(bundle, notes)


def _at(key: str) -> Path:
    return ("annotations", key)


def _present(bundle: Bundle, notes: Manifest, terms: Terms) -> Iterator[Fault]:
    for key in (MEDIA_TYPE, MANIFESTS, METADATA, PACKAGE, CHANNELS):
        value = bundle.note(key)
        if key == CHANNELS and terms.from_catalog and not value:
            continue
        there = key in notes.body["annotations"]
        empty = not text_of(value).strip() or (key == CHANNELS and not bundle.channels)
        if empty:
            found = shown(value) if there else "nothing"
            hint = "a catalog may say them: --from-catalog" if key == CHANNELS else ""
            message = f"found {found} for {key}, expected a value"
            yield Fault(notes, BUNDLE_ANNOTATION(message, _at(key) if there else ("annotations",), hint))


def _values(bundle: Bundle, notes: Manifest) -> Iterator[Fault]:
    if (kind := text_of(bundle.note(MEDIA_TYPE))) not in ("", REGISTRY):
        message = f"found {cut(kind)}, expected {REGISTRY}"
        yield Fault(notes, BUNDLE_MEDIA_TYPE(message, _at(MEDIA_TYPE)))
    for key, folder in zip((MANIFESTS, METADATA), bundle.folders, strict=True):
        said = text_of(bundle.note(key)).strip()
        if said and normpath(said.lstrip("/")) != folder and folder not in bundle.lacks:
            message = f"found {cut(said)}, expected {folder}/, where the bundle has them"
            yield Fault(notes, BUNDLE_PATH(message, _at(key)))


def _channels(bundle: Bundle, notes: Manifest, terms: Terms) -> Iterator[Fault]:
    if DEFAULT in notes.body["annotations"]:
        said = bundle.note(DEFAULT)
        default = text_of(said).strip()
        if not default:
            message = f"found {shown(said)}, expected the name of a channel"
            yield Fault(notes, BUNDLE_DEFAULT_CHANNEL(message, _at(DEFAULT)))
        elif bundle.channels and default not in bundle.channels and not terms.siblings:
            named = choice(bundle.channels, last="and", say=lambda each: cut(str(each)))
            message = f"found {cut(default)}, but the bundle is in {named}"
            yield Fault(notes, BUNDLE_DEFAULT_ELSEWHERE(message, _at(DEFAULT)))
    other = (name for name in bundle.channels if not name.startswith(STABLE))
    for name in islice(other, MAX_ERRORS):
        message = f"found the channel {cut(name)}, expected {choice(STABLE)} at its start"
        yield Fault(notes, BUNDLE_CHANNEL_NAME(message, _at(CHANNELS)))


def _openshift(bundle: Bundle, notes: Manifest) -> Iterator[Fault]:
    said = bundle.note(OPENSHIFT)
    if said is None:
        return
    versions = parse_versions(said) if isinstance(said, str) else None
    if versions is None:
        inverted = ", which ends before it begins" if is_inverted(text_of(said)) else ""
        message = f"found {shown(said)}{inverted}, expected versions such as v4.12 or v4.10-v4.15"
        yield Fault(notes, BUNDLE_OPENSHIFT(message, _at(OPENSHIFT)))
    elif versions.listed and "".join(said.split()) not in OLD_LIST:
        message = f"found the list {cut(said)}, expected a range"
        yield Fault(notes, BUNDLE_OPENSHIFT_LIST(message, _at(OPENSHIFT)))


def _names(bundle: Bundle, notes: Manifest) -> Iterator[Fault]:
    package = text_of(bundle.note(PACKAGE)).strip()
    if not package:
        return
    if bundle.package_folder and bundle.package_folder != package:
        message = f"found {cut(package)}, but its folder is called {cut(bundle.package_folder)}"
        yield Fault(notes, BUNDLE_PACKAGE_NAME(message, _at(PACKAGE)))
    if bundle.csv is not None:
        name = text_of(below(bundle.csv.body, "metadata", "name"))
        if name and name.partition(".")[0] != package:
            message = f"found {cut(name)}, expected {cut(package)} and a dot at its start"
            yield Fault(bundle.csv, BUNDLE_PACKAGE_NAME(message, ("metadata", "name")))


def _as_label(value: Json) -> str:
    """Return a value of YAML as the text that a label has."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _labels(bundle: Bundle, notes: Manifest) -> Iterator[Fault]:
    if bundle.labels is None:
        return
    labels, said = bundle.labels.body["labels"], notes.body["annotations"]
    for key, value in labels.items():
        if key in said and _as_label(said[key]) != value:
            message = f"found {key}={cut(value)}, but annotations.yaml says {shown(said[key])}"
            yield Fault(bundle.labels, BUNDLE_LABELS(message, ("labels", key)))
        elif key.startswith(PREFIX) and key not in said:
            message = f"found the label {key}, which annotations.yaml does not say"
            yield Fault(bundle.labels, BUNDLE_LABELS(message, ("labels", key)))
    for key in said:
        if isinstance(key, str) and key.startswith(PREFIX) and key not in labels:
            message = f"found no label {key}, which annotations.yaml says"
            yield Fault(bundle.labels, BUNDLE_LABELS(message, ("labels",)))
