"""What names an old kind and is no object of it: references, permissions, texts.

What Secrets and ConfigMaps hold of old kinds and is not changed: encoded data, and scripts.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator

from kitgen.findings import Path, Problem, rule
from kitgen.migrate.resources.kinds import MigrationMoves, typed_of
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import Json, JsonObject

MIGRATION_REFERENCE = rule("migration-reference")
MIGRATION_TEXT = rule("migration-text")

CRD = "CustomResourceDefinition"
LEFT = "it is left as it is"
OBJECT_PARTS = ("metadata", "spec")
"""An object has one of them, what refers to one has none."""


def is_object(value: JsonObject) -> bool:
    """Tell whether a mapping with an apiVersion and a kind is an object, and does not only name one."""
    return any(key in value for key in OBJECT_PARTS)


def named(body: JsonObject, moves: MigrationMoves) -> Iterator[Problem]:
    """Yield what an object of another kind says of old kinds, but for objects that it holds."""
    if body.get("kind") == CRD:
        yield from _definition(body, moves)
    else:
        yield from _named(body, moves, ())


def _named(value: Json, moves: MigrationMoves, path: Path) -> Iterator[Problem]:
    if isinstance(value, dict):
        if path and typed_of(value) in moves.old and not is_object(value):
            message = f"found a reference to {' '.join(typed_of(value))}, which moves"
            yield MIGRATION_REFERENCE(message, (*path, "apiVersion"), LEFT)
        yield from groups(value, moves, path)
    if isinstance(value, dict | list):
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _named(item, moves, (*path, step))


def groups(value: JsonObject, moves: MigrationMoves, path: Path) -> Iterator[Problem]:
    """Yield groups that no new kind is of, where permissions and references name groups alone."""
    for key in ("apiGroup", "apiGroups"):
        said = value.get(key)
        for index, group in enumerate(said if isinstance(said, list) else [said]):
            if isinstance(group, str) and group in moves.retired:
                message = f"found the old group {group}"
                yield MIGRATION_REFERENCE(message, (*path, key, *([index] * isinstance(said, list))), LEFT)


def groups_within(value: Json, moves: MigrationMoves, path: Path = ()) -> Iterator[Problem]:
    """Yield such groups of all that a value holds."""
    if not moves.retired:
        return
    if isinstance(value, dict):
        yield from groups(value, moves, path)
    if isinstance(value, dict | list):
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(item, dict | list):
                yield from groups_within(item, moves, (*path, step))


def _definition(body: JsonObject, moves: MigrationMoves) -> Iterator[Problem]:
    """Yield that the CRD of an old kind is in the export, and whether a server converts its objects."""
    spec = body.get("spec")
    names = spec.get("names") if isinstance(spec, dict) else None
    if not isinstance(spec, dict) or not isinstance(names, dict):
        return
    known = moves.versions.get((str(spec.get("group")), str(names.get("kind"))))
    if known is None:
        return
    message = f"found the CRD of {cut(str(names.get('kind')))}, which is no resource of it"
    yield MIGRATION_REFERENCE(message, ("spec", "names", "kind"), LEFT)
    yield from converted(spec, known)


def converted(spec: JsonObject, versions: tuple[str, ...]) -> Iterator[Problem]:
    """Yield that a server converts objects by a webhook: which version was exported is then a choice."""
    conversion = spec.get("conversion")
    if isinstance(conversion, dict) and conversion.get("strategy") not in (None, "None"):
        message = "found a CRD with a conversion of its own: servers return any version that is asked for"
        hint = f"name the version when exporting, such as {choice(versions[:1])}"
        yield MIGRATION_REFERENCE(message, ("spec", "conversion"), hint)


def texts(value: Json, moves: MigrationMoves, path: Path = ()) -> Iterator[Problem]:
    """Yield texts of what moved that still name an old apiVersion; what they say is not shown."""
    if isinstance(value, str):
        if found := moves.said.search(value):
            message = f"found a text that names {found[0]}"
            yield MIGRATION_TEXT(message, path, LEFT)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts(item, moves, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from texts(item, moves, (*path, index))


LONGEST = 2_000_000
"""Of data that is decoded."""
ENCODED = {("v1", "Secret"): "data", ("v1", "ConfigMap"): "binaryData"}
PLAIN = {("v1", "Secret"): "stringData", ("v1", "ConfigMap"): "data"}


def held(value: Json, moves: MigrationMoves, path: Path = ()) -> Iterator[Problem]:
    """Yield what such objects name, wherever they stand; what they say is not shown."""
    if isinstance(value, dict):
        if typed_of(value) in ENCODED:
            yield from _named_held(value, moves, path)
            return
        for key, item in value.items():
            if isinstance(item, dict | list):
                yield from held(item, moves, (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            if isinstance(item, dict | list):
                yield from held(item, moves, (*path, at))


def _named_held(value: JsonObject, moves: MigrationMoves, path: Path) -> Iterator[Problem]:
    typed = typed_of(value)
    for key, text in _texts(value, ENCODED[typed]):
        if moves.said.search(decoded := _decoded(text)) or moves.spoken.search(decoded):
            yield MIGRATION_TEXT(
                "found encoded data that names an old kind", (*path, ENCODED[typed], key), LEFT
            )
    for key, text in _texts(value, PLAIN[typed]):
        # Objects in the texts of ConfigMaps move, and what is left of them is told where they do.
        secret = typed == ("v1", "Secret") and moves.said.search(text)
        if found := secret or moves.spoken.search(text):
            yield MIGRATION_TEXT(f"found a text that names {found[0]}", (*path, PLAIN[typed], key), LEFT)


def _texts(value: JsonObject, field: str) -> Iterator[tuple[str, str]]:
    data = value.get(field)
    for key, text in data.items() if isinstance(data, dict) else ():
        if isinstance(text, str):
            yield key, text


def _decoded(text: str) -> str:
    """Return the text behind base64; empty if there is none, as of what is packed."""
    try:
        return b64decode("".join(text[:LONGEST].split()), validate=True).decode()
    except ValueError:
        return ""
