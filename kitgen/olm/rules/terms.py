"""What rules of bundles get to know besides the bundle, what they answer, and how they read odd data."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from kitgen.findings import Path, Problem
from kitgen.kube.manifest import Manifest
from kitgen.text.values import value_at
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
