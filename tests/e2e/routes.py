"""The two routes from specs to objects: `kitgen build`, and kustomize over what `kitgen render` writes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import kits
import normal
import recorded

from kitgen.files import programs
from kitgen.render.outputs import render_output
from kitgen.text.yaml import JsonObject, dump_yaml_documents
from kitgen.workspace.compilation import compile_source
from kitgen.workspace.kit import OpenedKit
from kitgen.workspace.sources import SourceKind, SourceName

OLD_FIELDS = ("vars", "commonLabels", "bases", "patchesStrategicMerge", "patchesJson6902")
"""Fields of kustomize that are on their way out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """A kit with what it renders."""

    name: str
    opened: OpenedKit
    tree: dict[str, str]

    def recording(self, folder: str) -> str:
        return f"{self.name} {folder}"


def kit(name: str, opened: OpenedKit) -> Kit:
    plans = [opened.plan(target) for target in opened.kit.targets.values()]
    return Kit(name=name, opened=opened, tree=render_output("kustomize", plans))


def built(
    opened: OpenedKit, target: str, component: str | None, release: str | None = None
) -> list[JsonObject]:
    """Return what `kitgen build` prints, read back; of this project's kit it is kept, for it is long."""
    key = (opened.root, target, component, release or opened.target(target).release)
    if key not in _built:
        name = SourceName(
            kind=SourceKind.TARGET, name=target, component=component or "", version=release or ""
        )
        made = normal.parsed(dump_yaml_documents(each.body for each in compile_source(opened, name).objects))
        if opened.root != kits.PROJECT:
            return made
        _built[key] = made
    return _built[key]


_built: dict[tuple[Path, str, str | None, str], list[JsonObject]] = {}


def kustomized(folder: Path) -> list[JsonObject]:
    """Return what the real kustomize makes of a folder; it must have nothing to complain about."""
    command = programs.find_kustomize()
    assert command, "neither kustomize nor kubectl is on PATH"
    result = programs.run_program([*command, str(folder)])
    assert result.is_successful, result.stderr
    assert result.stderr == "", result.stderr
    return normal.parsed(result.stdout)


def written(tree: dict[str, str], folder: Path) -> Path:
    return kits.write(folder, tree)


def assert_recorded(kit: Kit, folder: str, objects: list[JsonObject]) -> None:
    """Hold objects against what kustomize once built from the same files."""
    name = kit.recording(folder)
    kept = recorded.recordings().get(name)
    assert kept, f"nothing is recorded for {folder}; {recorded.RECORD}"
    same = kept["files"] == recorded.files_digest(kit.tree, folder)
    assert same, f"{folder} has changed since kustomize built it; {recorded.RECORD}"
    got = normal.by_key(objects)
    if {key: recorded.digest(body) for key, body in got.items()} != kept["objects"]:
        assert normal.differing(got, recorded.objects(name)) == []
        raise AssertionError(f"a digest of {name} is wrong; {recorded.RECORD}")


def keep(kit: Kit, folder: str, objects: list[JsonObject]) -> None:
    files = recorded.files_digest(kit.tree, folder)
    recorded.store(kit.recording(folder), files, normal.by_key(objects))
