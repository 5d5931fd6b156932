"""Versions that go back: of images, labels, charts, bundles and stored resources."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compare.upgrade.rules import UPGRADE_VERSION_BACK
from kitgen.crd.definition import is_crd, version_rank
from kitgen.findings import Path, Problem
from kitgen.kube.identity import ObjectId
from kitgen.kube.pods import TEMPLATES, containers_of
from kitgen.text.patterns import compile_late
from kitgen.text.semver import is_version, version_key
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import quote_text, text_of
from kitgen.text.yaml import Json, JsonObject

LABEL, CHART = "app.kubernetes.io/version", "helm.sh/chart"
NAMED = compile_late(r"(.+?)-(v?[0-9]+\.[0-9]+.*)")
"""A name and a version, as charts are labelled."""

IMAGE = compile_late(r"[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)+:[A-Za-z0-9._-]+")
"""An image with its registry and tag, as operators get those that they run in variables."""
LONGEST = 300
SHORT = compile_late(r"v?[0-9]{1,4}(\.[0-9]{1,9})?")
"""A version with no more than a major and a minor; a year or a date is none."""


def check_downgrades(old: JsonObject, new: JsonObject) -> Iterator[Problem]:
    """Yield images, labels and versions that are older than before."""
    yield from _check_labels(old, new, ("metadata", "labels"))
    name = ObjectId.of(new)
    if is_crd(new):
        yield from _check_storage_version(old, new)
    elif (path := TEMPLATES.get((name.group, name.kind))) is not None:
        yield from _check_labels(old, new, (*path, "metadata", "labels")) if path else ()
        yield from _check_images(old, new, path)
    elif name.kind == "ClusterServiceVersion":
        yield from _check_version(
            value_at(old, "spec", "version"), value_at(new, "spec", "version"), ("spec", "version")
        )


def _check_labels(old: JsonObject, new: JsonObject, at: Path) -> Iterator[Problem]:
    path = (*at, LABEL)
    yield from _check_version(value_at(old, *path), value_at(new, *path), path)
    path = (*at, CHART)
    was, now = (NAMED.fullmatch(str(value_at(body, *path))[:LONGEST]) for body in (old, new))
    if was and now and was[1] == now[1]:
        yield from _check_version(was[2], now[2], path, now[0])


def _check_version(was: Json, now: Json, path: Path, what: str = "") -> Iterator[Problem]:
    if isinstance(was, str) and isinstance(now, str) and _is_older(was, now):
        yield UPGRADE_VERSION_BACK(
            f"found {quote_text(what or now)}, expected {quote_text(was)} as before or newer", path
        )


def _is_older(was: str, now: str) -> bool:
    """Return whether one version is below another; those of other lengths, or another text, say nothing."""
    if all(SHORT.fullmatch(each) for each in (was, now)) and was.count(".") == now.count("."):
        before, after = ([int(part) for part in each.removeprefix("v").split(".")] for each in (was, now))
        return after < before
    whole = all(each.count(".") >= 2 and len(each) < 100 and is_version(each) for each in (was, now))
    return whole and version_key(now) < version_key(was)


def _check_images(old: JsonObject, new: JsonObject, path: Path) -> Iterator[Problem]:
    """Yield images whose tag is older; a container is the one of the same name."""
    before = {(each.kind, each.name): each for each in containers_of(value_at(old, *path, "spec"))}
    for each in containers_of(value_at(new, *path, "spec"), (*path, "spec")):
        if was := before.get((each.kind, each.name)):
            yield from _check_image(was.body.get("image"), each.body.get("image"), each.path_to("image"))
            values = {text_of(variable.get("name")): variable.get("value") for _, variable in was.variables}
            for index, variable in each.variables:
                value = variable.get("value")
                if isinstance(value, str) and IMAGE.fullmatch(value[:LONGEST]):
                    yield from _check_image(
                        values.get(text_of(variable.get("name"))), value, each.path_to("env", index, "value")
                    )


def _check_image(was: Json, now: Json, path: Path) -> Iterator[Problem]:
    if isinstance(was, str) and isinstance(now, str):
        # The last part of an image's name, and its tag.
        (base, _, tag), (same, _, newer) = (
            image.partition("@")[0].rpartition("/")[2].partition(":") for image in (was, now)
        )
        if base == same:
            yield from _check_version(tag, newer, path, newer)


def _check_storage_version(old: JsonObject, new: JsonObject) -> Iterator[Problem]:
    """Yield that resources are to be stored in an older version of their API."""
    sides = (
        [each for each in entries_at(body, "spec", "versions") if each[1].get("storage") is True]
        for body in (old, new)
    )
    for (_, was), (index, now) in zip(*(side[:1] for side in sides), strict=False):
        before, after = str(was.get("name")), str(now.get("name"))
        if version_rank(after) > version_rank(before):
            expected = f"expected {quote_text(before)} as before or newer"
            yield UPGRADE_VERSION_BACK(
                f"found {quote_text(after)} as the version that is stored, {expected}",
                ("spec", "versions", index, "storage"),
            )
