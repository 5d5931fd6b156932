"""The component.yaml of an import: the one that is there, one like the version before, or a new one."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct, field

from kitgen.crds.declare.format import flow
from kitgen.crds.importer.surroundings import Surroundings
from kitgen.errors import KitgenError
from kitgen.pipeline.crds.declared import read_file
from kitgen.pipeline.crds.neighbours import version_before
from kitgen.yamlio import read
from kitgen.yamlio.edit import set_value

VERSION = re.compile(r"v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$")
SPEC, CONFIG = "component.yaml", "config.yaml"
HEAD = "# yaml-language-server: $schema=../../../schemas/component.json\n"


class Start(Struct, frozen=True, kw_only=True):
    """What a version's folder starts from."""

    text: str = ""
    """The text of component.yaml; empty for a new component."""
    taken: str = ""
    """The version that it is taken from; empty if it is the folder's own."""
    others: dict[str, str] = field(default_factory=dict)
    """Files that are taken over as they are, by name."""

    @property
    def minor(self) -> int:
        """Return the minor that the component declares, 0 if there is none."""
        data = read(self.text) if self.text else None
        declared = str(data.get("kubernetes", "")) if isinstance(data, dict) else ""
        return int(declared[2:]) if re.fullmatch(r"1\.[0-9]{1,3}", declared) else 0


def start_of(folder: Path) -> Start:
    """Return what a version starts from: its own spec, or that of the version before."""
    if (folder / SPEC).exists():
        return Start(text=_text(folder / SPEC))
    siblings = [path.parent for path in folder.parent.glob(f"*/{SPEC}")]
    names = [path.name for path in siblings if VERSION.fullmatch(path.name)]
    older = version_before(names, folder.name)
    if not older or (folder / "crds").exists():
        return Start()
    before = folder.parent / older
    text = set_value(_text(before / SPEC), "version", folder.name)
    others = {CONFIG: _text(before / CONFIG)} if (before / CONFIG).exists() else {}
    return Start(text=text, taken=older, others=others)


def _text(path: Path) -> str:
    """Return a spec's text once it can be read as a mapping."""
    if not isinstance(read_file(path), dict):
        raise KitgenError(f"{path} holds no component", hint="run kitgen check")
    return path.read_text(encoding="utf-8")


def new_text(component: str, version: str, minor: int, surroundings: Surroundings) -> str:
    """Return the component.yaml of a new component, with what all its CRDs have in common."""
    home = surroundings.home
    lines = [f"component: {component}", f"version: {version}", f'kubernetes: "1.{minor}"']
    if home.prefix:
        lines.append(f"prefix: {flow(home.prefix)}")
    if home.namespace not in ("", component):
        lines.append(f"namespace: {flow(home.namespace)}")
    if surroundings.labels:
        lines += ["labels:", f"- pairs: {flow(dict(surroundings.labels.keys()))}"]
    return HEAD + "".join(f"{line}\n" for line in lines)
