"""What the pipelines of the community's catalog check before they take a bundle."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime

from kitgen.findings import Path, Rule, rule
from kitgen.kit.bundle_settings import OPENSHIFT
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.removed_apis import oldest_minor
from kitgen.olm.rules.terms import BundleFault, BundleTerms
from kitgen.olm.rules.versions import is_strict, minor_of, named, parse_versions
from kitgen.text.values import entries_at, text_at, value_at
from kitgen.text.wording import cut, shown
from kitgen.text.yaml import Json

CSV_COMMUNITY = rule("csv-community")
CSV_COMMUNITY_WANTED = rule("csv-community-wanted")
CSV_DISPLAY_NAME = rule("csv-display-name")
BUNDLE_KUBE_RANGE = rule("bundle-kube-range")
BUNDLE_VERSION_FOLDER = rule("bundle-version-folder")
BUNDLE_NETWORK_POLICY = rule("bundle-network-policy")

IMAGE = re.compile(r"(?:[^/\s]+/)+[^/:\s]+:.+")
WEB = re.compile(r"https?://.+")


def check(bundle: Bundle, terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield what the community's pipelines refuse, and what they warn of."""
    for csv in bundle.csvs:
        yield from _fields(csv)
        if len(text_at(csv.body, "spec", "displayName")) > LONGEST_NAME:
            message = f"found more than {LONGEST_NAME} characters, expected at most that"
            yield BundleFault(csv, CSV_DISPLAY_NAME(message, ("spec", "displayName")))
        version = text_at(csv.body, "spec", "version")
        if bundle.version_folder and version and version != bundle.version_folder:
            message = f"found {cut(version)}, but the folder is called {cut(bundle.version_folder)}"
            yield BundleFault(csv, BUNDLE_VERSION_FOLDER(message, ("spec", "version")))
    for each in bundle.objects:
        if each.body.get("kind") == "NetworkPolicy":
            message = "found a NetworkPolicy, which the community's catalog does not take"
            yield BundleFault(each, BUNDLE_NETWORK_POLICY(message, ("kind",)))
    if not terms.from_catalog and bundle.annotations is not None:
        yield from _range(bundle)


def _longer(least: int) -> Callable[[Json], bool]:
    return lambda value: isinstance(value, str) and len(value.strip()) >= least


def _matches(pattern: re.Pattern[str]) -> Callable[[Json], bool]:
    return lambda value: isinstance(value, str) and pattern.match(value[:2_000]) is not None


def _pairs(*keys: str) -> Callable[[Json], bool]:
    def fits(value: Json) -> bool:
        return bool(entries_at(value)) and all(
            text_at(each, key) for _, each in entries_at(value) for key in keys
        )

    return fits


def _is_icon(value: Json) -> bool:
    icons = entries_at(value)
    return bool(icons) and all(
        text_at(each, "base64data") and text_at(each, "mediatype") for _, each in icons
    )


def _is_time(value: Json) -> bool:
    try:
        return isinstance(value, str) and datetime.fromisoformat(value.strip()) is not None
    except ValueError:
        return False


def _is_list(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)


LONGEST_NAME = 50
NOTES: Path = ("metadata", "annotations")
FIELDS: tuple[tuple[Path, str, Callable[[Json], bool], Rule], ...] = (
    (("spec", "displayName"), "at least 3 characters", _longer(3), CSV_COMMUNITY),
    (("spec", "description"), "at least 20 characters", _longer(20), CSV_COMMUNITY),
    (("spec", "icon"), "a list with base64data and mediatype", _is_icon, CSV_COMMUNITY),
    (("spec", "version"), "a version such as 1.2.3", lambda value: is_strict(text_at(value)), CSV_COMMUNITY),
    (("spec", "maintainers"), "one with name and email", _pairs("name", "email"), CSV_COMMUNITY),
    (("spec", "provider", "name"), "at least 3 characters", _longer(3), CSV_COMMUNITY),
    (("spec", "links"), "one with name and url", _pairs("name", "url"), CSV_COMMUNITY),
    (("spec", "keywords"), "a list of words", _is_list, CSV_COMMUNITY_WANTED),
    ((*NOTES, "capabilities"), "a level", _longer(1), CSV_COMMUNITY_WANTED),
    ((*NOTES, "categories"), "categories", _longer(1), CSV_COMMUNITY_WANTED),
    ((*NOTES, "containerImage"), "an image with a tag", _matches(IMAGE), CSV_COMMUNITY_WANTED),
    ((*NOTES, "createdAt"), "a time such as 2030-01-31T00:00:00Z", _is_time, CSV_COMMUNITY_WANTED),
    ((*NOTES, "repository"), "an address", _matches(WEB), CSV_COMMUNITY_WANTED),
    ((*NOTES, "support"), "at least 3 characters", _longer(3), CSV_COMMUNITY_WANTED),
    ((*NOTES, "description"), "at least 10 characters", _longer(10), CSV_COMMUNITY_WANTED),
)
"""Where, what is expected in words, whether a value is that, and which rule asks for it."""


def _fields(csv: Manifest) -> Iterator[BundleFault]:
    for path, expected, fits, broken in FIELDS:
        value = value_at(csv.body, *path)
        if not fits(value):
            there = path if value is not None else path[:-1] if path[-2] != "provider" else path[:1]
            message = f"found {shown(value)} for {'.'.join(map(str, path))}, expected {expected}"
            yield BundleFault(csv, broken(message, there))


def _range(bundle: Bundle) -> Iterator[BundleFault]:
    """Yield that OLM would refuse the bundle on a version of OpenShift that it is offered for."""
    oldest, said = oldest_minor(bundle), bundle.note(OPENSHIFT)
    if oldest is None or bundle.annotations is None or bundle.csv is None:
        return
    path: Path = ("spec", "minKubeVersion")
    if said is None:
        message = f"found minKubeVersion, but no {OPENSHIFT} in annotations.yaml"
        yield BundleFault(bundle.csv, BUNDLE_KUBE_RANGE(message, path))
        return
    versions = parse_versions(text_at(said))
    if versions is None:
        return
    least = text_at(bundle.csv.body, *path)
    if minor_of(versions.first) < oldest:  # which patch a cluster has, nobody can tell
        message = (
            f"found {cut(str(said))}, but OpenShift {named(versions.first)} has Kubernetes "
            f"1.{minor_of(versions.first)}, and minKubeVersion is {cut(least)}"
        )
        yield BundleFault(bundle.annotations, BUNDLE_KUBE_RANGE(message, ("annotations", OPENSHIFT)))
