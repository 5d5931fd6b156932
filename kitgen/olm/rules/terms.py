"""What rules of bundles get to know besides the bundle, what they answer, and how they read odd data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from kitgen.findings import Path, Problem
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import Bundle
from kitgen.text.values import entries_at, texts_at, value_at
from kitgen.text.yaml import Json

ANNOTATIONS: Path = ("metadata", "annotations")
INSTALL: Path = ("spec", "install", "spec")
OWNED: Path = ("spec", "customresourcedefinitions", "owned")
REQUIRED: Path = ("spec", "customresourcedefinitions", "required")


class BundleTerms(Struct, frozen=True, kw_only=True):
    """Under which terms a bundle is looked at."""

    from_catalog: bool = False
    """Whether a catalog says its channels, so that the bundle need not."""
    ci: Manifest | None = None
    """What is said of its whole package."""
    siblings: int = 0
    """How many other bundles of the package are there."""
    certified: bool = False
    """Whether it is to run where only listed images can be had."""


class BundleFault(NamedTuple):
    """A problem, and the document that has it; where there is none to point into, rules make findings."""

    manifest: Manifest
    problem: Problem
    accepted: str = ""
    """Why it is accepted, if something besides exceptions says so."""


def annotation(csv: Manifest, key: str) -> Json:
    """Return an annotation of an object; None if it has none."""
    return value_at(csv.body, *ANNOTATIONS, key)


def rules_of(bundle: Bundle) -> Iterator[tuple[Manifest, Path, Json]]:
    """Yield every rule that grants something: in the ClusterServiceVersion, and in roles beside it."""
    csv = bundle.csv
    for manifest in bundle.objects:
        holders: list[Path] = []
        if manifest is csv:
            keys = ((*INSTALL, key) for key in ("clusterPermissions", "permissions"))
            holders = [(*path, at) for path in keys for at, _ in entries_at(manifest.body, *path)]
        elif manifest.body.get("kind") in ("ClusterRole", "Role"):
            holders = [()]
        for path in holders:
            for at, rule in entries_at(manifest.body, *path, "rules"):
                yield manifest, (*path, "rules", at), rule


def grants(rule: Json, group: str, resources: tuple[str, ...], verbs: tuple[str, ...]) -> bool:
    """Tell whether a rule names a group, one of some resources and one of some verbs, or all verbs."""
    named = (texts_at(rule, key) for key in ("apiGroups", "resources", "verbs"))
    groups, kinds, does = (set(each) for each in named)
    return group in groups and bool(kinds & set(resources)) and bool(does & {*verbs, "*"})
