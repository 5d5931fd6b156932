"""What rules of bundles get to know besides the bundle, what they answer, and how they read odd data."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from kitgen.findings import Path, Problem
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import PodView, pod_at
from kitgen.olm.packages.records import Bundle
from kitgen.text.values import entries_at, text_at, value_at
from kitgen.text.yaml import Json, JsonObject

ANNOTATIONS: Path = ("metadata", "annotations")
INSTALL: Path = ("spec", "install", "spec")
DEPLOYMENTS: Path = (*INSTALL, "deployments")
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


class CsvView(Struct, frozen=True, dict=True):
    """A ClusterServiceVersion, and the bundle that it is in."""

    manifest: Manifest
    bundle: Bundle

    @property
    def body(self) -> JsonObject:
        """Return all of it."""
        return self.manifest.body

    @property
    def name(self) -> str:
        """Return what it is called; empty if it has no name."""
        return text_at(self.body, "metadata", "name")

    @property
    def version(self) -> str:
        """Return the version of the operator; empty if it says none."""
        return text_at(self.body, "spec", "version")

    @cached_property
    def pods(self) -> list[PodView]:
        """Return the pods of its deployments."""
        templates = ((*DEPLOYMENTS, at, "spec", "template") for at, _ in entries_at(self.body, *DEPLOYMENTS))
        return [pod for path in templates if (pod := pod_at(self.manifest, path)) is not None]


def annotation_of(csv: Manifest, key: str) -> Json:
    """Return an annotation of an object; None if it has none."""
    return value_at(csv.body, *ANNOTATIONS, key)
