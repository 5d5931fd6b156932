"""JSON Schemas of what commands print with `--output json`, made from the records that are printed.

A record is a Struct. Its docstring is the title of the schema, the text beneath a field describes the field.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct, UnsetType
from msgspec.structs import fields

from kitgen.text.yaml import JsonObject

KITGEN = Path(__file__).resolve().parent.parent / "kitgen"
DECLARED = re.compile(r'^class (\w+)\(ResultDocument,[^)]*tag="kitgen/(\w+)/v\d+"\)', re.MULTILINE)
DOCUMENTS = {
    name: f"{'.'.join(file.relative_to(KITGEN.parent).with_suffix('').parts)}:{record}"
    for file in sorted(KITGEN.rglob("*.py"))
    for record, name in DECLARED.findall(file.read_text(encoding="utf-8"))
}
"""Name of a document → the module and the class of its record."""
REMARKS = {"notes": "; templates do not get it"}
"""What else there is to say of the first key of a document."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"
SIMPLE = {str: "string", int: "integer", bool: "boolean", float: "number", NoneType: "null"}
LIMITS = {"ge": "minimum", "min_length": "minItems"}
"""What a type can require beside its form → the word for it."""


def output_schemas() -> dict[str, str]:
    """Return the text of each schema, by its path."""
    return {
        f"schemas/output/{name}.json": f"{json.dumps(output_schema(name), indent=2, ensure_ascii=False)}\n"
        for name in DOCUMENTS
    }


@cache
def output_schema(name: str) -> JsonObject:
    """Return the schema of a document."""
    module, _, record = DOCUMENTS[name].partition(":")
    cls = getattr(importlib.import_module(module), record)
    defs: dict[type[Struct], JsonObject] = {}
    title = _sentence(inspect.getdoc(cls) or "")
    said = f"Name and version of this form{REMARKS.get(name, '')}"
    form = {"const": cls.__struct_config__.tag, "description": said}
    schema = _object(cls, defs)
    schema["required"].insert(0, cls.__struct_config__.tag_field)
    schema["properties"] = {cls.__struct_config__.tag_field: form, **schema["properties"]}
    schema = {"$schema": DIALECT, "$id": f"output/{name}.json", "title": title, **schema}
    if defs:
        schema["$defs"] = {each.__name__: defs[each] for each in sorted(defs, key=lambda cls: cls.__name__)}
    return schema


def _object(cls: type[Struct], defs: dict[type[Struct], JsonObject]) -> JsonObject:
    """Return the schema of a record; fields that may be unset are optional."""
    hints = get_type_hints(cls, include_extras=True)
    about = dict(_descriptions(cls))
    properties, required = {}, []
    for each in fields(cls):
        given = _schema(hints[each.name], defs)
        said = {"description": about[each.name]} if each.name in about else {}
        properties[each.encode_name] = {**given, **said}
        if UnsetType not in get_args(hints[each.name]):
            required.append(each.encode_name)
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": False}


def _descriptions(cls: type[Struct]) -> Iterator[tuple[str, str]]:
    """Yield fields and the texts beneath them, those of base classes first."""
    for base in reversed(cls.__mro__):
        if not issubclass(base, Struct) or base.__module__.startswith("msgspec"):
            continue
        tree = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0]
        assert isinstance(tree, ast.ClassDef)
        for one, other in zip(tree.body, tree.body[1:], strict=False):
            match one, other:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    yield name, _sentence(inspect.cleandoc(text))


def _sentence(text: str) -> str:
    """Return the first paragraph of a docstring on one line, without the full stop."""
    return " ".join(text.partition("\n\n")[0].split()).removesuffix(".")


def _schema(hint: Any, defs: dict[type[Struct], JsonObject]) -> JsonObject:
    """Return the schema of a type."""
    args: Sequence[Any] = get_args(hint)
    match get_origin(hint):
        case origin if origin is Annotated:
            limits = (each for each in args[1:] if isinstance(each, Meta))
            words = {LIMITS[key]: value for each in limits for key, value in _limits(each)}
            return {**_schema(args[0], defs), **words}
        case origin if origin in (Union, UnionType):
            return _either([_schema(each, defs) for each in args if each is not UnsetType])
        case origin if origin is Literal:
            return {"enum": [each.value if isinstance(each, Enum) else each for each in args]}
        case None:
            return _plain(hint, defs)
        case origin if issubclass(origin, Mapping):
            return {
                "type": "object",
                **({} if args[1] is Any else {"additionalProperties": _schema(args[1], defs)}),
            }
        case origin if issubclass(origin, Iterable):
            return {"type": "array", "items": _schema(args[0], defs)}
    raise TypeError(hint)


def _limits(meta: Meta) -> Iterator[tuple[str, int]]:
    return ((key, getattr(meta, key)) for key in LIMITS if getattr(meta, key) is not None)


def _plain(hint: Any, defs: dict[type[Struct], JsonObject]) -> JsonObject:
    if hint is Any:
        return {}
    if issubclass(hint, Enum):
        return {"enum": [each.value for each in hint]}
    if issubclass(hint, Struct):
        if hint not in defs:
            defs[hint] = {}
            defs[hint] |= {"description": _sentence(inspect.getdoc(hint) or ""), **_object(hint, defs)}
        return {"$ref": f"#/$defs/{hint.__name__}"}
    return {"type": SIMPLE[hint]}


def _either(options: list[JsonObject]) -> JsonObject:
    """Return the schema of what may be several things; null goes into the schema of the other if it can."""
    others = [each for each in options if each != {"type": "null"}]
    if len(others) > 1 or "$ref" in others[0]:
        return {"anyOf": sorted(options, key=lambda each: each not in others, reverse=True)}
    (other,) = others
    if len(options) == 1:
        return other
    return (
        {**other, "enum": [*other["enum"], None]}
        if "enum" in other
        else {**other, "type": [other["type"], "null"]}
    )
