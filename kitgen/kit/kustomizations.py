"""Inspect what kustomize would read to build a foreign folder: all of it must be local.

Nothing is run. Everything that kustomize would fetch, or run a program for, is a finding at its place, and so
is what exceeds the size limits. Other mistakes are left to kustomize to report.
"""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from os.path import realpath, relpath
from pathlib import Path
from posixpath import isabs, join, normpath

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.files.tree import FILE_SIZE
from kitgen.findings import MAX_ERRORS, Finding, Origin, Problem, make_problem, report_limit
from kitgen.kit.foreign_objects import objects_in, parse_documents
from kitgen.kit.kustomize_addresses import (
    PLUGINS,
    KustomizationReference,
    check_charts,
    list_plugin_references,
    list_references,
)
from kitgen.kit.manifests import A_BUILD, A_MEGABYTE, ALL_TOO_BIG, MAX_TOTAL, ReadBudget, read_manifests
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at, map_at, text_at, texts_at
from kitgen.text.wording import describe_value
from kitgen.text.yaml import Json, JsonObject, walk_values

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
MAX_FOLDERS = 10_000
STEP = 20
"""Characters of a kustomization or a patch that may be one thing to do with every object."""
CHEAPER = 25
"""How much less it takes to hold one literal of a generator, or one item of a patch, against another."""
TOO_SLOW = FILE_SIZE(
    "found more objects, patches and the like than kustomize would build in seconds, expected fewer",
    hint="build a part at a time",
    line=1,
)
FUNCTIONS = ("config.kubernetes.io/function", "config.k8s.io/function")
UNCHANGED = frozenset({"apiversion", "kind", "metadata", "resources", "bases", "components"})
"""What a kustomization may say whose objects tell kustomize what to do: anything else could change them."""
GENERATORS = frozenset({"configmapgenerator", "secretgenerator"})
"""Fields that name files of any form."""
ENV_FILES = frozenset({"env", "envs"})
ALIAS = compile_late(r"(?:^|[\s\[{,])\*[^\s*,\]}]", re.MULTILINE)
"""What may be an alias."""
FOLLOWED = frozenset({"yaml-limit", "yaml-syntax"})
"""What is found of aliases that multiply, or that name themselves."""
BUILD_ELSEWHERE = "build it where that may run, and name the file that comes out"


class Generator(Struct, frozen=True, kw_only=True):
    """A ConfigMap that kustomize makes of env files."""

    name: str
    """As the kustomization says it: neither prefix nor hash."""
    keys: frozenset[str]
    file: str
    values: Mapping[str, str] = field(default_factory=dict)
    """What the env files say of the keys."""


