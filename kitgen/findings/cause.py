"""Causes: what made a value, as data. Words are made of them only where they are shown."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from kitgen.findings.origin import Origin, Path


class By(StrEnum):
    """What makes values, in the words of those who read of it."""

    FAMILY = "family"
    OBJECTS = "objects"
    FEATURE = "feature"
    SETTING = "setting"
    PATCH = "patch"
    PARAMETER = "parameter"
    IMAGE = "image"
    LABELS = "labels"
    COMPONENT = "component"
    NAMESPACE = "namespace"
    PREFIX = "prefix"
    RELEASE = "release"
    TARGET = "target"
    VERSION = "version"
    CRD = "crd declaration"
    CLUSTER = "dataScienceCluster"
    BUNDLE = "bundle"
    ARGOCD = "argocd"
    MIGRATION = "migration"
    MANIFEST = "manifest"

    __hash__ = str.__hash__  # sources are held against each other by the thousand


class Cause(NamedTuple):
    """One thing that makes values: a kind, and its name where there are several."""

    kind: By
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".rstrip()


Reads: TypeAlias = tuple[tuple[Path, tuple[tuple[Cause, Origin], ...]], ...]
"""What expressions read and where that stands, by their place inside a value."""
