"""Find mentions of an old kind elsewhere: references, permissions, texts, encoded data, scripts.

They are left unchanged and reported; the content of a text is not shown.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Iterator

from kitgen.findings import Path, Problem, problem
from kitgen.migrate.resources.kinds import MigrationMoves, typed_of
from kitgen.migrate.walks import Node, walk
from kitgen.text.values import map_at, text_at
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import JsonObject

CRD = "CustomResourceDefinition"
LEFT = "it is left as it is"
OBJECT_PARTS = ("metadata", "spec")
"""An object has one of them, what refers to one has none."""
LONGEST = 2_000_000
"""Of data that is decoded."""
ENCODED = {("v1", "Secret"): "data", ("v1", "ConfigMap"): "binaryData"}
PLAIN = {("v1", "Secret"): "stringData", ("v1", "ConfigMap"): "data"}


def is_object(value: JsonObject) -> bool:
    """Return whether a mapping with an apiVersion and a kind is an object, and does not only name one."""
    return any(key in value for key in OBJECT_PARTS)


def named(body: JsonObject, moves: MigrationMoves) -> Iterator[Problem]:
    """Yield what an object of another kind says of old kinds, but for objects that it holds."""
    if body.get("kind") == CRD:
        yield from _definition(body, moves)
        return
    for path, value in walk(body):
        if not isinstance(value, dict):
            continue
        if path and typed_of(value) in moves.old and not is_object(value):
            message = f"found a reference to {' '.join(typed_of(value))}, which moves"
            yield problem("migration-reference", message, (*path, "apiVersion"), LEFT)
        yield from _groups(value, moves, path)


def groups(nodes: Iterable[Node], moves: MigrationMoves) -> Iterator[Problem]:
    """Yield groups that no new kind is of, where permissions and references name groups alone."""
    for path, value in nodes if moves.retired else ():
        if isinstance(value, dict):
            yield from _groups(value, moves, path)


def _groups(value: JsonObject, moves: MigrationMoves, path: Path) -> Iterator[Problem]:
    for key in ("apiGroup", "apiGroups"):
        for at, group in walk(value.get(key)) if key in value else ():
            if len(at) < 2 and isinstance(group, str) and group in moves.retired:
                yield problem("migration-reference", f"found the old group {group}", (*path, key, *at), LEFT)


def _definition(body: JsonObject, moves: MigrationMoves) -> Iterator[Problem]:
    """Yield that the CRD of an old kind is in the export, and whether a server converts its objects."""
    spec, kind = map_at(body, "spec"), text_at(body, "spec", "names", "kind")
    if known := moves.versions.get((text_at(spec, "group"), kind)):
        message = f"found the CRD of {cut(kind)}, which is no resource of it"
        yield problem("migration-reference", message, ("spec", "names", "kind"), LEFT)
        yield from converted(spec, known)


def converted(spec: JsonObject, versions: tuple[str, ...]) -> Iterator[Problem]:
    """Yield that a server converts objects by a webhook: which version was exported is then a choice."""
    if map_at(spec, "conversion").get("strategy") not in (None, "None"):
        message = "found a CRD with a conversion of its own: servers return any version that is asked for"
        hint = f"name the version when exporting, such as {choice(versions[:1])}"
        yield problem("migration-reference", message, ("spec", "conversion"), hint)


def texts(nodes: Iterable[Node], moves: MigrationMoves) -> Iterator[Problem]:
    """Yield texts of what moved that still name an old apiVersion."""
    for path, value in nodes:
        if isinstance(value, str) and (found := moves.said.search(value)):
            yield problem("migration-text", f"found a text that names {found[0]}", path, LEFT)


def held(nodes: Iterable[Node], moves: MigrationMoves) -> Iterator[Problem]:
    """Yield what Secrets and ConfigMaps name, wherever they stand: encoded data, and scripts."""
    for path, value in nodes:
        if not isinstance(value, dict) or (typed := typed_of(value)) not in ENCODED:
            continue
        for key, text in map_at(value, ENCODED[typed]).items():
            plain = decoded(text) if isinstance(text, str) else ""
            if moves.said.search(plain) or moves.spoken.search(plain):
                message = "found encoded data that names an old kind"
                yield problem("migration-text", message, (*path, ENCODED[typed], key), LEFT)
        for key, text in map_at(value, PLAIN[typed]).items():
            if not isinstance(text, str):
                continue
            # Objects in the texts of ConfigMaps move, and what is left of them is told where they do.
            secret = typed == ("v1", "Secret") and moves.said.search(text)
            if found := secret or moves.spoken.search(text):
                yield problem(
                    "migration-text", f"found a text that names {found[0]}", (*path, PLAIN[typed], key), LEFT
                )


def decoded(text: str) -> str:
    """Return the text behind base64; empty if there is none, as of what is packed."""
    try:
        return b64decode("".join(text[:LONGEST].split()), validate=True).decode()
    except ValueError:
        return ""
