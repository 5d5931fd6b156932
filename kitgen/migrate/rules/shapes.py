"""Parts of objects that name kinds, told by their shape: who has them does not matter.

What Argo CD is told of kinds by patterns: lists of a project, and what it includes and excludes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TypeAlias

from kitgen.findings import Path
from kitgen.kube.identity import split_api_version
from kitgen.migrate.kinds import OldKind
from kitgen.text.yaml import Dialect, Json, JsonObject, YamlError, lines_of, read_all

LISTS = frozenset(
    f"{scope}Resource{kind}" for scope in ("cluster", "namespace") for kind in ("Whitelist", "Blacklist")
)
"""Of an AppProject."""
TEXTS = frozenset({"resource.inclusions", "resource.exclusions", "resourceInclusions", "resourceExclusions"})
"""Of argocd-cm, and of what an operator makes it from."""
WILD = frozenset("*?[{")


def in_project(value: JsonObject, old: OldKind, path: Path) -> bool:
    """Tell whether an entry of a project's list means the old kind by a pattern, and not the new one."""
    if len(path) < 2 or path[-2] not in LISTS:
        return False
    return _misses(str(value.get("group", "")), str(value.get("kind", "")), old)


def in_setting(text: str, old: OldKind) -> Iterator[tuple[int, str]]:
    """Yield the lines of such a setting with a pattern that means the old kind, and not the new one."""
    try:
        documents = read_all(text, dialect=Dialect.TEXT)
    except (YamlError, RecursionError):
        return
    entries: Json = documents[0] if documents else None
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if not isinstance(entry, dict):
            continue
        kinds = _words(entry, "kinds") or ["*"]
        for at, group in enumerate(_words(entry, "apiGroups")):
            wild = WILD & {*group}  # a group as it is called is found as in any rule
            if wild and any(_misses(group, kind, old) for kind in kinds):
                path = (index, "apiGroups", at)
                yield lines_of(text, {path})[path], group


def _misses(group: str, kind: str, old: OldKind) -> bool:
    if old.after is None or old.within or not WILD & {*group, *kind}:
        return False
    was, now = (_meant(group, each.group) and _meant(kind, each.kind) for each in (old.before, old.after))
    return was and not now


def _meant(pattern: str, name: str) -> bool:
    return fnmatchcase(name, pattern)


def _words(entry: JsonObject, key: str) -> list[str]:
    found: Json = entry.get(key)
    return [str(each) for each in found] if isinstance(found, list) else []


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
    named = value.get("name") == old.old.crd_name and ("kind" in value or "version" in value)
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
