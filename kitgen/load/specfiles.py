"""The one safe way to read a spec file."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from kitgen.errors import KitgenError
from kitgen.findings import Chapter, Finding, Origin, Rule
from kitgen.load.rules import FILE_ENCODING, FILE_SIZE, PATH_SYMLINK
from kitgen.schema.shape import violations
from kitgen.yamlio import Json, JsonObject, YamlError, lost_character, lost_characters, read

FILE_MISSING = Rule(
    id="file-missing",
    chapter=Chapter.FILE,
    title="a file that is not there",
    checks="Every version of a component has its component.yaml, and no link leads nowhere.",
    fix="Add the file, or remove the folder or link.",
)

FILE_KIND = Rule(
    id="file-kind",
    chapter=Chapter.FILE,
    title="not a file",
    checks="A spec is a plain file.",
    fix="Put a file there.",
)

PATH_OUTSIDE = Rule(
    id="path-outside",
    chapter=Chapter.FILE,
    title="a path out of the kit",
    checks="No path leads out of the kit.",
    fix="Keep the file inside the kit.",
)

YAML_CHARACTER = Rule(
    id="yaml-character",
    chapter=Chapter.YAML,
    title="a character that gets lost",
    checks=(
        "No text of a spec holds a control character from U+007F to U+009F, U+FFFE or U+FFFF. Kustomize "
        "changes it or cannot read its own copy, however it is written."
    ),
    fix="Remove it; where it is data, encode it, such as in base64.",
)


MAX_BYTES = 8 * 1024 * 1024
LOOP = "a symbolic link leads round in a circle"


class SpecFiles:
    """Reads spec files of one kit, once each, and collects what is wrong with them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.findings: list[Finding] = []
        self.texts: dict[str, str] = {}

    def names(self, folder: str, suffix: str = ".yaml") -> list[str]:
        """Return the names in a folder that end in the suffix, sorted; hidden ones aside."""
        try:
            entries = sorted(os.scandir(self.root / folder), key=lambda entry: entry.name)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise KitgenError(f"cannot read the folder {folder}: {error.strerror}") from error
        shown = [entry for entry in entries if not entry.name.startswith(".")]
        if suffix:
            return [entry.name for entry in shown if entry.name.endswith(suffix)]
        return [entry.name for entry in shown if self._is_folder(f"{folder}/{entry.name}", entry)]

    def _is_folder(self, name: str, entry: os.DirEntry[str]) -> bool:
        try:
            return entry.is_dir()
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise KitgenError(f"cannot read {name}: {error.strerror}") from error
            self.findings.append(_finding(PATH_SYMLINK, LOOP, name))
            return False

    def exists(self, name: str) -> bool:
        """Tell whether the kit has this file."""
        return os.path.lexists(self.root / name)

    def text(self, name: str) -> str | None:
        """Return a file's text, or None with a finding when it must not be read."""
        if name not in self.texts:
            problem = self._problem(name)
            if problem is not None:
                self.findings.append(problem)
                return None
            try:
                data = (self.root / name).read_bytes()
            except OSError as error:
                raise KitgenError(f"cannot read {name}: {error.strerror}") from error
            try:
                self.texts[name] = data.decode("utf-8")
            except UnicodeDecodeError as error:
                line = data.count(b"\n", 0, error.start) + 1
                self.findings.append(
                    _finding(FILE_ENCODING, "found bytes that are not UTF-8", name, line=line)
                )
                return None
        return self.texts[name]

    def _problem(self, name: str) -> Finding | None:
        path = self.root / name
        if ".." in Path(name).parts or Path(name).is_absolute():
            return _finding(PATH_OUTSIDE, "the path leaves the kit", name)
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self.root)):
            return _finding(PATH_SYMLINK, "a symbolic link leads out of the kit", name)
        try:
            found = path.stat()
        except OSError as error:
            if error.errno == errno.ELOOP:
                return _finding(PATH_SYMLINK, LOOP, name)
            if error.errno == errno.EACCES:
                raise KitgenError(f"cannot read {name}: {error.strerror}") from error
            return _finding(FILE_MISSING, "no such file", name)
        if not stat.S_ISREG(found.st_mode):
            return _finding(FILE_KIND, "found something that is not a file", name)
        if found.st_size > MAX_BYTES:
            message = f"found {found.st_size / 1e6:.0f} MB, expected at most {MAX_BYTES / 1e6:.0f}"
            return _finding(FILE_SIZE, message, name, hint="a spec names what is particular, nothing else")
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


def _finding(rule: Rule, message: str, file: str, *, line: int = 1, hint: str = "") -> Finding:
    return rule(message, hint=hint).at(Origin(file, (), line))
