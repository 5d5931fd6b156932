"""Check files that containers read from mounted ConfigMaps and Secrets."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from kitgen.check.references.configuration import keys_of
from kitgen.check.references.target_objects import Found, TargetObjects
from kitgen.findings import Problem, near, problem
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import ContainerView, PodView
from kitgen.text.values import entries_at, text_at, value_at
from kitgen.text.wording import cut
from kitgen.text.yaml import JsonObject

SOURCES = (("configMap", "ConfigMap", "name"), ("secret", "Secret", "secretName"))
FILE = re.compile(r"(?:--?[A-Za-z][\w.-]*=)?(?P<path>(?:/[\w.-]+){2,})")
LONGEST, MANY = 4096, 300
"""Characters of an argument, and files of a volume, that are worth a look for a hint."""


class _Volume(NamedTuple):
    """What a volume is made of."""

    owner: str
    files: list[str]
    ways: list[str]
    """The files in order, each with a slash behind it, so that one can be looked up by where it starts."""


def look(scene: TargetObjects) -> Iterator[Found]:
    """Yield files that are required and missing."""
    known: dict[int, _Volume] = {}
    for pod in scene.index.pods:
        volumes = _volumes(scene, pod, known)
        for container in pod.containers if volumes else ():
            for wrong in (*_parts(container.body, volumes), *_named(container, volumes)):
                yield pod.manifest, wrong.below(*container.path)


def _volumes(scene: TargetObjects, pod: PodView, known: dict[int, _Volume]) -> dict[str, _Volume]:
    """Return the volumes of which all files are known, by name; those of whole objects are kept as known."""
    found: dict[str, _Volume] = {}
    for _, volume in entries_at(pod.spec, "volumes"):
        for field, kind, name in SOURCES:
            there = scene.get("", kind, pod.namespace, value_at(volume, field, name))
            chosen = [text_at(item, "path") for _, item in entries_at(volume, field, "items")]
            if there is None or any(".." in each for each in chosen):
                continue
            if id(there) not in known:
                known[id(there)] = _volume(there, keys_of(there))
            whole = known[id(there)]
            if whole.files:
                found[text_at(volume, "name")] = _volume(there, chosen) if chosen else whole
    return found


def _volume(there: Manifest, files: list[str]) -> _Volume:
    return _Volume(str(there.id), files, sorted(f"{each}/" for each in files))


def _has(volume: _Volume, path: str) -> bool:
    """Return whether a path is that of a file, or of a folder with one."""
    wanted = f"{path.strip('/')}/"
    at = bisect_left(volume.ways, wanted)
    return wanted == "/" or (at < len(volume.ways) and volume.ways[at].startswith(wanted))


def _parts(container: JsonObject, volumes: dict[str, _Volume]) -> Iterator[Problem]:
    """Yield mounts of a file that is not in its volume."""
    for index, mount in entries_at(container, "volumeMounts"):
        volume, part = volumes.get(text_at(mount, "name")), text_at(mount, "subPath")
        if volume and not _has(volume, part):
            message = f"found the file {cut(part)}, which {volume.owner} does not have"
            hint = near(part, volume.files) or f"it has {cut(volume.files[0])}"
            yield problem("key-missing", message, ("volumeMounts", index, "subPath"), hint)


def _named(container: ContainerView, volumes: dict[str, _Volume]) -> Iterator[Problem]:
    """Yield files that a container's settings name and that are not where they should be."""
    mounts: dict[str, _Volume | None] = {}
    for _, each in entries_at(container.body, "volumeMounts"):
        is_part = "subPath" in each or "subPathExpr" in each
        volume = None if is_part else volumes.get(text_at(each, "name"))
        mounts.setdefault(f"{text_at(each, 'mountPath').rstrip('/')}/", volume)
    values = [(("env", at, "value"), text_at(each, "value")) for at, each in container.variables]
    for path, value in (*container.words, *values):
        match = FILE.fullmatch(value[:LONGEST])
        file = match["path"] if match else ""
        mount = next((each for each in _above(file) if each in mounts), "")
        if (found := mounts.get(mount)) is None or _has(found, file[len(mount) :]):
            continue
        message = f"found the file {cut(file)}, which {found.owner}, mounted there, does not have"
        there = [f"{mount}{each}" for each in found.files[:MANY]]
        yield problem("mounted-file-missing", message, path, near(file, there) or f"it has {cut(there[0])}")


def _above(file: str) -> Iterator[str]:
    """Yield the folders that a file is in, the nearest first."""
    while (end := file.rfind("/")) >= 0:
        yield file[: end + 1]
        file = file[:end]
