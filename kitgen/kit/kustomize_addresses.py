"""Classify what a kustomization names: files, folders, and addresses that kustomize would fetch.

Names are read as all versions of kustomize read them: keys in any case, as Go reads JSON; addresses and
repositories even where a folder of that name exists.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from kitgen.findings import Path, Problem, make_problem
from kitgen.text.patterns import compile_late
from kitgen.text.secrets import redact_value
from kitgen.text.yaml import Json, JsonObject, walk_values

PLUGINS = frozenset({"generators", "transformers", "validators"})
"""Fields that name objects which tell kustomize what to do."""
FOLDERS = frozenset({"resources", "bases", "components"}) | PLUGINS
"""Fields that name files, folders and repositories."""
FILES = frozenset(
    {
        *("configurations", "crds", "openapi", "patches", "patchesjson6902", "patchesstrategicmerge"),
        *("configmapgenerator", "replacements", "secretgenerator"),
    }
)
"""Fields that name files and addresses."""
CHARTS = frozenset({"helmcharts", "helmchartinflationgenerator"})
NAMING = frozenset({"env", "envs", "files", "path", "paths"})
"""What names a file within an item of a field."""
PAIRS = frozenset({"files", "envs", "env"})
"""Where `KEY=FILE` may be said."""
ADDRESS = compile_late(r"https?:", re.IGNORECASE)
REPOSITORY = compile_late(
    r"git::|gh:|https?:|[a-z][a-z0-9+.-]*://|[a-z][a-z0-9-]*(?::[^/@]*)?@[^/:]+[/:]|github\.com[/:]",
    re.IGNORECASE,
)
"""What kustomize takes for a repository, whatever is there."""
LIKELY = compile_late(r"\.git(?:[/?]|$)|_git/|\?(?:ref|version|timeout|submodules|cache)=", re.IGNORECASE)
"""What a version of kustomize may take for one, if there is nothing of that name."""
LONGEST = 200
VENDOR = (
    "git clone it beside this tree and name the folder here; or run kubectl kustomize where the network may "
    "be asked, and name the file that it gives"
)
DOWNLOAD = "download it beside this file, and name the file here"
CHART = "run helm template where the network may be asked, and name the file that it gives under resources"


class KustomizationReference(NamedTuple):
    """A name in a kustomization."""

    path: Path
    field: str
    """The field at the top, in lower case."""
    names: tuple[str, ...]
    """What is named; of `KEY=FILE`, both the whole and the file."""

    @property
    def can_be_folder(self) -> bool:
        """Return whether a folder may be meant, and with it a repository."""
        return self.field in FOLDERS

    def check_remote(self) -> Problem | None:
        """Report that kustomize would fetch this, even if such a path exists."""
        pattern = REPOSITORY if self.can_be_folder else ADDRESS
        return self._report_remote() if any(map(pattern.match, self.names)) else None

    def check_missing(self) -> Problem | None:
        """Report that this looks like an address to fetch; no such path exists."""
        return (
            self._report_remote()
            if any(REPOSITORY.match(e) or LIKELY.search(e) for e in self.names)
            else None
        )

    def _report_remote(self) -> Problem:
        hint = (
            VENDOR
            if self.can_be_folder and not self.names[0].endswith((".yaml", ".yml", ".json"))
            else DOWNLOAD
        )
        found = f"found {quote_name(self.names[0])}, which kustomize would fetch"
        return make_problem(
            "tree-remote", f"{found}, expected a file or folder that is here", self.path, hint
        )


def quote_name(name: str) -> str:
    """Quote a name as a whole, if it is of any honest length."""
    return json.dumps(redact_value(name[:LONGEST]), ensure_ascii=False)


def list_references(data: JsonObject) -> Iterator[KustomizationReference]:
    """Yield every file, folder and address that a kustomization names."""
    for key, value in data.items():
        if (field := key.casefold()) in FOLDERS or field in FILES:
            yield from _find_references(value, (key,), field)


def list_plugin_references(config: JsonObject) -> Iterator[KustomizationReference]:
    """Yield every file and address that an object for kustomize names."""
    yield from _find_references(config, (), "patches")
    for key, value in config.items():
        if key.casefold() == "replacements":
            yield from _find_references(value, (key,), "replacements")


def check_charts(data: JsonObject) -> Iterator[Problem]:
    """Yield the charts of a kustomization."""
    yield from (
        make_problem(
            "tree-remote", f"found {key}, whose charts are fetched, expected resources", (key,), CHART
        )
        for key in data
        if key.casefold() in CHARTS
    )


def _find_references(value: Json, path: Path, field: str) -> Iterator[KustomizationReference]:
    """Yield what is named in a value: by itself, in a list, or in an item under a key that names files."""
    for steps, text in walk_values(value):
        keys = [step for step in steps if isinstance(step, str)]
        if isinstance(text, str) and all(key.casefold() in NAMING for key in keys):
            key, pair, file = text.partition("=")
            in_pair = pair and key and not PAIRS.isdisjoint((*path, *steps))
            yield KustomizationReference((*path, *steps), field, (text, file) if in_pair else (text,))
