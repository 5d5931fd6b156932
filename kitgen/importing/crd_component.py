"""The component that CRDs are imported into: what the kit knows of it, and the files of its folder.

The kit knows labels, Services, minors, and earlier CRDs. The folder has the component.yaml (an existing one,
a copy of the previous version's, or a new one) and the declarations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.crd.declaration import crd_full_name, expand_crds
from kitgen.crd.format import render_flow
from kitgen.crd.importer.component_metadata import CrdMetadata
from kitgen.crd.importer.declaration_fields import EarlierCrds
from kitgen.findings import Origin
from kitgen.findings.errors import KitgenError
from kitgen.kit.file_changes import is_change_file
from kitgen.kit.flattened_text import flatten_file, flatten_texts
from kitgen.kit.inheritance import Chains
from kitgen.kit.inherited_files import CompanionFiles
from kitgen.kit.load import load_kit
from kitgen.kit.spec_files import SpecFiles
from kitgen.render.crd_additions import collect_crd_metadata
from kitgen.render.session import Session
from kitgen.text.patterns import compile_late
from kitgen.text.schema_check import check_against_schema
from kitgen.text.semver import version_key
from kitgen.text.values import value_at
from kitgen.text.yaml import Json, JsonObject, read_yaml
from kitgen.text.yaml.edits import set_value


def load_crd_context(
    specs: SpecFiles, name: str, version: str
) -> tuple[CrdMetadata | None, EarlierCrds | None]:
    """Return what a component puts on its CRDs, and those of this version or of the one before.

    Of a kit with errors, nothing is known.
    """
    try:
        kit = load_kit(specs)
    except KitgenError:
        return None, None
    versions = kit.components.get(name, {})
    if not (chosen := version if version in versions else find_previous_version(versions, version)):
        return None, None
    session = Session(kit)
    bodies = tuple(manifest.body for manifest in session.expand_crds(versions[chosen]).value)
    surroundings = collect_crd_metadata(session, replace(versions[chosen], version=version))
    return surroundings, EarlierCrds(version=chosen, bodies=bodies) if bodies else None


def find_previous_version(versions: Iterable[str], version: str) -> str:
    """Return the newest of some versions that is older than one, or an empty string."""
    older = [each for each in versions if version_key(each) < version_key(version)]
    return max(older, key=version_key, default="")


Existing: TypeAlias = Mapping[str, tuple[str, JsonObject]]
"""Name of a CRD → the file that declares it, and the declaration."""


def read_declarations(specs: SpecFiles, folder: str) -> Existing:
    """Return the declarations in a component's folder."""
    found = {}
    for file in (f"{folder}/crds/{name}" for name in specs.files.list_names(f"{folder}/crds")):
        if file.endswith(".yaml"):
            data = read_spec(specs, file)
            if (
                not isinstance(data, dict)
                or is_change_file(data)
                or check_against_schema("crd", data, Origin(file))
            ):
                raise KitgenError(f"{file} holds no declaration", hint="run kitgen check")
            found[crd_full_name(data)] = (file, data)
    return found


def read_spec(specs: SpecFiles, name: str) -> Json:
    """Read a spec that must be in order before an import changes its folder."""
    data, wrong = specs.read_data(name)
    if wrong:
        raise KitgenError(f"cannot read {name}", hint="run kitgen check")
    return data


def find_affected_declarations(known: Existing, fresh: Mapping[str, JsonObject], minor: int) -> list[str]:
    """Return the declarations that stay, and would stand for something else beside the fresh ones."""
    stay = {name: data for name, (_, data) in known.items() if name not in fresh}
    if not stay:
        return []
    before, after = (
        dict(
            zip(
                files,
                expand_crds([(Origin(name), files[name]) for name in files], minor=minor).bodies,
                strict=True,
            )
        )
        for files in ({name: data for name, (_, data) in known.items()}, {**stay, **fresh})
    )
    return [name for name in stay if before[name] != after[name]]


NAME = compile_late(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
VERSION = compile_late(r"v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?")
SPEC, CONFIG = "component.yaml", "config.yaml"
HEAD = "# yaml-language-server: $schema=../../../schemas/component.json\n"


class VersionTemplate(Struct, frozen=True, kw_only=True):
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
        declared = str(value_at(read_yaml(self.text) if self.text else None, "kubernetes"))
        return int(declared[2:]) if re.fullmatch(r"1\.[0-9]{1,3}", declared) else 0


def load_version_template(specs: SpecFiles, folder: str) -> VersionTemplate:
    """Return what a version starts from: its own spec, or that of the version before."""
    has = specs.files.exists
    if has(f"{folder}/{SPEC}"):
        text = _read_component_text(specs, f"{folder}/{SPEC}")
        if "from" in read_yaml(text):
            name = "@".join(folder.split("/")[-2:])
            raise KitgenError(
                f"{name} builds on another version, and would keep CRDs of that",
                hint=f"kitgen flatten {name} writes it out",
            )
        return VersionTemplate(text=text)
    component, _, version = folder.rpartition("/")
    names = [name for name in specs.files.list_names(component) if has(f"{component}/{name}/{SPEC}")]
    if not (older := find_previous_version(filter(VERSION.fullmatch, names), version)) or has(
        f"{folder}/crds"
    ):
        return VersionTemplate()
    before, config = _read_flattened_texts(specs, f"{component}/{older}/{SPEC}")
    others = {CONFIG: config} if config else {}
    return VersionTemplate(text=set_value(before, "version", version), taken=older, others=others)


def _read_flattened_texts(specs: SpecFiles, file: str) -> tuple[str, str]:
    """Return the texts of a component.yaml and its config.yaml, with all that the version builds on."""
    config, text = file.replace(SPEC, CONFIG), _read_component_text(specs, file)
    if "from" not in read_yaml(text):
        return text, _read_component_text(specs, config) if specs.files.exists(config) else ""
    chains = Chains(specs, specs.list_specs()[0])
    said, beside = chains.spec(file), CompanionFiles(chains).files(file)
    if said is None or chains.findings:
        raise KitgenError(f"{file} builds on what has errors", hint="run kitgen check")
    texts = [specs.texts[each] for each in reversed(chains.list_chain(file))]
    return flatten_texts(texts, said.data), flatten_file(
        specs.texts, beside[CONFIG]
    ) if CONFIG in beside else ""


def _read_component_text(specs: SpecFiles, name: str) -> str:
    """Return a spec's text once it can be read as a mapping."""
    if not isinstance(read_spec(specs, name), dict):
        raise KitgenError(f"{name} holds no component", hint="run kitgen check")
    return specs.texts[name]


def render_component_yaml(component: str, version: str, minor: int, surroundings: CrdMetadata) -> str:
    """Return the component.yaml of a new component, with what all its CRDs have in common."""
    home = surroundings.home
    lines = [f"component: {component}", f"version: {version}", f'kubernetes: "1.{minor}"']
    if home.prefix:
        lines.append(f"prefix: {render_flow(home.prefix)}")
    if home.namespace not in ("", component):
        lines.append(f"namespace: {render_flow(home.namespace)}")
    if surroundings.labels:
        lines += ["labels:", f"- pairs: {render_flow(dict(surroundings.labels.keys()))}"]
    return HEAD + "".join(f"{line}\n" for line in lines)
