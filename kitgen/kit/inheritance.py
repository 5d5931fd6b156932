"""Resolve specs that build on others: `from` names the base, and the spec is merged over it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from kitgen.files.read import MAX_TOTAL
from kitgen.findings import Finding, Origin, Problem, make_problem, suggest_word
from kitgen.kit.merge import SpecValue, build_mapping, merge_specs
from kitgen.kit.removal import remove_paths
from kitgen.kit.spec_files import ALL_TOO_BIG, SpecFiles, build_removal_cause, check_shape, find_misfits
from kitgen.text.schema_check import Shape, check_against_schema, read_schema
from kitgen.text.schema_errors import REFERENCE_MISSING
from kitgen.text.yaml import JsonObject

MAX_CHAIN = 100
CHAIN = ("from", "remove")
OWN = {
    "component": ("version",),
    "target": ("target",),
    "release": ("release", "date", "replaces", "skips", "skipRange", "done", "exceptions"),
}
"""What tells a spec from others, so that it is never taken over."""
COMPONENT = "component.yaml"


class Chains:
    """Reads the specs of a kit, each once and laid over what it builds on."""

    def __init__(self, files: SpecFiles, listed: Mapping[str, str]) -> None:
        """Read these files; `listed` names the schema of each."""
        self.files = files
        self.listed = listed
        self.findings: list[Finding] = []
        self._own: dict[str, JsonObject | None] = {}
        self._known: dict[str, SpecValue | None] = {}
        self._names: dict[str, list[str]] = {}
        self._weights: dict[str, int] = {}
        self._size = 0

    def spec(self, file: str) -> SpecValue | None:
        """Return the merged spec; None if it cannot be merged, which is a finding."""
        for each in reversed(self.list_chain(file)):
            if each not in self._known:
                self._known[each] = self._merge_spec(each)
        return self._known[file]

    def parent(self, file: str) -> str | None:
        """Return the spec that one builds on; None if there is none that can be read."""
        own = self.read_unmerged(file)
        name = own.get("from") if own else None
        path = self._resolve_base(file, name) if isinstance(name, str) else ""
        return path if path in self.listed else None

    def read_unmerged(self, file: str) -> JsonObject | None:
        """Return what a file itself says, if that is a map."""
        if file not in self._own:
            data, wrong = self.files.read_checked(file)
            self.findings += wrong
            if not wrong and not isinstance(data, dict):
                self.findings += check_against_schema(self.listed[file], data, Origin(file))
            self._own[file] = data if isinstance(data, dict) and not wrong else None
        return self._own[file]

    def list_chain(self, file: str) -> list[str]:
        """Return a spec and those that it builds on, the nearest first; of a chain without end, a part."""
        way = {file: None}
        last = file
        while (parent := self.parent(last)) is not None:
            if parent in way:
                files = [*way]
                loop = format_chain([*files[files.index(parent) :], parent])
                self._report_endless(
                    way, make_problem("from-loop", f"found a chain that never ends: {loop}", ("from",)), last
                )
                break
            if len(way) == MAX_CHAIN:
                self._report_endless(
                    [file],
                    make_problem(
                        "from-long",
                        f"found a chain of more than {MAX_CHAIN} specs",
                        ("from",),
                        "kitgen flatten ends it",
                    ),
                    file,
                )
                break
            way[parent] = None
            last = parent
        return [*way]

    def check_size(self, file: str, *others: str) -> Finding | None:
        """Count the size of a file merged with others; report it if that is too much."""
        self._weights[file] = len(self.files.texts[file]) + sum(
            self._weights.get(each, len(self.files.texts[each])) for each in others
        )
        self._size += self._weights[file]
        return ALL_TOO_BIG.to_finding(Origin(file)) if others and self._size > MAX_TOTAL else None

    def _report_endless(self, way: Mapping[str, None] | list[str], wrong: Problem, file: str) -> None:
        """Report that a chain has no end."""
        if any(each not in self._known for each in way):
            self.findings.append(wrong.to_finding(Origin(file)))
        self._known |= dict.fromkeys(way, None)

    def describe_chain(self, file: str) -> str:
        """Write down what a spec builds on, for people; nothing if that is nothing."""
        return format_chain(self.list_chain(file)) if self.parent(file) else ""

    def _resolve_base(self, file: str, name: str) -> str:
        folder, _, ending = file.rpartition("/")
        if self.listed[file] == "component":
            return f"{folder.rpartition('/')[0]}/{name}/{ending}"
        return f"{folder}/{name}.yaml"

    def _merge_spec(self, file: str) -> SpecValue | None:
        own, kind = self.read_unmerged(file), self.listed[file]
        if own is None:
            return None
        chained = {key: own[key] for key in CHAIN if key in own}
        wrong = (
            [
                each.to_finding(Origin(file))
                for each in find_misfits(f"{kind}-from", partial(_build_chain_shape, kind), chained)
            ]
            if chained
            else []
        )
        said: SpecValue | None = SpecValue({key: own[key] for key in own if key not in CHAIN}, Origin(file))
        if chained and said and not wrong:
            said, wrong = self._merge_over_base(file, said, chained)
        elif not chained:
            self.check_size(file)
        if said and not wrong:
            cause = build_removal_cause(chained.get("remove", ()))
            wrong = check_shape(
                kind, said, file, cause, format_chain(self.list_chain(file)) if chained else ""
            )
        self.findings += wrong
        return None if wrong else said

    def _merge_over_base(
        self, file: str, own: SpecValue, chained: JsonObject
    ) -> tuple[SpecValue | None, list[Finding]]:
        """Return a spec laid over the one that it builds on, or what is in the way."""
        if "from" not in chained:
            return None, [
                make_problem(
                    "remove-nothing",
                    "found remove without from",
                    ("remove",),
                    "remove takes away from what from names",
                ).to_finding(Origin(file))
            ]
        chain, parent = format_chain(self.list_chain(file)), self.parent(file)
        if parent is None:
            return None, [
                self._report_missing_base(file, chained["from"]).to_finding(
                    Origin(file), f"{chain} from {chained['from']}"
                )
            ]
        if (old := self._known[parent]) is None:
            return None, []  # what is wrong with it is told already
        if heavy := self.check_size(file, parent):
            return None, [heavy]
        kind = self.listed[file]
        taken = {key: part for key, part in old.parts.items() if key not in OWN[kind]}
        texts = [*enumerate(chained.get("remove", ()))]
        here = [(at, text) for at, text in texts if kind != "component" or not is_companion_path(text)]
        left, problems = remove_paths(build_mapping(taken, old.origin), here)
        if problems:
            return None, [each.to_finding(Origin(file), chain) for each in problems]
        made = merge_specs(left, own)
        order = dict.fromkeys((*old.data, *made.data))
        return build_mapping({key: made.part(key) for key in order if key in made.data}, made.origin), []

    def _report_missing_base(self, file: str, name: str) -> Problem:
        """Report that the base of a spec does not exist."""
        kind, steps = self.listed[file], file.split("/")
        within = "/".join(steps[:-2]) if kind == "component" else steps[0]
        what = f"version of {steps[1]}" if kind == "component" else kind
        others = [
            each for each in self._list_names(kind, within) if each != _format_name(file).rpartition("@")[2]
        ]
        known = f"known are {', '.join(others[:12])}" if others else "there is none"
        message = f"found no {what} {name!r} in {within} to build on"
        if kind == "component" and ("@" in name or "/" in name):
            hint = f"a version builds on another version of {steps[1]}; {known}"
        else:
            hint = suggest_word(name, others) or known
        return REFERENCE_MISSING(message, ("from",), hint)

    def _list_names(self, kind: str, within: str) -> list[str]:
        """Return the names of the specs of a kind in a folder."""
        if within not in self._names:
            files = (path for path, each in self.listed.items() if each == kind)
            found = (_format_name(path) for path in files if path.startswith(f"{within}/"))
            self._names[within] = [each.rpartition("@")[2] for each in found]
        return self._names[within]


def is_companion_path(text: str) -> bool:
    """Return whether what is removed is a file beside component.yaml."""
    return text.startswith("/crds/") or text == "/config.yaml"


def _format_name(file: str) -> str:
    """Return how people call a spec."""
    return "@".join(file.removesuffix(f"/{COMPONENT}").removesuffix(".yaml").split("/")[1:])


def format_chain(way: list[str]) -> str:
    """Write a chain of specs for people: kueue@v0.7.2 from v0.7.1 from v0.7.0."""
    first, *rest = way
    return " from ".join((_format_name(first), *(_format_name(each).rpartition("@")[2] for each in rest)))


@cache
def _build_chain_shape(kind: str) -> Shape:
    """Return the shape of what ties a spec to another one."""
    properties = read_schema(kind)["properties"]
    return Shape(
        {"type": "object", "properties": {key: properties[key] for key in CHAIN}}, name=f"{kind}-from"
    )
