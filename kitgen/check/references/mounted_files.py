"""Check files that containers read from mounted ConfigMaps and Secrets."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from kitgen.check.references.configuration import keys_of
from kitgen.check.references.target_objects import FEW, Found, TargetObjects
from kitgen.findings import Problem, make_problem, suggest_word
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import ContainerView, PodView
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at, text_at, value_at
from kitgen.text.wording import quote_text

SOURCES = (("configMap", "ConfigMap", "name"), ("secret", "Secret", "secretName"))
FILE = compile_late(r"(?:--?[A-Za-z][\w.-]*=)?((?:/[\w.-]+){2,})")
LONGEST = 4096
"""Characters of an argument that are worth a look."""


class _Volume(NamedTuple):
    """What a volume is made of."""

    owner: str
    files: list[str]
    ways: list[str]
    """The files in order, each with a slash behind it, so that one can be looked up by where it starts."""

    def has_path(self, path: str) -> bool:
        """Return whether a path is that of a file, or of a folder with one."""
        wanted = f"{path.strip('/')}/"
        at = bisect_left(self.ways, wanted)
        return wanted == "/" or any(each.startswith(wanted) for each in self.ways[at : at + 1])


def check_mounted_files(scene: TargetObjects) -> Iterator[Found]:
    """Yield files that are required and missing."""
    known: dict[int, _Volume] = {}
    for pod in scene.index.pods:
        volumes = _collect_volumes(scene, pod, known)
        for container in pod.containers if volumes else ():
            yield from ((pod.manifest, wrong) for wrong in _check_files(container, volumes))


def _collect_volumes(scene: TargetObjects, pod: PodView, known: dict[int, _Volume]) -> dict[str, _Volume]:
    """Return the volumes of which all files are known, by name; those of whole objects are kept as known."""
    found: dict[str, _Volume] = {}
    for _, volume in entries_at(pod.spec, "volumes"):
        for field, kind, name in SOURCES:
            there = scene.get("", kind, pod.namespace, value_at(volume, field, name))
            chosen = [text_at(item, "path") for _, item in entries_at(volume, field, "items")]
            if there is None or any(".." in each for each in chosen):
                continue
            if id(there) not in known:
                known[id(there)] = _build_volume(there, keys_of(there))
            if known[id(there)].files:
                found[text_at(volume, "name")] = _build_volume(there, chosen) if chosen else known[id(there)]
    return found


def _build_volume(there: Manifest, files: list[str]) -> _Volume:
    return _Volume(str(there.id), files, sorted(f"{each}/" for each in files))


def _check_files(container: ContainerView, volumes: dict[str, _Volume]) -> Iterator[Problem]:
    """Yield files that a container's settings name and that are not where they should be."""
    mounts = {
        f"{text_at(each, 'mountPath').rstrip('/')}/": volumes.get(text_at(each, "name"))
        if "subPath" not in each and "subPathExpr" not in each
        else None
        for _, each in reversed(entries_at(container.body, "volumeMounts"))
    }
    values = [(("env", at, "value"), text_at(each, "value")) for at, each in container.variables]
    for path, value in (*container.arguments, *values):
        file = match[1] if (match := FILE.fullmatch(value[:LONGEST])) else ""
        folders = (file[: at + 1] for at in range(len(file) - 1, -1, -1) if file[at] == "/")
        mount = next((each for each in folders if each in mounts), "")
        volume = mounts.get(mount)
        if volume and not volume.has_path(file[len(mount) :]):
            message = f"found the file {quote_text(file)}, which {volume.owner}, mounted there, does not have"
            there = [f"{mount}{each}" for each in volume.files[:FEW]]
            hint = suggest_word(file, there) or f"it has {quote_text(there[0])}"
            yield make_problem("mounted-file-missing", message, container.path_to(*path), hint)