class KustomizationSurvey:
    """What a build would read: its folders, each looked at once."""

    def __init__(self, folder: str, intake: ReadBudget) -> None:
        """Look at all that kustomize would read to build a folder."""
        self.intake, self.weight = intake, 0
        self.objects, self.steps = Counter[str](), Counter[str]()
        """What stands in each folder, and what is done there with all objects."""
        self.inner: dict[str, list[str]] = {}
        """The folders that each folder names."""
        self.relative = not isabs(folder)
        self.here = realpath(".")
        self.findings: list[Finding] = []
        self.texts: dict[str, str] = {}
        self.generators: list[Generator] = []
        self.todo: list[tuple[str, bool]] = [(realpath(folder), False)]
        """Folders, and whether what they hold tells kustomize what to do."""
        self.seen = set(self.todo)
        self._survey_folders(realpath(folder))

    def _survey_folders(self, top: str) -> None:
        """Look at folder after folder."""
        while self.todo:
            place, plugins = self.todo.pop()
            for name in NAMES:
                file = join(place, name)
                if _stat(file):
                    self._check_kustomization(place, self._format_path(file), plugins)
            full = len(self.seen) > MAX_FOLDERS or self.weight > MAX_TOTAL or self.intake.left < 0
            if full or len(self.findings) > MAX_ERRORS:
                where = Origin(self._format_path(place))
                self.findings.append(ALL_TOO_BIG.to_finding(where) if full else report_limit(where.file))
                return
        self.intake.seconds += A_BUILD + A_MEGABYTE * max(0, self.weight - 2**20) / 2**20
        self.intake.builds -= self._estimate_effort(top)
        if self.intake.builds < 0:
            self.findings.append(TOO_SLOW.to_finding(Origin(self._format_path(top))))

    def _estimate_effort(self, top: str) -> int:
        """Return how much kustomize has to do: in each folder, it compares every object with all others.

        A folder is built again for each one that names it.
        """
        made: dict[str, tuple[int, int]] = {}
        waiting = [top]
        while waiting:
            folder = waiting[-1]
            inner = self.inner.get(folder, [])
            if folder not in made:
                made[folder] = (0, 0)  # one that names itself is refused by kustomize
                waiting += [each for each in inner if each not in made]
                continue
            waiting.pop()
            objects = self.objects[folder] + sum(made[each][0] for each in inner)
            steps = self.steps[folder] // STEP
            own = objects * (objects + steps) + steps * steps // CHEAPER
            made[folder] = objects, own + sum(made[each][1] for each in inner)
        return made[top][1]

    def _format_path(self, place: str) -> str:
        return relpath(place, self.here) if self.relative else place

    def _read_documents(self, file: str) -> list[Json]:
        texts, wrong = read_manifests(file, self.intake)
        self.texts |= texts
        self.findings += wrong
        if file not in texts:
            return []
        documents, wrong = parse_documents(file, texts[file], self.intake)
        self.findings += wrong
        return documents

    def _check_kustomization(self, place: str, file: str, plugins: bool) -> None:
        documents = self._read_documents(file)
        self.steps[place] += len(self.texts.get(file, ""))
        for number, data in enumerate(documents):
            if not isinstance(data, dict):
                continue
            at = Origin(file, document=number)
            self.findings += [wrong.to_finding(at) for wrong in check_charts(data)]
            self.findings += [wrong.to_finding(at) for wrong in _check_changing_keys(data) if plugins]
            for each in list_references(data):
                if len(self.findings) > MAX_ERRORS:
                    return
                self._check_reference(each, place, at, plugins or each.field in PLUGINS)
            self._collect_generators(data, place, file)
            for path, text in walk_values(data):  # those of several lines are YAML, such as patches
                if isinstance(text, str) and "\n" in text and str(path[0]).casefold() not in GENERATORS:
                    self._check_aliases(text, at.at(*path))

    def _check_reference(self, each: KustomizationReference, place: str, at: Origin, plugins: bool) -> None:
        if wrong := each.check_remote():
            self.findings.append(wrong.to_finding(at))
            return
        if plugins and self._check_inline_plugins(
            each, at
        ):  # kustomize looks for no file then, whatever is there
            return
        targets = [normpath(join(place, name)) for name in each.names]
        target, found = next(((name, there) for name in targets if (there := _stat(name))), ("", None))
        if found is None:
            self.findings += [wrong.to_finding(at) for wrong in (each.check_missing(),) if wrong]
        elif stat.S_ISDIR(found.st_mode) and each.can_be_folder:
            inner = (realpath(target), plugins)
            self.inner.setdefault(place, []).append(inner[0])
            self.todo += [inner] if inner not in self.seen else []
            self.seen.add(inner)
        elif stat.S_ISDIR(found.st_mode):
            return
        elif not stat.S_ISREG(found.st_mode):
            self.findings.append(
                make_problem("file-kind", "found something that is not a file", each.path).to_finding(at)
            )
        else:
            self.weight += found.st_size
            if not ENV_FILES.isdisjoint(each.path):
                self.steps[place] += found.st_size
            if each.field not in GENERATORS:
                self._check_yaml_file(target, place, each)
            if plugins:
                file = self._format_path(target)
                for number, document in enumerate(self._read_documents(file)):
                    self._check_plugins(document, Origin(file, document=number))

    def _check_yaml_file(self, target: str, place: str, each: KustomizationReference) -> None:
        """Look at a file that kustomize reads as YAML: it would follow all aliases, and takes long for many.

        What cannot be read is for kustomize to say.
        """
        file = self._format_path(target)
        text = self.texts.get(file) or read_manifests(file, self.intake)[0].get(file, "")
        if each.can_be_folder:
            documents, _ = parse_documents(file, text, ReadBudget(looking=True))
            self.objects[place] += sum(1 for body in documents for _ in objects_in(body, Origin(file)))
        else:
            self.steps[place] += len(text)
        if ALIAS.search(text) and file not in self.texts:
            self.texts[file] = text
            self._check_aliases(text, Origin(file), inside=True)

    def _check_aliases(self, text: str, at: Origin, *, inside: bool = False) -> None:
        wrong = parse_documents(at.file, text, self.intake)[1] if ALIAS.search(text) else ()
        followed = [each for each in wrong if each.rule.id in FOLLOWED]
        self.findings += followed if inside else [replace(each, origin=at) for each in followed]

    def _check_inline_plugins(self, each: KustomizationReference, at: Origin) -> bool:
        """Look at an object for kustomize that stands in the kustomization itself, if it does."""
        documents, wrong = parse_documents(at.file, each.names[0], self.intake)
        there = not wrong and any(isinstance(document, dict) for document in documents)
        for document in documents if there else ():
            self._check_plugins(document, at.at(*each.path), inside=False)
        return there

    def _check_plugins(self, document: Json, at: Origin, *, inside: bool = True) -> None:
        """Look at objects for kustomize; of one within a text, no place inside is known."""
        objects = (found for found in objects_in(document, at) if isinstance(found.body, dict))
        wrong = ((each, found.origin) for found in objects for each in _check_plugin(found.body))
        self.findings += [
            each.to_finding(place) if inside else replace(each, path=()).to_finding(at)
            for each, place in wrong
        ]

    def _collect_generators(self, data: JsonObject, place: str, file: str) -> None:
        """Note the ConfigMaps that are made of env files."""
        said = [value for key, value in data.items() if key.casefold() in GENERATORS]
        self.objects[place] += sum(len(each) for each in said if isinstance(each, list))
        made = next((value for key, value in data.items() if key.casefold() == "configmapgenerator"), None)
        for _, item in entries_at(made):
            named = isinstance(item.get("name"), str)
            names = [*texts_at(item, "envs"), text_at(item, "env")] if named else []
            if values := {
                key: value for name in filter(None, names) for key, value in self._read_env_file(place, name)
            }:
                self.generators.append(
                    Generator(name=item["name"], keys=frozenset(values), file=file, values=values)
                )

    def _read_env_file(self, place: str, name: str) -> Iterator[tuple[str, str]]:
        target = normpath(join(place, name))
        if (found := _stat(target)) is None or not stat.S_ISREG(found.st_mode):
            return
        texts, _ = read_manifests(target, self.intake)
        for line in texts.get(target, "").splitlines():
            if (line := line.lstrip()) and not line.startswith("#"):
                key, _, value = line.partition("=")
                yield key, value


