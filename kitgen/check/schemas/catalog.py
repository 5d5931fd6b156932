"""What each minor of Kubernetes serves, and its compiled schemas.

Two minors mostly differ by a few optional fields. Where the newer one accepts everything that the older
one does, an object that fits the older needs no second look. Nor does one that has nothing of what the newer
one may refuse; so most kinds are compiled only once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from kitgen.check.schemas.lenient import lenient
from kitgen.crds.validate.formats import fits_format
from kitgen.crds.validate.rules import FIELDS
from kitgen.kubernetes import Kind, definition, definition_texts, groups, kinds, read_definition
from kitgen.schema.shape import Shape
from kitgen.yamlio import Json, JsonObject

REFERENCE = "#/$defs/"
REFERENCES = re.compile(rb'"\$ref": ?"#/\$defs/([^"]+)"')
METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
ANNOTATIONS = ("description", "default", "format", "title", "example")
LINE_ENDS = re.compile(r"[\r\n]+")


def _is_encoded(text: str) -> bool:
    """Tell whether an API server reads bytes from a text: base64, with line ends anywhere, or nothing."""
    flat = LINE_ENDS.sub("", text)
    return not flat or fits_format("byte", flat)


FORMATS: dict[str, Callable[[str], bool]] = {"byte": _is_encoded, "date-time": lambda _: True}
"""The formats that are held to; a time is mostly written by the server."""


@cache
def is_own(group: str, minors: tuple[int, ...]) -> bool:
    """Tell whether an API group is Kubernetes' own; the group of a CRD always has a dot."""
    return "." not in group or any(group in groups(minor) for minor in minors)


@cache
def serving(kind: Kind, minors: tuple[int, ...]) -> tuple[int, ...]:
    """Return the minors that serve a kind."""
    return tuple(minor for minor in minors if kind in kinds(minor))


@cache
def shape(name: str, minor: int) -> Shape:
    """Return the compiled definition of that name."""
    closure = {each: lenient(each, minor) for each in sorted(closure_of(name, minor))}
    return Shape({"$ref": REFERENCE + name, "$defs": closure}, rules=FIELDS, formats=FORMATS)


def decisive(name: str, body: Json, minors: tuple[int, ...]) -> Iterator[int]:
    """Yield the minors that are enough to look at: if these accept a value, so do the others.

    Whoever takes them one by one stops at the first that refuses it.
    """
    chosen: dict[int, set[str]] = {}
    for minor in minors:
        known = ((old, narrowed(name, old, minor)) for old in chosen)
        if not any(not some or some.isdisjoint(_reached(name, body, old, chosen)) for old, some in known):
            chosen[minor] = set()
            yield minor


def _reached(name: str, body: Json, minor: int, known: dict[int, set[str]]) -> set[str]:
    known[minor] = known[minor] or reached(name, body, minor)
    return known[minor]


def reached(name: str, body: Json, minor: int) -> set[str]:
    """Return the names of the definitions that parts of a value are held to."""
    found: set[str] = set()
    todo: list[tuple[Json, JsonObject]] = [(body, {"$ref": REFERENCE + name})]
    while todo:
        value, schema = todo.pop()
        if "$ref" in schema:
            own = str(schema["$ref"]).removeprefix(REFERENCE)
            found.add(own)
            todo.append((value, definition(own, minor)))
        elif isinstance(value, dict):
            fields, others = schema.get("properties", {}), schema.get("additionalProperties")
            inner = ((item, fields.get(key, others)) for key, item in value.items())
            todo += ((item, each) for item, each in inner if isinstance(each, dict))
        elif isinstance(value, list) and "items" in schema:
            todo += ((item, schema["items"]) for item in value)
    return found


@cache
def closure_of(name: str, minor: int) -> frozenset[str]:
    """Return the names of a definition and of all that it leads to."""
    found, todo = {name}, [name]
    while todo:
        for each in _references(definition_texts(minor)[todo.pop()]):
            if each not in found:
                found.add(each)
                todo.append(each)
    return frozenset(found)


@cache
def _references(text: bytes) -> frozenset[str]:
    return frozenset(name.decode() for name in REFERENCES.findall(text))


@cache
def narrowed(name: str, old: int, new: int) -> frozenset[str]:
    """Return what may refuse values that it accepts in an older minor: a definition, and all it leads to."""
    return frozenset(each for each in closure_of(name, old) if not _grew(each, old, new))


@cache
def _grew(name: str, old: int, new: int) -> bool:
    earlier, later = definition_texts(old)[name], definition_texts(new).get(name)
    return earlier == later or (
        later is not None and _accepts(read_definition(earlier), read_definition(later))
    )


def _accepts(old: Json, new: Json) -> bool:
    """Tell whether `new` surely accepts all that `old` does; when in doubt it does not."""
    if old == new:
        return True
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return False
    for key in {*old, *new}:
        if key in ANNOTATIONS or key.startswith("x-kubernetes-"):
            continue
        if key == "properties":
            if not _fields_grew(old, new):
                return False
        elif key == "required":
            if not set(new.get(key, ())) <= set(old.get(key, ())):
                return False
        elif key in ("items", "additionalProperties"):
            if key not in old or key not in new or not _accepts(old[key], new[key]):
                return False
        elif old.get(key) != new.get(key):
            return False
    return True


def _fields_grew(old: JsonObject, new: JsonObject) -> bool:
    before, after = old.get("properties", {}), new.get("properties", {})
    if any(name not in after or not _accepts(before[name], after[name]) for name in before):
        return False
    # A field that is new to an open mapping could stand there before, with any value.
    return len(after) == len(before) or old.get("additionalProperties") is False
