"""Specs that build on others: `from` names the one, and what a spec says is laid over it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from kitgen.configtype.declaration import wrong_declaration
from kitgen.findings import Chapter, Finding, Origin, Problem, Rule, near
from kitgen.load.changing import change, is_change
from kitgen.load.merging import Said, lay_over, mapping
from kitgen.load.removing import REMOVE_NOTHING, REMOVE_SET, remove
from kitgen.load.specfiles import ALL_TOO_BIG, MAX_TOTAL, SpecFiles
from kitgen.schema.files import schema
from kitgen.schema.rules import REFERENCE_MISSING
from kitgen.schema.shape import Shape, violations
from kitgen.yamlio import JsonObject

FROM_LOOP = Rule(
    id="from-loop",
    chapter=Chapter.REFERENCE,
    checks="No spec builds on itself, by way of others.",
    fix="Let one of them say all by itself.",
)

FROM_LONG = Rule(
    id="from-long",
    chapter=Chapter.REFERENCE,
    checks="A chain of specs that build on one another has an end that people can find.",
    fix="Run `kitgen flatten` on one of them.",
)

MAX_CHAIN = 100
CHAIN = ("from", "remove")
OWN = {"component": ("version",), "target": ("target",), "release": ("release", "date")}
"""What tells a spec from others, so that it is never taken over."""


class Folder(NamedTuple):
    """What stands beside a component.yaml, with what is taken over."""

    config: Said | None
    crds: Mapping[str, Said]
    """By file name, in order."""


class Chains:
    """Reads the specs of a kit, each once and laid over what it builds on."""

    def __init__(self, files: SpecFiles, listed: Mapping[str, str]) -> None:
        """Read these files; `listed` names the schema of each."""
        self.files = files
        self.listed = listed
        self.findings: list[Finding] = []
        self._own: dict[str, JsonObject | None] = {}
        self._known: dict[str, Said | None] = {}
        self._folders: dict[str, Folder] = {}
        self._size = 0

    def spec(self, file: str) -> Said | None:
        """Return what a spec says in the end; None if that cannot be told, which is a finding."""
        if file not in self._known:
            for each in reversed(self._way(file)):
                self._known.setdefault(each, self._effective(each))
        return self._known[file]

    def parent(self, file: str) -> str | None:
        """Return the spec that one builds on; None if there is none that can be read."""
        own = self.own(file)
        name = own.get("from") if own else None
        path = self._path(file, name) if isinstance(name, str) else ""
        return path if path in self.listed else None

    def folder(self, file: str) -> Folder:
        """Return what stands beside a component.yaml, with what it takes over."""
        for each in reversed(self._way(file)):
            if each not in self._folders:
                self._folders[each] = self._folder(each)
        return self._folders[file]

    def own(self, file: str) -> JsonObject | None:
        """Return what a file itself says, if that is a map."""
        if file not in self._own:
            data, wrong = self.files.sound(file)
            self.findings += wrong
            if not wrong and not isinstance(data, dict):
                self.findings += violations(self.listed[file], data, Origin(file))
            self._own[file] = data if isinstance(data, dict) and not wrong else None
        return self._own[file]

    def _path(self, file: str, name: str) -> str:
        folder, _, ending = file.rpartition("/")
        if self.listed[file] == "component":
            return f"{folder.rpartition('/')[0]}/{name}/{ending}"
        return f"{folder}/{name}.yaml"

    def _way(self, file: str) -> list[str]:
        """Return a spec and those that it builds on, as far as they are not known yet."""
        way = [file]
        while (parent := self.parent(way[-1])) is not None:
            if parent in way:
                loop = _words([*way[way.index(parent) :], parent])
                problem = FROM_LOOP(f"found a chain that never ends: {loop}", ("from",))
                return self._broken(way, problem.at(Origin(way[-1])))
            if len(way) == MAX_CHAIN:
                message = f"found a chain of more than {MAX_CHAIN} specs"
                return self._broken(way, FROM_LONG(message, ("from",)).at(Origin(file)))
            way.append(parent)
        return way

    def _broken(self, way: list[str], finding: Finding) -> list[str]:
        if way[0] not in self._known:
            self.findings.append(finding)
        self._known |= dict.fromkeys(way, None)
        self._folders |= dict.fromkeys(way, Folder(None, {}))
        return way

    def _effective(self, file: str) -> Said | None:
        own, kind = self.own(file), self.listed[file]
        if own is None:
            return None
        chained = {key: own[key] for key in CHAIN if key in own}
        wrong = [each.at(Origin(file)) for each in _shape(kind).violations(chained)] if chained else []
        said = Said({key: own[key] for key in own if key not in CHAIN}, Origin(file))
        if chained and not wrong:
            found, wrong = self._laid_over(file, said, chained)
            if found is None:
                self.findings += wrong
                return None
            said = found
        self._size += len(self.files.texts[file])
        wrong += violations(kind, said.data, said.origin)
        self.findings += wrong
        return None if wrong else said

    def _laid_over(self, file: str, own: Said, chained: JsonObject) -> tuple[Said | None, list[Finding]]:
        """Return a spec laid over the one that it builds on, or what is in the way."""
        if "from" not in chained:
            hint = "remove takes away from what from names"
            message = "found remove without from"
            return None, [REMOVE_NOTHING(message, ("remove",), hint).at(Origin(file))]
        chain = _words(self._way(file))
        parent = self.parent(file)
        if parent is None:
            whole = f"{chain} from {chained['from']}"
            return None, [self._missing(file, chained["from"]).at(Origin(file), whole)]
        if (old := self._known[parent]) is None:
            return None, []  # what is wrong with it is told already
        self._size += len(self.files.texts[parent])
        if self._size > MAX_TOTAL:
            return None, [ALL_TOO_BIG.at(Origin(file))]
        not_own = {key: part for key, part in old.parts.items() if key not in OWN[self.listed[file]]}
        texts = [text for text in chained.get("remove", ()) if not _beside(text)]
        left, problems = remove(mapping(not_own, old.origin), own.data, texts)
        found = [each.at(Origin(file), chain) for each in problems]
        return (lay_over(left, own), []) if not found else (None, found)

    def _missing(self, file: str, name: str) -> Problem:
        """Say that there is nothing to build on."""
        kind, steps = self.listed[file], file.split("/")
        others = [_name(path) for path, each in self.listed.items() if each == kind and path != file]
        what, where = kind, steps[0]
        if kind == "component":
            what, where = f"version of {steps[1]}", "/".join(steps[:2])
            others = [each.split("@")[1] for each in others if each.startswith(f"{steps[1]}@")]
        message = f"found no {what} {name!r} in {where} to build on"
        hint = near(name, others) or (f"known are {', '.join(others[:12])}" if others else "there is none")
        if kind == "component" and ("@" in name or "/" in name):
            hint = f"a version builds on another version of {steps[1]}; known are {', '.join(others[:12])}"
        return REFERENCE_MISSING(message, ("from",), hint)

    def _folder(self, file: str) -> Folder:
        parent, folder = self.parent(file), file.removesuffix("component.yaml")
        old = self._folders[parent] if parent else Folder(None, {})
        own = self.own(file) or {}
        removed = own.get("remove") if "from" in own else ()
        crds, config = dict(old.crds), old.config
        for index, text in enumerate(removed if isinstance(removed, list) else ()):
            if isinstance(text, str) and _beside(text):
                gone = text.removeprefix("/crds/") if text != "/config.yaml" else ""
                name = gone if gone.endswith(".yaml") else f"{gone}.yaml"
                there = crds.pop(name, None) if gone else config
                config = config if gone else None
                rule = REMOVE_SET if f"{folder}{text[1:]}" in self.listed else REMOVE_NOTHING
                if there is None or rule is REMOVE_SET:
                    what = (
                        "which this version has a file of too"
                        if there
                        else "which is not there to be removed"
                    )
                    problem = rule(f"found {text!r}, {what}", ("remove", index), near(name, list(old.crds)))
                    self.findings.append(problem.at(Origin(file), _words(self._way(file))))
        for path, kind in self.listed.items():
            if kind == "crd" and path.startswith(f"{folder}crds/"):
                name = path.rpartition("/")[2]
                if (found := self._declared(path, kind, crds.get(name))) is not None:
                    crds[name] = found
        if f"{folder}config.yaml" in self.listed:
            config = self._declared(f"{folder}config.yaml", "config", config)
            if config is not None:
                self.findings += [each.at(config.origin) for each in wrong_declaration(config.data)]
        return Folder(config, dict(sorted(crds.items())))

    def _declared(self, file: str, kind: str, old: Said | None) -> Said | None:
        """Return a CRD's declaration or a config.yaml; one that only says changes is made to the old one."""
        own = self.own(file)
        if own is None:
            return None
        if not is_change(own):
            wrong = violations(kind, own, Origin(file))
            self.findings += wrong
            return None if wrong else Said(own, Origin(file))
        wrong = [each.at(Origin(file)) for each in _changes(kind).violations(own)]
        if old is None and not wrong:
            message = "found changes, but there is no such file in what the version builds on"
            wrong = [REMOVE_NOTHING(message, hint="write out all of it").at(Origin(file))]
        if wrong or old is None:
            self.findings += wrong
            return None
        said, wrong = change(old, own, file)
        self._size += len(self.files.texts[file]) + len(self.files.texts[old.origin.file])
        wrong = wrong or violations(kind, said.data, said.origin)
        if self._size > MAX_TOTAL:
            wrong = [ALL_TOO_BIG.at(Origin(file))]
        self.findings += wrong
        return None if wrong else said


def _beside(text: str) -> bool:
    """Tell whether what is removed is a file beside component.yaml."""
    return text.startswith("/crds/") or text == "/config.yaml"


def _name(file: str) -> str:
    """Return how people call a spec."""
    steps = file.removesuffix("/component.yaml").removesuffix(".yaml").split("/")
    return "@".join(steps[1:])


def _words(way: list[str]) -> str:
    """Write a chain of specs for people: kueue@v0.7.2 from v0.7.1 from v0.7.0."""
    first, *rest = way
    return " from ".join((_name(first), *(_name(each).rpartition("@")[2] for each in rest)))


@cache
def _shape(kind: str) -> Shape:
    """Return the shape of what ties a spec to another one."""
    properties = schema(kind)["properties"]
    return Shape(
        {"type": "object", "properties": {key: properties[key] for key in CHAIN}}, name=f"{kind}-from"
    )


@cache
def _changes(kind: str) -> Shape:
    """Return the shape of a file that only says what it changes."""
    whole = schema(kind)
    return Shape({**whole["$defs"]["changes"], "$defs": whole["$defs"]}, name=f"{kind}-changes")
