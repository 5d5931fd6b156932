"""The component.yaml of an import: the one that is there, one like the version before, or a new one."""

from __future__ import annotations

import re

from msgspec import Struct, field

from kitgen.crds.declare.format import flow
from kitgen.crds.importer.surroundings import Surroundings
from kitgen.errors import KitgenError
from kitgen.load import SpecFiles
from kitgen.load.beside import Beside
from kitgen.load.chain import Chains
from kitgen.pipeline.crds.declared import read_spec
from kitgen.pipeline.crds.neighbours import version_before
from kitgen.pipeline.flattened import flattened, whole
from kitgen.yamlio import read
from kitgen.yamlio.edit import set_value

NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
VERSION = re.compile(r"v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?")
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


def start_of(specs: SpecFiles, folder: str) -> Start:
    """Return what a version starts from: its own spec, or that of the version before."""
    has = specs.files.exists
    if has(f"{folder}/{SPEC}"):
        text = _text(specs, f"{folder}/{SPEC}")
        if "from" in read(text):
            name = "@".join(folder.split("/")[-2:])
            hint = f"kitgen flatten {name} writes it out"
            raise KitgenError(f"{name} builds on another version, and would keep CRDs of that", hint=hint)
        return Start(text=text)
    component, _, version = folder.rpartition("/")
    names = [name for name in specs.files.names(component) if has(f"{component}/{name}/{SPEC}")]
    older = version_before(filter(VERSION.fullmatch, names), version)
    if not older or has(f"{folder}/crds"):
        return Start()
    before, config = _written_out(specs, f"{component}/{older}/{SPEC}")
    text = set_value(before, "version", version)
    return Start(text=text, taken=older, others={CONFIG: config} if config else {})


def _written_out(specs: SpecFiles, file: str) -> tuple[str, str]:
    """Return the texts of a component.yaml and its config.yaml, with all that the version builds on."""
    config, text = file.replace(SPEC, CONFIG), _text(specs, file)
    if "from" not in read(text):
        return text, _text(specs, config) if specs.files.exists(config) else ""
    chains = Chains(specs, specs.listed()[0])
    said, beside = chains.spec(file), Beside(chains).files(file)
    if said is None or chains.findings:
        raise KitgenError(f"{file} builds on what has errors", hint="run kitgen check")
    texts = [specs.texts[each] for each in reversed(chains.way(file))]
    return flattened(texts, said.data), whole(specs.texts, beside[CONFIG]) if CONFIG in beside else ""


def _text(specs: SpecFiles, name: str) -> str:
    """Return a spec's text once it can be read as a mapping."""
    if not isinstance(read_spec(specs, name), dict):
        raise KitgenError(f"{name} holds no component", hint="run kitgen check")
    return specs.texts[name]


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