def _stat(path: str) -> os.stat_result | None:
    """Return what is at a path, links followed; None if nothing is, or nothing that can be looked at."""
    try:
        return Path(path).stat()
    except (OSError, ValueError):
        return None


def _check_changing_keys(data: JsonObject) -> Iterator[Problem]:
    """Yield what could change objects for kustomize after they were looked at."""
    yield from (
        make_problem(
            "tree-program",
            f"found {describe_value(key)}, which may change what kustomize is told to do, expected resources",
            (key,),
            BUILD_ELSEWHERE,
        )
        for key in data
        if key.casefold() not in UNCHANGED
    )


def _check_plugin(config: JsonObject) -> Iterator[Problem]:
    """Yield why an object for kustomize must not be used: it would run a program, or fetch something."""
    function = next((key for key in FUNCTIONS if key in map_at(config, "metadata", "annotations")), "")
    kind, path = describe_value(config.get("kind")), ("kind",)
    if function or config.get("apiVersion") != "builtin":
        yield make_problem(
            "tree-program",
            f"found {kind}, for which kustomize would run a program, expected what it brings along",
            ("metadata", "annotations", function) if function else path,
            BUILD_ELSEWHERE,
        )
    elif config.get("kind") == "HelmChartInflationGenerator":
        yield make_problem(
            "tree-remote",
            f"found {kind}, whose charts are fetched, expected resources",
            path,
            BUILD_ELSEWHERE,
        )
    yield from filter(None, (each.check_remote() for each in list_plugin_references(config)))
