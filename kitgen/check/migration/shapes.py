"""Parts of objects that name kinds, told by their shape: who has them does not matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import TypeAlias

from kitgen.check.migration.argocd import in_project
from kitgen.check.migration.kinds import OldKind
from kitgen.findings import Path
from kitgen.objects import split_api_version
from kitgen.yamlio import Json, JsonObject


class Where(StrEnum):
    """What speaks of a kind, in the words of findings."""

    OBJECT = "as the kind of an object"
    OWNER = "as an owner"
    REFERENCE = "in a reference"
    CRD = "in the CRD that serves it"
    API = "in an APIService"
    RULE = "in a rule"
    LISTED = "in a list of kinds"
    CUSTOMIZED = "in what Argo CD is told"
    FRAMEWORK = "as a framework of Kueue"
    COMMAND = "in a command"
    VARIABLE = "in an environment variable"
    TEXT = "in a text"


Found: TypeAlias = tuple[Path, Where]
Shape: TypeAlias = Callable[[JsonObject, OldKind, Path], Iterator[Found]]


def in_mapping(value: JsonObject, old: OldKind, path: Path) -> Iterator[Found]:
    """Yield where a mapping itself, not what is below it, names the old kind."""
    for shape in SHAPES:
        yield from shape(value, old, path)


def _typed(value: JsonObject, old: OldKind, path: Path) -> Iterator[Found]:
    """Yield an object, a reference or an owner: apiVersion and kind."""
    said, kind = value.get("apiVersion"), value.get("kind")
    if isinstance(said, str) and isinstance(kind, str):
        group, version = split_api_version(said)
        if old.is_old(group, kind, version) or old.is_old(group, kind.removesuffix("List"), version):
            owner = "ownerReferences" in path
            whole = not path or "metadata" in value
            where = Where.OWNER if owner else Where.OBJECT if whole else Where.REFERENCE
            yield (*path, "apiVersion"), where


def _grouped(value: JsonObject, old: OldKind, path: Path) -> Iterator[Found]:
    """Yield what names a group beside a kind or resources: Argo CD, OLM, and references."""
    version = _text(value.get("version"))
    for key in ("group", "apiGroup"):
        group = value.get(key)
        if not isinstance(group, str):
            continue
        resources = [_text(value.get("resource")), *_texts(value, "resources")]
        if old.is_old(group, _text(value.get("kind")), version) or any(
            each and old.is_old_resource(group, each) and old.is_old_version(version) for each in resources
        ):
            yield (*path, key), Where.REFERENCE


def _ruled(value: JsonObject, old: OldKind, path: Path) -> Iterator[Found]:
    """Yield rules of roles, webhooks and policies: groups beside resources or kinds."""
    groups, versions = _texts(value, "apiGroups"), _texts(value, "apiVersions")
    group = old.before.group
    if group not in groups or (old.within and old.before.version not in versions):
        return
    kinds = {old.before.kind, "*"}
    resources = any(old.is_old_resource(group, each) for each in _texts(value, "resources"))
    if resources or kinds & {*_texts(value, "kinds")}:
        if old.within:
            yield (*path, "apiVersions", versions.index(old.before.version)), Where.RULE
        else:
            yield (*path, "apiGroups", groups.index(group)), Where.RULE


def _listed(value: JsonObject, old: OldKind, path: Path) -> Iterator[Found]:
    """Yield what lists CRDs by name, as a ClusterServiceVersion does."""
    named = value.get("name") == old.old_crd and ("kind" in value or "version" in value)
    if named and old.is_old_version(_text(value.get("version"))):
        yield (*path, "version" if old.within else "name"), Where.LISTED


def _projected(value: JsonObject, old: OldKind, path: Path) -> Iterator[Found]:
    """Yield what a project of Argo CD allows or forbids by a pattern."""
    if in_project(value, old, path):
        yield (*path, "group"), Where.CUSTOMIZED


SHAPES: tuple[Shape, ...] = (_typed, _grouped, _ruled, _listed, _projected)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: JsonObject, key: str) -> list[str]:
    """Return the words of a list, each at its place."""
    found: Json = value.get(key)
    return [_text(each) for each in found] if isinstance(found, list) else []
