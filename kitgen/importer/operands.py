"""Images of operands, which an operator has in its variables: each is said once, by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from kitgen.compile.families.inverse.params import is_image
from kitgen.findings import Path
from kitgen.importer.expression import Expression
from kitgen.importer.older import Layered
from kitgen.importer.trees import Read
from kitgen.objects import value_at
from kitgen.yamlio import Json

NAMED = re.compile(r"""\{\{ *images(?:\.(\w+)|\[["']([\w.-]+)["']\]) *\}\}""")


def name_operands(reads: Sequence[Read]) -> list[Read]:
    """Return trees whose variables name images, as parameters of one of them or an older spec do."""
    names = {path: name for read in reads for path, name in (*_before(read), *_followers(read))}
    return [_naming(read, names) for read in reads] if names else list(reads)


def _before(read: Read) -> Iterator[tuple[Path, str]]:
    """Yield the variables that are the image of a name in the older spec."""
    for layer in read.layers:
        for container, each in (layer.written.get("deployment") or {}).get("containers", {}).items():
            for key, text in each.get("env", {}).items():
                if isinstance(text, str) and (found := NAMED.fullmatch(text)):
                    yield ("deployment", "containers", container, "env", key), found[1] or found[2]


def _followers(read: Read) -> Iterator[tuple[Path, str]]:
    """Yield the variables that follow the image of a parameter."""
    keys: Json = (read.taken.sections.get("params") or {}).get("keys", {})
    for key, each in keys.items():
        if "image" in each and "env" in each:
            yield ("deployment", "containers", each["env"], "env", key), each["image"]


def _naming(read: Read, names: Mapping[Path, str]) -> Read:
    images, wanted = dict(read.taken.images), dict(read.wanted)
    for path, name in names.items():
        value = wanted.get(path)
        if isinstance(value, str) and is_image(value) and images.setdefault(name, value) == value:
            wanted[path] = _said(path, name, read.layers)
    return replace(read, taken=replace(read.taken, images=images), wanted=wanted)


def _said(path: Path, name: str, layers: Sequence[Layered]) -> Json:
    """Return an expression for an image, or what it was in an older spec that has it in the same place."""
    for layer in layers:
        try:
            found = NAMED.fullmatch(str(value_at(layer.written, path)))
            if found and name in found.groups():
                return value_at(layer.words, path)
        except LookupError:
            continue
    plain = name.isidentifier() and not hasattr(dict, name)
    return Expression(f"{{{{ images.{name} }}}}" if plain else f'{{{{ images["{name}"] }}}}')
