"""Read spec files safely, and attribute schema errors of a merged spec to the file that causes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from kitgen.files.read import MAX_TOTAL
from kitgen.files.results import decode_value, encode_value, remember, remember_whether
from kitgen.files.root import MARK
from kitgen.files.tree import FILE_SIZE, Disk, Files, decode_text
from kitgen.findings import Finding, Origin, Problem, format_pointer, make_problem
from kitgen.findings import Path as Path_origin
from kitgen.kit.merge import SpecValue
from kitgen.kit.model.component import SectionForm, list_section_forms, required_keys
from kitgen.text.schema_check import Shape, compile_schema
from kitgen.text.values import map_at
from kitgen.text.yaml import (
    Json,
    JsonObject,
    Values,
    YamlError,
    find_lost_character,
    find_lost_characters,
    read_yaml,
)

OTHERS = (".yaml", ".yml")
TAGS = "releases/tags.yaml"
MAX_VALUES = 150_000
"""For all specs together; that is fifty times this project's own kit."""
ALL_TOO_BIG = FILE_SIZE(
    f"found more than {MAX_TOTAL // 2**20} MiB of specs in all, expected at most that",
    hint="a spec names what is particular, nothing else",
    line=1,
)


class ParsedText(NamedTuple):
    """What is in a text."""

    values: int
    """How many values that are."""
    data: Json


class SpecFiles:
    """Reads spec files of one kit, once each."""

    def __init__(self, files: Files | Path) -> None:
        """Read these files; a folder stands for those that it has on disk."""
        self.files = Disk(files) if isinstance(files, Path) else files
        self.texts: dict[str, str] = {}
        self.size = 0
        self.values = Values(MAX_VALUES)
        self._parsed: dict[str, tuple[Json, list[Finding]]] = {}

    def list_specs(self) -> tuple[dict[str, str], list[Finding]]:
        """Return the path of every spec with the name of its schema, and what cannot be looked into."""
        found = {MARK: "kit"}
        components, findings = self._list_folders("components")
        for component in components:
            versions, wrong = self._list_folders(component)
            findings += wrong
            for folder in versions:
                found[f"{folder}/component.yaml"] = "component"
                if self.files.exists(f"{folder}/config.yaml"):
                    found[f"{folder}/config.yaml"] = "config"
                crds, wrong = self._list_paths(f"{folder}/crds")
                findings += [*wrong, *_check_endings(crds)]
                found |= _select_specs(crds, "crd")
        for kind in ("target", "release"):
            paths, wrong = self._list_paths(f"{kind}s")
            findings += [*wrong, *_check_endings(paths)]
            found |= _select_specs(paths, kind)
        found.pop(TAGS, None)  # no release: see tags.py
        return found, findings

    def _list_folders(self, folder: str) -> tuple[list[str], list[Finding]]:
        paths, wrong = self._list_paths(folder)
        found = {path: self.files.is_folder(path) for path in paths}
        wrong += [each.to_finding(Origin(path)) for path, each in found.items() if isinstance(each, Problem)]
        return [path for path, each in found.items() if each is True], wrong

    def _list_paths(self, folder: str) -> tuple[list[str], list[Finding]]:
        """Return the paths in a folder, hidden ones aside; nothing is listed where a link leads out."""
        if isinstance(wrong := self.files.is_folder(folder), Problem):
            return [], [wrong.to_finding(Origin(folder))]
        return [f"{folder}/{name}" for name in self.files.list_names(folder) if not name.startswith(".")], []

    def check_endings(self, folder: str) -> list[Finding]:
        """Return the files of a folder of specs that are YAML by another ending, which are ignored."""
        return _check_endings(self._list_paths(folder)[0])

    def read_text(self, name: str) -> str | Problem:
        """Return a file's text, or why it must not be read."""
        if name not in self.texts:
            data = self.files.read(name)
            text = decode_text(data) if isinstance(data, bytes) else data
            if isinstance(text, Problem):
                return text
            self.size += len(text)
            if self.size > MAX_TOTAL:
                return ALL_TOO_BIG
            self.texts[name] = text
        return self.texts[name]

    def read_data(self, name: str) -> tuple[Json, list[Finding]]:
        """Return what is in a file, whatever its shape, or why it cannot be read."""
        if name not in self._parsed:
            self._parsed[name] = self._parse_file(name)
        return self._parsed[name]

    def _parse_file(self, name: str) -> tuple[Json, list[Finding]]:
        if not isinstance(text := self.read_text(name), str):
            return None, [text.to_finding(Origin(name))]
        try:
            return self._parse_text(text), []
        except YamlError as error:
            return None, [wrong.to_finding(Origin(name)) for wrong in error.problems]

    def _parse_text(self, text: str) -> Json:
        def parse() -> ParsedText:
            before = self.values.left
            data = read_yaml(text, values=self.values)
            return ParsedText(before - self.values.left, data)

        def recall(content: bytes) -> ParsedText:
            known = ParsedText(*decode_value(content))
            if known.values > self.values.left:
                return parse()  # which reports that there are too many
            self.values.left -= known.values
            return known

        return remember("spec", lambda: [text.encode()], parse, encode_value, recall).data

    def read_checked(self, name: str) -> tuple[Json, list[Finding]]:
        """Return what is in a file, whatever its shape, if all of it can be rendered."""
        data, wrong = self.read_data(name)
        return data, wrong or list(_check_lost_characters(self.texts[name], data, Origin(name)))

    def read_validated(self, name: str, schema: str) -> tuple[JsonObject | None, list[Finding]]:
        """Return a spec's data if it fits its schema, or why it does not."""
        data, wrong = self.read_data(name)
        if not wrong:
            wrong = [
                *(
                    each.to_finding(Origin(name))
                    for each in find_misfits(schema, partial(compile_schema, schema), data)
                ),
                *_check_lost_characters(self.texts[name], data, Origin(name)),
            ]
        return data if isinstance(data, dict) and not wrong else None, wrong


