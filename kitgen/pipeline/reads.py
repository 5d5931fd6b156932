"""What an expression reads: a value that is computed has more than one place that it comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeAlias

from kitgen.compile import Context
from kitgen.findings import Origin, Path
from kitgen.objects import Source, value_at
from kitgen.yamlio import Json, YamlError
from kitgen.yamlio import read as read_yaml

EXPRESSION = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
WORD = re.compile(r"(?<![\w.])[a-z]\w*")
IMAGE = re.compile(r"\bimages(?:\.(\w+)|\[\s*['\"]([^'\"]+)['\"])")


Look: TypeAlias = Callable[[Origin], Json]
"""Returns what a spec holds at an origin, None where it holds nothing."""


def spec_reader(read: Callable[[str], str | None]) -> Look:
    """Return what looks into specs, and reads each of them once."""

    @cache
    def content(file: str) -> Json:
        try:
            return read_yaml(read(file) or "")
        except YamlError:
            return None

    def look(origin: Origin) -> Json:
        try:
            return value_at(content(origin.file), origin.path)
        except KeyError:
            return None

    return look


def reads(context: Context, path: Path, value: Json) -> Iterator[Source]:
    """Yield the places that an expression in a spec's value reads, for the field that it ended up in."""
    if isinstance(value, dict):
        value = value.get("value")  # of a parameter
    for expression in EXPRESSION.findall(value) if isinstance(value, str) else ():
        for name, where in _places(context, expression):
            yield Source(path=path, rule=f"{name}, which the expression reads", origin=where)


def _places(context: Context, expression: str) -> Iterator[tuple[str, Origin]]:
    names = WORD.findall(QUOTED.sub("", expression))
    if "namespace" in names:
        yield "namespace", context.namespace_origin
    for name in ("prefix", "version"):
        if name in names:
            yield name, context.component.origin.at(name)
    for plain, quoted in IMAGE.findall(expression):
        name = plain or quoted
        if name in context.images:
            yield f"image {name}", context.images[name][1]
