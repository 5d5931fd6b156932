"""The declarations of a component in a kit: what is there, and how an import changes it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from kitgen.crds import expand
from kitgen.crds.declare.declaration import full_name
from kitgen.errors import KitgenError
from kitgen.findings import Origin
from kitgen.load import SpecFiles
from kitgen.load.changing import is_change
from kitgen.schema.shape import violations
from kitgen.yamlio import Json, JsonObject


class Existing(Struct, frozen=True, kw_only=True):
    """A declaration that the component has already."""

    file: str
    data: JsonObject


def existing(specs: SpecFiles, folder: str) -> dict[str, Existing]:
    """Return the declarations in a component's folder, by the name of their CRD."""
    found = {}
    for file in (f"{folder}/crds/{name}" for name in specs.files.names(f"{folder}/crds")):
        if file.endswith(".yaml"):
            data = read_spec(specs, file)
            if not isinstance(data, dict) or is_change(data) or violations("crd", data, Origin(file)):
                raise KitgenError(f"{file} holds no declaration", hint="run kitgen check")
            found[full_name(data)] = Existing(file=file, data=data)
    return found


def read_spec(specs: SpecFiles, name: str) -> Json:
    """Read a spec that must be in order before an import changes its folder."""
    data, wrong = specs.parsed(name)
    if wrong:
        raise KitgenError(f"cannot read {name}", hint="run kitgen check")
    return data


def disturbed(known: Mapping[str, Existing], fresh: Mapping[str, JsonObject], minor: int) -> list[str]:
    """Return the declarations that stay, and would stand for something else beside the fresh ones."""
    stay = {name: each.data for name, each in known.items() if name not in fresh}
    if not stay:
        return []
    before = _bodies({name: each.data for name, each in known.items()}, minor)
    after = _bodies({**stay, **fresh}, minor)
    return [name for name in stay if before[name] != after[name]]


def _bodies(files: Mapping[str, JsonObject], minor: int) -> dict[str, tuple[JsonObject, list[str]]]:
    """Return what each declaration stands for, and what is wrong with it."""
    expansion = expand([(Origin(name), data) for name, data in files.items()], minor=minor)
    wrong: dict[str, list[str]] = {name: [] for name in files}
    for finding in expansion.findings:
        wrong[finding.origin.file].append(f"{finding.rule} {finding.origin}")
    return {name: (body, sorted(wrong[name])) for name, body in zip(files, expansion.bodies, strict=True)}
