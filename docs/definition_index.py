"""Write down what follows from the files of the package kubernetes-validate alone: `make docs`.

To find that out costs every run, so kitgen reads this. It holds for files of the same size; others
are read and compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import orjson

from kitgen.check.schemas.catalog import is_compatible_schema
from kitgen.crd.types import TypeNameError, Types, list_type_faults, short_name
from kitgen.kube.definitions import (
    Kind,
    Texts,
    find_definition_files,
    list_minors,
    read_definition,
    read_layout,
    search_kinds,
)
from kitgen.text.yaml import JsonObject

ROOT = Path(__file__).resolve().parent.parent
INDEX = "kitgen/kube/definitions.json"
STRICT = "-strict"


class DefinitionFile(NamedTuple):
    """One file, and what is found in it; names stand for their definitions."""

    size: int
    lengths: Mapping[str, int]
    kinds: Mapping[Kind, str]
    forms: Mapping[str, int]
    unfit: frozenset[str]


def indexed() -> str:
    """Return the index, a line for each file."""
    forms: dict[str, list[bytes]] = {}
    minors = {f"v1.{minor}.0-local": minor for minor in list_minors()}
    paths = {path.parent.name: path for path in find_definition_files()}
    files = {
        folder: _read_file(paths[folder].read_bytes(), minor, forms, strict=bool(ending))
        for ending in ("", STRICT)
        for folder, minor in ((f"{start}{ending}", minor) for start, minor in minors.items())
    }
    names = sorted({name for each in files.values() for name in each.lengths})
    kinds = sorted({(*kind, name) for each in files.values() for kind, name in each.kinds.items()})
    rows = {folder: _number(each, names, kinds) for folder, each in files.items()}
    parts = {
        "names": _list_lines(map(_compact, names)),
        "kinds": _list_lines(map(_compact, kinds)),
        "narrowed": _list_lines(map(_compact, _find_narrowed(forms))),
        "files": "{\n" + ",\n".join(f'"{folder}": {_compact(rows[folder])}' for folder in rows) + "\n}",
    }
    return "{" + ",\n".join(f'"{name}": {text}' for name, text in parts.items()) + "}\n"


def _read_file(data: bytes, minor: int, forms: dict[str, list[bytes]], *, strict: bool) -> DefinitionFile:
    layout = read_layout(data)
    texts = Texts(data, layout)
    lengths = dict(zip(layout.names, layout.lengths, strict=True))
    if not strict:
        return DefinitionFile(len(data), lengths, {}, {}, frozenset(_find_unfit_types(minor, texts)))
    return DefinitionFile(len(data), lengths, search_kinds(texts), _number_forms(texts, forms), frozenset())


def _number_forms(texts: Texts, forms: dict[str, list[bytes]]) -> dict[str, int]:
    """Return which form each definition has, from 1 on; new ones are added to those that are known."""
    found = {}
    for name, text in texts.items():
        form = orjson.dumps(_drop_words(read_definition(text)), option=orjson.OPT_SORT_KEYS)
        known = forms.setdefault(name, [])
        if form not in known:
            known.append(form)
        found[name] = known.index(form) + 1
    return found


def _drop_words(schema: JsonObject) -> JsonObject:
    """Return a schema with what is validated by it, and nothing else."""
    kept = {key: value for key, value in schema.items() if key != "description" and not key.startswith("x-")}
    for key in ("items", "additionalProperties"):
        if isinstance(kept.get(key), dict):
            kept[key] = _drop_words(kept[key])
    if "properties" in kept:
        kept["properties"] = {name: _drop_words(below) for name, below in kept["properties"].items()}
    return kept


def _find_narrowed(forms: Mapping[str, list[bytes]]) -> Iterator[tuple[str, int, int]]:
    """Yield the definitions with two forms, the later of which may refuse what the earlier accepts."""
    for name, some in sorted(forms.items()):
        schemas = [(number, orjson.loads(form)) for number, form in enumerate(some, 1)]
        for old, before in schemas:
            yield from (
                (name, old, new)
                for new, after in schemas
                if new != old and not is_compatible_schema(before, after)
            )


def _find_unfit_types(minor: int, texts: Texts) -> Iterator[str]:
    """Yield the definitions that no CRD can hold as they are, by themselves or for others in them."""
    types = Types(minor)
    known: dict[str, bool] = {}

    def is_unfit(name: str) -> bool:
        if name not in known:
            try:
                faults = list_type_faults(types.get_schema(name))
                known[name] = any(fault or is_unfit(inner) for inner, fault in faults)
            except TypeNameError:
                known[name] = True
        return known[name]

    yield from (full for full in texts if is_unfit(short_name(full)))


def _number(
    file: DefinitionFile, names: list[str], kinds: list[tuple[str, str, str, str]]
) -> tuple[int, list[int], list[int], list[int], list[int]]:
    """Return what is found in a file as it is kept: names and kinds by their numbers."""
    served = [kinds.index((*kind, name)) for kind, name in file.kinds.items()]
    forms = [file.forms.get(name, 0) for name in names] if file.forms else []
    unfit = [number for number, name in enumerate(names) if name in file.unfit]
    return file.size, [file.lengths.get(name, 0) for name in names], served, forms, unfit


def _list_lines(rows: Iterable[str]) -> str:
    return "[\n" + ",\n".join(rows) + "\n]"


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


if __name__ == "__main__":
    (ROOT / INDEX).write_text(indexed(), encoding="utf-8")
