"""Read what people hand to the crd commands: files, folders, standard input, versions of the kit."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TextIO

from kitgen.crds.schema.crd import crd_faults, is_crd
from kitgen.crds.schema.rules import CRD_TWICE
from kitgen.crds.validate.objects import objects_in
from kitgen.errors import ExitCode, FindingsError, UsageError
from kitgen.findings import Chapter, Finding, Origin, Rule, near, unique
from kitgen.findings import Path as Steps
from kitgen.root import in_kit
from kitgen.semver import version_key
from kitgen.yamlio import Dialect, Json, JsonObject, YamlError, dump, lines_of, read_all

CRD_NONE = Rule(
    id="crd-none",
    chapter=Chapter.CRD,
    title="no CRD",
    checks="What is imported or compared holds at least one CRD.",
    fix="Name a file or folder that holds CRDs.",
)


NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
MARKER = re.compile(r"^---(?=\s|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A file that was read, with its documents."""

    file: str
    text: str
    documents: tuple[Json, ...]

    def located(self, findings: Iterable[Finding], document: int) -> list[Finding]:
        """Return findings of one document with their lines."""
        listed = list(findings)
        if not listed:
            return []
        text, before, index = self._document(document)
        lines = lines_of(text, {finding.origin.path for finding in listed}, document=index)
        return [
            replace(f, origin=Origin(f.origin.file, f.origin.path, lines[f.origin.path] + before))
            for f in listed
        ]

    def lines(self, document: int) -> int:
        """Return how many lines one document has; JSON, which may be all on one line, counts as YAML."""
        text, _, _ = self._document(document)
        alone = len(self.documents) == 1 or text is not self.text
        text = text.removeprefix("---").strip()
        if not alone or text.startswith("{"):
            text = dump(self.documents[document])
        return len(text.splitlines())

    def _document(self, document: int) -> tuple[str, int, int]:
        """Return the text of one document alone, the lines before it, and its index in that text."""
        starts = _starts(self.text)
        if len(starts) != len(self.documents):  # split otherwise than it was read: look in the whole text
            return self.text, 0, document
        start, lines = starts[document]
        end = starts[document + 1][0] if document + 1 < len(starts) else len(self.text)
        return self.text[start:end], lines, 0


@lru_cache(maxsize=1)
def _starts(text: str) -> list[tuple[int, int]]:
    """Return where each document starts: the place in the text, and the lines before it."""
    places = [match.start() for match in MARKER.finditer(text)]
    head = text[: places[0]] if places else text
    if any(line.strip() and not line.startswith(("#", "%")) for line in head.splitlines()):
        places.insert(0, 0)
    found, lines, last = [], 0, 0
    for place in places:
        lines += text.count("\n", last, place)
        found.append((place, lines))
        last = place
    return found


class Reader:
    """Reads files of strangers and collects what is wrong with them."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def texts(self, names: Iterable[str]) -> Iterator[Text]:
        """Yield every file that is named or lies in a named folder, and that can be read."""
        from kitgen.load import manifest_texts

        for name in names:
            found, findings = manifest_texts(name)
            self.findings += findings
            for file, text in found.items():
                try:
                    documents = read_all(text, dialect=Dialect.KUBECTL)
                except YamlError as error:
                    self.findings += [problem.at(Origin(file)) for problem in error.problems]
                else:
                    yield Text(file=file, text=text, documents=tuple(documents))

    def crds(self, name: str) -> list[JsonObject]:
        """Return the CRDs in a file or folder; other objects in it are passed over."""
        found: dict[str, tuple[JsonObject, str]] = {}
        for text in self.texts([name]):
            for index, document in enumerate(text.documents):
                for body, path in objects_in(document):
                    if is_crd(body):
                        faults = list(crd_faults(body, Origin(text.file, path)))
                        faults = faults or list(_clash(body, text.file, path, found))
                        self.findings += text.located(faults, index)
        if not found and not self.findings:
            self.findings.append(CRD_NONE("found no CRDs, expected at least one").at(Origin(name, (), 1)))
        self.stop()
        return [body for body, _ in found.values()]

    def stop(self) -> None:
        """Raise if anything was wrong."""
        if self.findings:
            raise FindingsError(unique(self.findings))


def _clash(
    body: JsonObject, file: str, path: Steps, known: dict[str, tuple[JsonObject, str]]
) -> Iterator[Finding]:
    """Keep a CRD; one that is there already must be the same."""
    name = str(body["metadata"]["name"])
    first, where = known.setdefault(name, (body, file))
    if first != body:
        text = f"found {name!r} a second time, and not the same; {where} has it too"
        yield CRD_TWICE(text).at(Origin(file, path))


class KitCrds:
    """The CRDs that the components of a kit declare, expanded when they are asked for."""

    def __init__(self, root: Path | None) -> None:
        from kitgen.pipeline import open_kit

        self._opened = open_kit(root)
        self._components = self._opened.kit.components

    def bodies(self, component: str, version: str) -> list[JsonObject]:
        """Return the CRDs of one version of a component."""
        from kitgen.pipeline import stop_on_errors

        if component not in self._components:
            raise UsageError(
                f"no component {component!r} in this kit", hint=_known(component, self._components)
            )
        versions = self._components[component]
        if version not in versions:
            raise UsageError(f"no version {version!r} of {component}", hint=_known(version, versions))
        manifests, findings = self._opened.session.crds(versions[version])
        stop_on_errors(findings, self._opened.root)
        return [manifest.body for manifest in manifests]

    def every(self) -> Iterator[tuple[str, str, list[JsonObject]]]:
        """Yield component, version and CRDs of everything in the kit, the newest version first."""
        for component, versions in sorted(self._components.items()):
            for version in sorted(versions, key=version_key, reverse=True):
                yield component, version, self.bodies(component, version)


def _known(name: str, known: Iterable[str]) -> str:
    listed = list(known)
    return near(name, listed) or (f"known are {', '.join(listed)}" if listed else "")


def is_of_kit(source: str) -> bool:
    """Tell whether COMPONENT@VERSION is meant, and no file or folder."""
    return source != "-" and "@" in source and not Path(source).exists()


def require_kit(name: str, root: Path | None) -> None:
    """Raise if a name that is no file stands for something of a kit, and there is none."""
    if not in_kit(root):
        hint = "there is no kit here, so it stands for no CRD and no component"
        raise UsageError(f"no such file or folder: {name}", hint=hint)


def crds_of(source: str, root: Path | None) -> list[JsonObject]:
    """Return the CRDs of a file, a folder, or a component of the kit written COMPONENT@VERSION."""
    if is_of_kit(source):
        require_kit(source, root)
        component, _, version = source.rpartition("@")
        return KitCrds(root).bodies(component, version)
    if source != "-" and not Path(source).exists() and NAME.fullmatch(source):
        raise UsageError(
            f"no such file or folder: {source}", hint=f"a component of the kit is written {source}@VERSION"
        )
    return Reader().crds(source)


def as_text(findings: Iterable[Finding], *, output: str = "text", stream: TextIO) -> str:
    """Write findings that know their lines, as the stream wants them."""
    from kitgen.cli.terminal import colour
    from kitgen.report import show

    return show(findings, read=lambda _: None, output=output, colour=colour(stream))


def leave(*, failed: bool) -> None:
    """End the command with its exit code."""
    if failed:
        sys.exit(ExitCode.FINDINGS)
