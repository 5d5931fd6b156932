"""Objects of a document of an export, and lists that have no items to be looked at."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Chapter, Origin, Problem, Rule
from kitgen.load.foreign import ForeignObject, objects_in
from kitgen.schema.wording import shown
from kitgen.yamlio import Json, JsonObject

EXPORT_LIST = Rule(
    id="export-list",
    chapter=Chapter.MIGRATION,
    checks="A list of exported objects has `items`, and they are a list, which may be empty.",
    fix="Export again; what kubectl get prints for no objects is `items: []`.",
    why="An export that was cut or changed on the way looks like one without objects, and all would be lost.",
)

LIST = "List"
OBJECT_PARTS = ("spec", "data")


def objects_of(document: Json, origin: Origin) -> Iterator[ForeignObject]:
    """Yield every object of a document, and every list without items as something that is no object."""
    broken = {each.origin: each for each in _broken(document, origin)}
    yield from broken.values()
    yield from (each for each in objects_in(document, origin) if each.origin not in broken)


def _broken(value: Json, origin: Origin) -> Iterator[ForeignObject]:
    """Yield lists, and lists within lists, whose items are none."""
    waiting = [(value, origin)]
    while waiting:
        body, where = waiting.pop()
        if not isinstance(body, dict) or not str(body.get("kind", "")).endswith(LIST):
            continue
        items = body.get("items")
        if isinstance(items, list):
            waiting += ((item, where.at("items", index)) for index, item in enumerate(items))
        elif "items" in body or _is_list(body):
            yield ForeignObject(body=body, origin=where, problems=(_problem(body),))


def _problem(body: JsonObject) -> Problem:
    hint = "export again; no objects are written items: []"
    if "items" not in body:
        return EXPORT_LIST("found a list without items, expected a list of objects", ("kind",), hint)
    found = shown(body["items"], reveal=False)
    return EXPORT_LIST(f"found {found}, expected a list of objects", ("items",), hint)


def _is_list(body: JsonObject) -> bool:
    """Tell whether something without items is a list: other kinds may be called so, and then have a name."""
    meta = body.get("metadata")
    named = isinstance(meta, dict) and any(meta.get(key) for key in ("name", "generateName"))
    return body["kind"] == LIST or not (named or any(key in body for key in OBJECT_PARTS))
