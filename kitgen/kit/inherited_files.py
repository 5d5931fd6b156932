"""Files beside a component.yaml: config.yaml and CRDs, including those inherited from another version."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import NamedTuple

from kitgen.files.results import remember_whether
from kitgen.findings import Finding, Origin, make_problem, suggest_word
from kitgen.kit.config_type import check_config_declaration
from kitgen.kit.file_changes import apply_spec_changes, is_change_file
from kitgen.kit.inheritance import COMPONENT, Chains, format_chain, is_companion_path
from kitgen.kit.merge import SpecValue
from kitgen.kit.spec_files import check_shape, find_misfits
from kitgen.text.schema_check import Shape, read_schema
from kitgen.text.values import text_entries_at

CONFIG = "config.yaml"


class InheritedFile(NamedTuple):
    """A file beside a component.yaml, as it is in the end."""

    said: SpecValue | None
    """None if that cannot be told, which is a finding."""
    files: tuple[str, ...]
    """Those that make it: the one that says all, then the ones that change it."""


class CompanionFiles:
    """Reads what stands beside each component.yaml of a kit, once."""

    def __init__(self, chains: Chains, *, read: bool = True) -> None:
        """Read the files when they are asked for; else all that is known of them is that they are there."""
        self.chains = chains
        self.read = read
        self._known: dict[str, Mapping[str, InheritedFile]] = {}
        self._own: dict[str, dict[str, str]] = {}
        for path, kind in chains.listed.items():
            if kind in ("config", "crd"):
                steps = path.split("/")
                self._own.setdefault("/".join(steps[:3]), {})["/".join(steps[3:])] = path

    def files(self, spec: str) -> Mapping[str, InheritedFile]:
        """Return what stands beside a component.yaml: `config.yaml` and `crds/NAME.yaml`."""
        for each in reversed(self.chains.list_chain(spec)):
            if each not in self._known:
                self._known[each] = self._resolve_files(each)
        return self._known[spec]

    def config(self, spec: str) -> SpecValue | None:
        """Return the type of a component's configuration."""
        found = self.files(spec).get(CONFIG)
        return found.said if found else None

    def crds(self, spec: str) -> tuple[SpecValue, ...]:
        """Return a component's CRDs, by the names of their files."""
        named = sorted((name, file.said) for name, file in self.files(spec).items() if name != CONFIG)
        return tuple(said for _, said in named if said)

    def _resolve_files(self, spec: str) -> Mapping[str, InheritedFile]:
        parent = self.chains.parent(spec)
        old = self._known.get(parent, {}) if parent else {}
        own = self._own.get(spec.removesuffix(f"/{COMPONENT}"), {})
        found, said, problems = dict(old), self.chains.read_unmerged(spec) or {}, []
        removed = text_entries_at(said, "remove") if "from" in said else []
        for index, text in (each for each in removed if is_companion_path(each[1])):
            name = text[1:] if text.endswith(".yaml") else f"{text[1:]}.yaml"
            if found.pop(name, None) is None:
                problems.append(
                    make_problem(
                        "remove-nothing",
                        f"found {text!r}, which is not there to be removed",
                        ("remove", index),
                        suggest_word(name, list(old)),
                    )
                )
        chain = format_chain(self.chains.list_chain(spec))
        self.chains.findings += [wrong.to_finding(Origin(spec), chain) for wrong in problems]
        return {**found, **{name: self._resolve_file(path, old.get(name)) for name, path in own.items()}}

    def _resolve_file(self, path: str, old: InheritedFile | None) -> InheritedFile:
        """Return a CRD's declaration or a config.yaml; one that only says changes is made to the old one."""
        if not self.read:
            return InheritedFile(SpecValue({}, Origin(path)), (path,))
        own, kind = self.chains.read_unmerged(path), self.chains.listed[path]
        if own is None:
            return InheritedFile(None, (path,))
        if not is_change_file(own):
            self.chains.check_size(path)
            return InheritedFile(self._validate_spec(kind, SpecValue(own, Origin(path)), path), (path,))
        misfits = find_misfits(f"{kind}-changes", partial(_build_change_shape, kind), own)
        wrong = [each.to_finding(Origin(path)) for each in misfits]
        if not wrong and old is None:
            wrong = [
                make_problem(
                    "change-misfit",
                    "found changes, expected all of it: what the version builds on has no such file",
                    hint="write out all of it",
                ).to_finding(Origin(path))
            ]
        made = old.said if old else None
        if made and old and not wrong:
            heavy = self.chains.check_size(path, old.files[-1])
            made, wrong = (made, [heavy]) if heavy else apply_spec_changes(made, own, Origin(path), kind)
        self.chains.findings += wrong
        files = (*old.files, path) if old else (path,)
        return InheritedFile(self._validate_spec(kind, made, path) if made and not wrong else None, files)

    def _validate_spec(self, kind: str, said: SpecValue, path: str) -> SpecValue | None:
        wrong = check_shape(kind, said, path, lambda _: ())
        if kind == "config" and not wrong:
            self.chains.findings += _check_config(said)
        self.chains.findings += wrong
        return None if wrong else said


def _check_config(said: SpecValue) -> list[Finding]:
    """Return what is wrong with fields and rules; what the rules lead to may be anywhere in the file."""
    is_sound = remember_whether(
        "config is sound", said.data, lambda: not any(check_config_declaration(said.data))
    )
    return [] if is_sound else [each.to_finding(said.origin) for each in check_config_declaration(said.data)]


@cache
def _build_change_shape(kind: str) -> Shape:
    """Return the shape of a file that only says what it changes."""
    whole = read_schema(kind)
    return Shape({**whole["$defs"]["changes"], "$defs": whole["$defs"]}, name=f"{kind}-changes")
