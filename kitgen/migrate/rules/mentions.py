"""Find where an object mentions an old kind: in its fields, in nested objects, and in plain text.

Of a text, only the spelling of a kind is reported. So are selectors by a key that moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple, TypeAlias

from kitgen.crd.definition import is_crd
from kitgen.findings import Path, Problem, make_problem
from kitgen.migrate.kinds import GroupSpellings, MovedKinds, OldKind
from kitgen.migrate.resources.kinds import build_policies, rename_key
from kitgen.migrate.resources.selectors import find_moved_keys
from kitgen.migrate.rules.kind_references import SHAPES, MentionPlace
from kitgen.migrate.rules.spelling import (
    LONGEST,
    find_framework_name,
    find_spelling,
    find_spelling_lines,
    is_customization_key,
)
from kitgen.migrate.walks import COLLECTIONS
from kitgen.text.values import entries_at, map_at, value_at
from kitgen.text.wording import quote_text
from kitgen.text.yaml import (
    Dialect,
    Json,
    JsonObject,
    YamlError,
    find_lines,
    read_yaml_documents,
)

KEYED = frozenset({"annotations", "finalizers", "labels", "matchLabels", "nodeSelector", "selector"})
"""What holds keys: each is a decision of its own, and the declared ones say it."""
NAMING = frozenset({"group", "apiGroup", "apiGroups", "kind", "version"})
"""A mapping that names a kind by its fields has one of these."""
FRAMEWORKS = frozenset({"externalFrameworks", "frameworks"})
DEEPEST = 4
"""How deep texts may stand in texts."""
HINTS = {
    MentionPlace.OBJECT: "write it anew in the new kind; what is on a cluster has to be carried over",
    MentionPlace.OWNER: "objects get their new owner when resources are carried over",
    MentionPlace.CRD: "keep it until every resource was carried over, then remove it by hand",
    MentionPlace.RULE: "name both while both are served, and the new one alone after that",
    MentionPlace.LISTED: "list both while both are served, and the new one alone after that",
    MentionPlace.CUSTOMIZED: "say the same for the new kind",
    MentionPlace.FRAMEWORK: "add the new kind, and remove the old one once its resources are gone",
}


class KindMention(NamedTuple):
    """One place that speaks of an old kind."""

    path: Path
    old: OldKind
    where: MentionPlace
    spelled: str = ""
    """The words, where they are not group, version and kind."""
    line: int = 0
    """In the text at the path, if it is one."""

    @property
    def problem(self) -> Problem:
        """Return it as a problem of its object."""
        said = quote_text(self.spelled) if self.spelled else self.old.before
        line = f" in line {self.line}" if self.line else ""
        found = f"found {said} {self.where}{line}"
        if self.old.after is None:
            return make_problem("migration-old", f"{found}, which goes: {self.old.reason}", self.path)
        return make_problem(
            "migration-old", f"{found}, expected {self.old.after}", self.path, HINTS.get(self.where, "")
        )


def find_mentions(body: JsonObject, kinds: MovedKinds) -> list[KindMention]:
    """Return every place of an object that speaks of an old kind, each once."""
    if not (speaking := _list_speaking_values(body, kinds.old_groups)):
        return []
    found: dict[tuple[Path, int, str], KindMention] = {}
    for each in _find_in_crd(body, kinds) if is_crd(body) else _find_in_values(speaking, kinds, 0):
        found.setdefault((each.path, each.line, str(each.old.before)), each)
    named = {each.path for each in found.values()}
    groups = () if is_crd(body) else _find_groups(speaking, kinds)
    return [*found.values(), *(each for each in groups if each.path not in named)]


Speaking: TypeAlias = list[tuple[Path, Json]]
"""Texts with an old group in them, and mappings that may name one, in order, each with its path."""


def _list_speaking_values(value: Json, groups: GroupSpellings, path: Path = ()) -> Speaking:
    """Return what a value holds that may speak of an old kind: nothing else needs a closer look."""
    found: Speaking = []
    is_mapping, speaks = isinstance(value, dict), False
    for step, item in value.items() if is_mapping else enumerate(value or ()):
        if isinstance(item, str):
            if groups.occur_in(item):
                found.append(((*path, step), item))
                speaks = True
        elif isinstance(item, COLLECTIONS):
            found += _list_speaking_values(item, groups, (*path, step))
    if is_mapping and (speaks or "apiGroups" in value or groups.occur_in("\n".join(value))):
        return [(path, value), *found]
    return found


def _find_groups(speaking: Speaking, kinds: MovedKinds) -> Iterator[KindMention]:
    """Yield texts that are a group which moves as a whole, or an apiVersion of it, of whatever kind."""
    gone = [each for each in reversed(kinds.old) if each.before.group in kinds.retired_groups]
    names = {name: each for each in gone for name in (each.before.group, each.before.api_version)}
    for path, value in speaking:
        if isinstance(value, str) and not _is_key_path(path) and "managedFields" not in path:
            name = value.rpartition("=")[2]
            if old := names.get(name):
                yield KindMention(path, old, MentionPlace.TEXT, name)


def _find_in_crd(crd: JsonObject, kinds: MovedKinds) -> Iterator[KindMention]:
    """Yield that a CRD serves an old kind, and what its metadata says of others."""
    group, kind = value_at(crd, "spec", "group"), value_at(crd, "spec", "names", "kind")
    for each in kinds.old:
        if not each.within and each.is_old_kind(str(group), str(kind), ""):
            yield KindMention(("spec", "group"), each, MentionPlace.CRD)
        for index, version in entries_at(crd, "spec", "versions") if each.within else ():
            if each.is_old_kind(str(group), str(kind), str(version.get("name"))):
                yield KindMention(("spec", "versions", index, "name"), each, MentionPlace.CRD)
    meta = {key: item for key, item in map_at(crd, "metadata").items() if key != "name"}
    yield from _find_in_values(_list_speaking_values({"metadata": meta}, kinds.old_groups), kinds, 0)


def _find_in_values(speaking: Speaking, kinds: MovedKinds, depth: int) -> Iterator[KindMention]:
    """Yield what speaks of an old kind in a value of any shape."""
    for path, value in speaking:
        if isinstance(value, dict):
            for each, shape in product(kinds.old, SHAPES if NAMING & value.keys() else ()):
                yield from (KindMention(at, each, where) for at, where in shape(value, each, path))
            if not (path and path[-1] in KEYED):
                yield from _find_in_keys(value, kinds, path)
        elif not _is_key_path(path):
            yield from _find_in_text(value, kinds, path, depth)


def _is_key_path(path: Path) -> bool:
    """Return whether a text is the key of a label, an annotation or a finalizer."""
    listed = len(path) > 1 and path[-2] == "finalizers"
    return listed or (path[-1:] == ("key",) and "matchExpressions" in path)


def _find_in_keys(value: JsonObject, kinds: MovedKinds, path: Path) -> Iterator[KindMention]:
    for key in map(str, value):
        for each in (each for each in kinds.old if _can_mention_kind(key, each)):
            if is_customization_key(key, each):
                yield KindMention((*path, key), each, MentionPlace.CUSTOMIZED)
            elif (words := find_spelling(key, each)) and words not in kinds.declared_keys:
                yield KindMention((*path, key), each, MentionPlace.TEXT, words)


def _find_in_text(text: str, kinds: MovedKinds, path: Path, depth: int) -> Iterator[KindMention]:
    """Yield what a text says: it may be an object or a list of them, or words."""
    text = text[:LONGEST]
    some = tuple(each for each in kinds.old if _can_mention_kind(text, each))
    if some and depth < DEEPEST and (documents := _parse_documents(text)):
        yield from _find_in_documents(text, documents, MovedKinds(old=some, keys=kinds.keys), path, depth)
        return
    for each in some:
        if "\n" in text:
            for line, words in find_spelling_lines(text, each, kinds.declared_keys):
                yield KindMention(path, each, MentionPlace.TEXT, words, line)
        elif any(step in FRAMEWORKS for step in path) and (words := find_framework_name(text, each)):
            yield KindMention(path, each, MentionPlace.FRAMEWORK, words)
        elif words := find_spelling(text, each, kinds.declared_keys):
            yield KindMention(path, each, MentionPlace.TEXT, words)


def _find_in_documents(
    text: str, documents: list[Json], kinds: MovedKinds, path: Path, depth: int
) -> Iterator[KindMention]:
    for number, document in enumerate(documents):
        speaking = _list_speaking_values(document, kinds.old_groups)
        found = [*_find_in_values(speaking, kinds, depth + 1)]
        lines = find_lines(text, {each.path for each in found}, document=number) if found else {}
        for each in found:
            # What is a text in a text has a line of its own there, which nobody finds.
            yield each._replace(path=path, line=lines.get(each.path, 0) or each.line or 1)


def _can_mention_kind(text: str, old: OldKind) -> bool:
    group = old.before.group
    return group in text or group.replace(".", "-") in text


def _parse_documents(text: str) -> list[Json]:
    """Return the documents of a text, if it holds data and not words."""
    if not ("\n" in text.strip() or text.lstrip()[:1] in ("{", "[")):
        return []
    try:
        documents = read_yaml_documents(text, dialect=Dialect.TEXT)
    except (YamlError, RecursionError):
        return []
    return documents if all(isinstance(each, dict | list | None) for each in documents) else []


HINT = "choose the policy both in the migration until nothing selects by the old key, or name the new one"


def check_selectors(body: JsonObject, kinds: MovedKinds) -> Iterator[Problem]:
    """Yield where an object selects by a key of which the migration says that another takes its place."""
    for path, key, said in find_moved_keys(body, build_policies(kinds.keys)):
        message = f"found {quote_text(key)} in a selector, which becomes {quote_text(rename_key(key, said))}"
        yield make_problem("migration-selector", message, path, HINT)
