"""Kubernetes' own type definitions, as the kubernetes-validate package ships them.

They are package data that never changes while the program runs, so every layer may read them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple

from kitgen.findings.errors import KitgenError
from kitgen.kube.definition_index import KnownFile, load_index
from kitgen.text.patterns import compile_late
from kitgen.text.yaml import JsonObject

LAST = 10_000
"""A minor that there will not be."""
BOUND = compile_late(r"(>=|<=|>|<|=|)1\.(\d{1,3})$")
SUPPORTED = 3
FOLDER = compile_late(r"v1\.(\d+)\.\d+-local$")
NAMES_KINDS = b'"x-kubernetes-group-version-kind"'
START, ENTRY = b'{\n  "$defs": {', compile_late(rb'\n    "([^"]+)": (?=\{)')
CLOSED = b"\n    }"
END = CLOSED + b"\n  }"
BEFORE = b',\n    "%b": '
"""How a file of definitions begins, what names one, how the last one ends and all of them; what parts two."""


@cache
def _find_schemas_folder() -> Path:
    # Importing the package would pull in jsonschema and cost more than all the reading.
    if (spec := find_spec("kubernetes_validate")) is None or not spec.submodule_search_locations:
        raise KitgenError(
            "the package kubernetes-validate is not installed", hint="pip install kubernetes-validate"
        )
    return Path(spec.submodule_search_locations[0]) / "kubernetes-json-schema"


@cache
def list_minors() -> tuple[int, ...]:
    """Return the minors of Kubernetes 1 whose definitions are known, oldest first."""
    return tuple(
        sorted(
            int(match[1]) for each in _find_schemas_folder().iterdir() if (match := FOLDER.match(each.name))
        )
    )


def find_definition_files() -> list[Path]:
    """Return the files of definitions, a folder each."""
    return sorted(_find_schemas_folder().glob("*-local*/_definitions.json"))


class Layout(NamedTuple):
    """What a file of definitions holds."""

    names: list[str]
    """Of definitions, in the order of the file."""
    lengths: list[int]
    """Of each, in bytes; 0 stands for one that the file lacks."""


class Texts(Mapping[str, bytes]):
    """The definitions of a file as JSON texts, by their full names; each is cut out when it is needed.

    Most definitions are the same in many minors, and few are needed: to cut the file and compare texts is
    much quicker than to read it all.
    """

    def __init__(self, text: bytes | mmap, layout: Layout | None = None) -> None:
        """Find out where the definitions are; a file of another layout is read, and written in this one."""
        self.text = text if layout else _normalize_layout(text)
        layout = layout or read_layout(self.text)
        self.places: dict[str, tuple[int, int]] = {}
        self.found: dict[str, bytes] = {}
        end, between = len(START) - len(b","), len(BEFORE % b"")
        for name, length in zip(layout.names, layout.lengths, strict=True):
            if length:
                start = end + between + len(name.encode())
                end = start + length
                self.places[name] = (start, end)

    def __getitem__(self, name: str) -> bytes:
        if name not in self.found:
            start, end = self.places[name]
            self.found[name] = self.text[start:end]
        return self.found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def find_key(self, key: bytes) -> Iterator[tuple[str, bytes]]:
        """Yield the definitions that hold a key, each with what stands from there on."""
        yield from (
            (name, self.text[at:end])
            for name, (start, end) in self.places.items()
            if (at := self.text.rfind(key, start, end)) >= 0
        )


def read_layout(text: bytes | mmap) -> Layout:
    """Find the definitions in a file."""
    end = text.rfind(END) + len(CLOSED)
    entries = [(match[1].decode(), *match.span()) for match in ENTRY.finditer(text, 0, end)]
    ends = [*(start for _, start, _ in entries[1:]), end + len(b",")]
    lengths = [to - len(b",") - at for (_, _, at), to in zip(entries, ends, strict=True)]
    return Layout([name for name, _, _ in entries], lengths)


def _normalize_layout(text: bytes | mmap) -> bytes | mmap:
    import orjson

    if text[: len(START)] == START and (end := text.rfind(END)) >= 0 and b"{" not in text[end + len(END) :]:
        return text
    found = orjson.loads(text[:])["$defs"].items()
    entries = (BEFORE % name.encode() + orjson.dumps(each)[:-1] + CLOSED for name, each in found)
    return START + b"".join(entries)[1:] + b"\n  }"


def definition_texts(minor: int, *, strict: bool = True) -> Texts:
    """Return every definition of a minor by its full name, such as io.k8s.api.core.v1.Pod.

    A strict one refuses unknown fields. References look like `/api/_definitions.json#/$defs/NAME`.
    """
    return _open_definitions(minor, strict)


@cache
def _open_definitions(minor: int, strict: bool) -> Texts:
    with _find_file(minor, strict).open("rb") as file:
        text = mmap(file.fileno(), 0, access=ACCESS_READ)  # most of it is never copied
    known = _recall_file(minor, strict)
    return Texts(text, Layout(load_index().names, known.lengths) if known else None)


def _find_file(minor: int, strict: bool) -> Path:
    if minor not in list_minors():
        known = f"1.{list_minors()[0]} to 1.{list_minors()[-1]}"
        raise KitgenError(f"Kubernetes 1.{minor} is not known", hint=f"known are {known}")
    folder = f"v1.{minor}.0-local" + ("-strict" if strict else "")
    return _find_schemas_folder() / folder / "_definitions.json"


@cache
def _recall_file(minor: int, strict: bool) -> KnownFile | None:
    """Return what is known of a file of definitions without reading it."""
    path = _find_file(minor, strict)
    return load_index().find_file(path.parent.name, path.stat().st_size)


def list_supported_minors() -> tuple[int, ...]:
    """Return the newest minors that are known, as many as the project supports at a time."""
    return list_minors()[-SUPPORTED:]


class Kind(NamedTuple):
    """Group, version and kind of an object."""

    group: str
    version: str
    kind: str

    def __str__(self) -> str:
        return f"{self.api_version} {self.kind}"

    @property
    def api_version(self) -> str:
        """Return group and version as a manifest writes them."""
        return f"{self.group}/{self.version}" if self.group else self.version


@cache
def list_kinds(minor: int) -> dict[Kind, str]:
    """Return the kinds that a minor serves and the names of their definitions."""
    if known := _recall_file(minor, True):
        every = _list_known_kinds()
        return dict(every[number] for number in known.kinds)
    return search_kinds(definition_texts(minor))


@cache
def _list_known_kinds() -> list[tuple[Kind, str]]:
    return [(Kind(*kind), name) for *kind, name in load_index().kinds]


def search_kinds(texts: Texts) -> dict[Kind, str]:
    """Return the kinds that definitions are of, and the names of these."""
    # The key stands behind the fields, so that all before it need not be read.
    return {kind: name for name, text in texts.find_key(NAMES_KINDS) for kind in _parse_kinds(text)}


@cache
def list_forms(minor: int) -> Mapping[str, int | bytes]:
    """Return what is the same in two minors only if they have a definition alike, save for words, by name."""
    if known := _recall_file(minor, True):
        return {name: form for name, form in zip(load_index().names, known.forms, strict=True) if form}
    return definition_texts(minor)


@cache
def find_unfit_types(minor: int) -> frozenset[str] | None:
    """Return the names of the definitions that no CRD can hold as they are; None if that is not known."""
    known = _recall_file(minor, False)
    return frozenset(load_index().names[number] for number in known.unfit) if known else None


@cache
def _parse_kinds(text: bytes) -> tuple[Kind, ...]:
    import orjson

    (named, *_) = orjson.loads(b"{" + text).values()
    return tuple(Kind(each["group"], each["version"], each["kind"]) for each in named)


@cache
def read_definition(text: bytes) -> JsonObject:
    """Read a definition; minors that have it alike share the result."""
    import orjson

    data: JsonObject = orjson.loads(text)
    return data


def get_definition(name: str, minor: int, *, strict: bool = True) -> JsonObject:
    """Return a definition as data; callers share it and must not change it."""
    return read_definition(definition_texts(minor, strict=strict)[name])


@cache
def list_api_groups(minor: int) -> frozenset[str]:
    """Return the API groups that a minor knows; the core group is empty."""
    return frozenset(kind.group for kind in list_kinds(minor))


def parse_minors(text: str) -> tuple[int, ...]:
    """Return the minors of a range such as `>=1.27 <=1.32`, oldest first.

    Both ends must be said and known: what a kit is checked with must not hang on what is installed.
    """
    first, last = _parse_bounds(text)
    known = list_minors()
    if not first or last == LAST:
        missing, example = ("first", f">=1.{known[0]}") if not first else ("last", f"<=1.{known[-1]}")
        raise ValueError(f"found no {missing} minor, expected one such as {example}")
    if first not in known or last not in known:
        strange = first if first not in known else last
        raise ValueError(f"found the unknown minor 1.{strange}, expected one of {format_minors(known)}")
    return tuple(minor for minor in known if first <= minor <= last)


def select_minors(some: tuple[int, ...], text: str) -> tuple[int, ...]:
    """Return those of some minors that are in a range, which may be open at an end."""
    first, last = _parse_bounds(text)
    if (first, last) == (0, LAST):
        raise ValueError("found a range without a minor, expected one such as >=1.27")
    return tuple(minor for minor in some if first <= minor <= last)


def _parse_bounds(text: str) -> tuple[int, int]:
    """Return the first and the last minor of a range; an end that is not said is out of reach."""
    first, last = 0, LAST
    for part in re.sub(r"([<>=])\s+", r"\1", text).replace(",", " ").split():
        if not (match := BOUND.match(part)):
            raise ValueError(f"found {part!r}, expected a minor with a comparison, such as >=1.27")
        sign, minor = match[1], int(match[2])
        if sign in (">=", ">", "=", ""):
            first = max(first, minor + (sign == ">"))
        if sign in ("<=", "<", "=", ""):
            last = min(last, minor - (sign == "<"))
    if first > last:
        raise ValueError(f"found a range that holds no minor, from 1.{first} to 1.{last}")
    return first, last


def format_minors(some: Iterable[int]) -> str:
    """Write minors as people say them: `1.27 to 1.29 and 1.31`."""
    runs: list[tuple[int, int]] = []
    for minor in sorted(set(some)):
        follows = runs and runs[-1][1] == minor - 1
        runs.append((runs.pop()[0] if follows else minor, minor))
    parts = [f"1.{first}" if first == last else f"1.{first} to 1.{last}" for first, last in runs]
    return ", ".join([*parts[:-2], " and ".join(parts[-2:])])
