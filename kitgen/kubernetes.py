"""Kubernetes' own type definitions, as the kubernetes-validate package ships them.

They are package data that never changes while the program runs, so every layer may ask for them.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from kitgen.errors import KitgenError
from kitgen.yamlio import JsonObject

FOLDER = re.compile(r"v1\.(\d+)\.\d+-local$")


@cache
def _root() -> Path:
    # Importing the package would pull in jsonschema and cost more than all the reading.
    spec = find_spec("kubernetes_validate")
    if spec is None or not spec.submodule_search_locations:
        raise KitgenError(
            "the package kubernetes-validate is not installed", hint="pip install kubernetes-validate"
        )
    return Path(spec.submodule_search_locations[0]) / "kubernetes-json-schema"


@cache
def minors() -> tuple[int, ...]:
    """Return the minors of Kubernetes 1 whose definitions are known, oldest first."""
    found = (FOLDER.match(entry.name) for entry in _root().iterdir())
    return tuple(sorted(int(match[1]) for match in found if match))


@cache
def definitions(minor: int, *, strict: bool = False) -> JsonObject:
    """Return every definition of a minor by its full name, such as io.k8s.api.core.v1.Pod.

    A strict one refuses unknown fields. References look like `/api/_definitions.json#/$defs/NAME`.
    """
    import orjson

    if minor not in minors():
        known = f"1.{minors()[0]} to 1.{minors()[-1]}"
        raise KitgenError(f"Kubernetes 1.{minor} is not known", hint=f"known are {known}")
    folder = f"v1.{minor}.0-local" + ("-strict" if strict else "")
    data: JsonObject = orjson.loads((_root() / folder / "_definitions.json").read_bytes())
    defs: JsonObject = data["$defs"]
    return defs
