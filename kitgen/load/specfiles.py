"""The one safe way to read a spec file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from kitgen.findings import Chapter, Finding, Origin, Problem, Rule
from kitgen.load.files import Disk, Files, decoded
from kitgen.schema.shape import violations
from kitgen.yamlio import Json, JsonObject, YamlError, lost_character, lost_characters, read

T = TypeVar("T")

YAML_CHARACTER = Rule(
    id="yaml-character",
    chapter=Chapter.YAML,
    title="a character that gets lost",
    checks="No text holds U+007F to U+009F, U+FFFE or U+FFFF: kustomize cannot read its own copy of them.",
    fix="Remove it; where it is data, encode it, such as in base64.",
)


class SpecFiles:
    """Reads spec files of one kit, once each, and collects what is wrong with them."""

    def __init__(self, files: Files | Path) -> None:
        """Read these files; a folder stands for those that it has on disk."""
        self.files = Disk(files) if isinstance(files, Path) else files
        self.findings: list[Finding] = []
        self.texts: dict[str, str] = {}

    def names(self, folder: str, suffix: str = ".yaml") -> list[str]:
        """Return the names in a folder that end in the suffix, or folders without one; hidden ones aside."""
        shown = [name for name in self.files.names(folder) if not name.startswith(".")]
        if suffix:
            return [name for name in shown if name.endswith(suffix)]
        return [
            name for name in shown if self._take(f"{folder}/{name}", self.files.is_folder(f"{folder}/{name}"))
        ]

    def exists(self, name: str) -> bool:
        """Tell whether the kit has this file."""
        return self.files.exists(name)

    def text(self, name: str) -> str | None:
        """Return a file's text, or None with a finding when it must not be read."""
        if name not in self.texts:
            data = self._take(name, self.files.read(name))
            if data is None:
                return None
            text = self._take(name, decoded(data))
            if text is None:
                return None
            self.texts[name] = text
        return self.texts[name]

    def _take(self, name: str, found: T | Problem) -> T | None:
        """Return what was found in a place, or None with a finding if it is a problem."""
        if not isinstance(found, Problem):
            return found
        self.findings.append(found.at(Origin(name)))
        return None

    def parsed(self, name: str) -> Json:
        """Return what is in a file, whatever its shape; None, with findings, if it cannot be read."""
        text = self.text(name)
        try:
            return read(text) if text is not None else None
        except YamlError as error:
            self.findings += [problem.at(Origin(name)) for problem in error.problems]
            return None

    def data(self, name: str, schema: str) -> JsonObject | None:
        """Return a spec's data once it fits its schema; else None, with findings."""
        known = len(self.findings)
        data = self.parsed(name)
        if len(self.findings) > known:
            return None
        found = [*violations(schema, data, Origin(name)), *_lost(self.texts[name], data, Origin(name))]
        self.findings += found
        return None if found or not isinstance(data, dict) else data


def _lost(text: str, data: Json, origin: Origin) -> Iterator[Finding]:
    """Yield a finding for every text with a character that kustomize would lose."""
    if "\\" in text or lost_character(text):  # else none can be there, and there is nothing to walk through
        for path, name in lost_characters(data):
            message = f"found the character {name}, which kustomize loses"
            yield YAML_CHARACTER(message, hint="remove it").at(origin.at(*path))