def _check_endings(paths: list[str]) -> list[Finding]:
    others = (path for path in paths if path.lower().endswith(OTHERS))
    message = "found a file that is not read, expected the ending .yaml"
    found = (path for path in others if not path.endswith(".yaml"))
    return [
        make_problem("spec-ending", message, hint="rename it", line=1).to_finding(Origin(path))
        for path in found
    ]


def _select_specs(paths: list[str], schema: str) -> dict[str, str]:
    return dict.fromkeys((path for path in paths if path.endswith(".yaml")), schema)


ESCAPES = ("\\x", "\\u", "\\U", "\\N")
"""How YAML writes a character that it does not show."""


def _check_lost_characters(text: str, data: Json, origin: Origin) -> Iterator[Finding]:
    # Else none can be there, and there is nothing to walk through.
    if any(each in text for each in ESCAPES) or find_lost_character(text):
        yield from check_lost_characters(data, origin)


def check_lost_characters(data: Json, origin: Origin) -> Iterator[Finding]:
    """Yield a finding for every text with a character that kustomize would lose."""
    for path, name in find_lost_characters(data):
        yield make_problem(
            "yaml-character", f"found the character {name}, which kustomize loses", hint="remove it"
        ).to_finding(origin.at(*path))


Cause: TypeAlias = Callable[[Path_origin], Path_origin]
"""Returns what in the file makes the value at a path wrong that another file says."""


def check_shape(kind: str, said: SpecValue, file: str, cause: Cause, chain: str = "") -> list[Finding]:
    """Return what is wrong with the shape of a spec.

    What a spec builds on is right by itself. So if a part is wrong that another file says, this one made
    it so.
    """

    def fits() -> bool:
        return any(map(compile_schema(kind).accepts, (said.data, _complete_features(said.data))))

    if remember_whether(f"{kind} fits in the end", said.data, fits):
        return []
    found = []
    for wrong in compile_schema(kind).check(_complete_features(said.data)):
        place = said.origin.at(*wrong.path)
        if place.file == file:
            found.append(wrong.to_finding(said.origin))
            continue
        moved = replace(wrong, path=cause(wrong.path), hint=wrong.hint or f"see {place}")
        found.append(moved.to_finding(Origin(file), chain))
    return found


def find_misfits(name: str, shape: Callable[[], Shape], data: Json) -> list[Problem]:
    """Return where data does not have the shape of a name, which is made only if that is not known."""
    is_known = remember_whether(f"{name} fits", data, lambda: shape().accepts(data))
    return [] if is_known else shape().check(data)


def _complete_features(data: JsonObject) -> JsonObject:
    """Return a spec whose features have what the component says of the same things: they need not say it."""
    features: Json = data.get("features")
    if not isinstance(features, dict):
        return data
    return {**data, "features": {name: _merge_feature(data, feature) for name, feature in features.items()}}


def _merge_feature(whole: JsonObject, feature: Json) -> Json:
    """Return a map laid over another one, in sections whose things must say some keys one level deeper."""
    made = dict(feature) if isinstance(feature, dict) else feature
    for key in required_keys().keys() & whole.keys() & map_at(feature).keys():
        own, base = feature[key], whole[key]
        if isinstance(own, dict) and isinstance(base, dict):
            both = [name for name, each in own.items() if isinstance(each, dict) and map_at(base, name)]
            deeper = {name: {**base[name], **own[name]} for name in both}
            made[key] = own | deeper if list_section_forms()[key] is SectionForm.NAMED else {**base, **own}
    return made


def build_removal_cause(texts: Iterable[str]) -> Cause:
    """Return what finds the path in `remove` that took something from a value."""
    plain = [text.replace("~1", "/").replace("~0", "~") for text in texts]

    def cause(path: Path_origin) -> Path_origin:
        above = format_pointer(path).replace("~1", "/").replace("~0", "~")
        index = next((at for at, text in enumerate(plain) if text.startswith(f"{above}/")), None)
        return ("from",) if index is None else ("remove", index)

    return cause
