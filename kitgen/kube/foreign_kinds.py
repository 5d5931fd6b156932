"""Kinds of other projects for which kitgen ships declarations, by API group.

A folder of `schemas/kinds` has the name of a group: `group.yaml` names the origin of the facts, and every
other file declares a CRD as a component does. Names from foreign manifests are compared, never opened. A file
is read when its group is looked up. `kinds` beside this module has what `make docs` expands them to.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

from msgspec import Struct

from kitgen.text.patterns import compile_late
from kitgen.text.schema_check import find_schema_folder
from kitgen.text.yaml import JsonObject, read_yaml

ABOUT = "group"
EXPANDED = Path(__file__).with_name("kinds")
KIND = compile_late(r"^names:\s*\{?\s*kind: (\w+)", re.MULTILINE)
CLUSTER = compile_late(r"^scope: Cluster$", re.MULTILINE)


class ForeignGroup(Struct, frozen=True, kw_only=True):
    """What is said of all declarations of a group."""

    source: str
    """The project and the version that has these CRDs."""
    minor: int
    """The minor of Kubernetes 1 whose types the declarations name."""
    admission: JsonObject
    """Plural → what the project's own admission changes in a declaration, as $remove, $set and $add."""


@cache
def list_groups() -> dict[str, Path]:
    """Return the folder of each group."""
    return {path.name: path for path in sorted((find_schema_folder() / "kinds").iterdir())}


@cache
def read_group(group: str) -> ForeignGroup:
    """Return what is said of a group that there is."""
    data = read_yaml((list_groups()[group] / f"{ABOUT}.yaml").read_text(encoding="utf-8"))
    minor = int(data["kubernetes"].removeprefix("1."))
    return ForeignGroup(source=data["source"], minor=minor, admission=data.get("admission", {}))


@cache
def read_declaration_texts(group: str) -> dict[str, str]:
    """Return the declarations of a group by plural; none if kitgen has no such group."""
    if group not in list_groups():
        return {}
    files = sorted(list_groups()[group].glob("*.yaml"))
    return {file.stem: file.read_text(encoding="utf-8") for file in files if file.stem != ABOUT}


@cache
def plurals_by_kind(group: str) -> dict[str, str]:
    """Return the kinds of a group, each with its plural."""
    return {
        match[1]: plural
        for plural, text in read_declaration_texts(group).items()
        if (match := KIND.search(text))
    }


@cache
def read_declaration(group: str, plural: str) -> JsonObject:
    """Return a declaration that there is; callers share it and must not change it."""
    data: JsonObject = read_yaml(read_declaration_texts(group)[plural])
    return data


@cache
def read_crd(group: str, plural: str) -> JsonObject:
    """Return what a declaration that there is expands to; callers share it and must not change it."""
    import orjson

    data: JsonObject = orjson.loads((EXPANDED / f"{plural}.{group}.json").read_bytes())
    return data


@lru_cache(maxsize=4096)
def is_cluster_scoped(group: str, kind: str) -> bool:
    """Return whether a kind is declared here, and as one whose objects live in no namespace."""
    plural = plurals_by_kind(group).get(kind) if group in list_groups() else None
    return plural is not None and CLUSTER.search(read_declaration_texts(group)[plural]) is not None
