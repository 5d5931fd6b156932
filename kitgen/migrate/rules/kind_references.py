"""Find fields that name kinds by their shape, in any object."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import TypeAlias

from kitgen.findings import Path
from kitgen.kube.identity import split_api_version
from kitgen.migrate.kinds import OldKind
from kitgen.text.values import list_at, text_at, texts_at
from kitgen.text.yaml import JsonObject


class MentionPlace(StrEnum):
    """Where a kind is mentioned, in the words of findings."""

    OBJECT = "as the kind of an object"
    OWNER = "as an owner"
    REFERENCE = "in a reference"
    CRD = "in the CRD that serves it"
    RULE = "in a rule"
    LISTED = "in a list of kinds"
    CUSTOMIZED = "in what Argo CD is told"
    FRAMEWORK = "as a framework of Kueue"
    TEXT = "in a text"


Found: TypeAlias = tuple[Path, MentionPlace]
Shape: TypeAlias = Callable[[JsonObject, OldKind, Path], Iterator[Found]]


def _find_by_api_version(value: JsonObject, old: OldKind, path: Path) -> Iterator[Found]:
    """Yield an object, a reference or an owner: apiVersion and kind."""
    kind = text_at(value, "kind")
    group, version = split_api_version(text_at(value, "apiVersion"))
    if old.is_old_kind(group, kind, version) or old.is_old_kind(group, kind.removesuffix("List"), version):
        whole = not path or "metadata" in value
        where = MentionPlace.OBJECT if whole else MentionPlace.REFERENCE
        yield (*path, "apiVersion"), MentionPlace.OWNER if "ownerReferences" in path else where


def _find_by_group(value: JsonObject, old: OldKind, path: Path) -> Iterator[Found]:
    """Yield what names a group beside a kind or resources: Argo CD, OLM, and references."""
    version = text_at(value, "version")
    resources = [text_at(value, "resource"), *texts_at(value, "resources")]
    for key in ("group", "apiGroup"):
        group = text_at(value, key)
        if old.is_old_kind(group, text_at(value, "kind"), version) or any(
            each and old.is_old_resource(group, each) and old.is_old_version(version) for each in resources
        ):
            yield (*path, key), MentionPlace.REFERENCE


def _find_in_rule(value: JsonObject, old: OldKind, path: Path) -> Iterator[Found]:
    """Yield rules of roles, webhooks and policies: groups beside resources or kinds."""
    groups, versions = list_at(value, "apiGroups"), list_at(value, "apiVersions")
    group, version, kind = old.before
    if group not in groups or (old.within and version not in versions):
        return
    resources = any(old.is_old_resource(group, each) for each in texts_at(value, "resources"))
    if resources or {kind, "*"} & {*texts_at(value, "kinds")}:
        at = ("apiVersions", versions.index(version)) if old.within else ("apiGroups", groups.index(group))
        yield (*path, *at), MentionPlace.RULE


def _find_by_crd_name(value: JsonObject, old: OldKind, path: Path) -> Iterator[Found]:
    """Yield what lists CRDs by name, as a ClusterServiceVersion does."""
    named = value.get("name") == old.old.crd_name and ("kind" in value or "version" in value)
    if named and old.is_old_version(text_at(value, "version")):
        yield (*path, "version" if old.within else "name"), MentionPlace.LISTED


SHAPES: tuple[Shape, ...] = (_find_by_api_version, _find_by_group, _find_in_rule, _find_by_crd_name)
