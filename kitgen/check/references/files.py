"""Files that containers ask for, of the ConfigMaps and Secrets that are mounted there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kitgen.check.index import Pod, below, entries
from kitgen.check.pods import CONTAINERS
from kitgen.check.references.configuration import KEY_MISSING, keys_of
from kitgen.check.references.scene import Found, Scene, text
from kitgen.findings import Chapter, Path, Problem, Rule, Severity, near
from kitgen.schema.wording import cut
from kitgen.yamlio import Json, JsonObject

MOUNTED_FILE_MISSING = Rule(
    id="mounted-file-missing",
    chapter=Chapter.BETWEEN,
    checks=(
        "A file that an argument or a variable of a container names, below the place where a ConfigMap or "
        "Secret is mounted, is one of its files."
    ),
    fix="Correct the path, or the key and path of the file in the volume.",
    why=(
        "Nobody but the cluster can write there, so the file never comes to be: a program that is told to "
        "read it ends with an error, or goes on with its defaults."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

SOURCES = (("configMap", "ConfigMap", "name"), ("secret", "Secret", "secretName"))
FILE = re.compile(r"(?:--?[A-Za-z][\w.-]*=)?(?P<path>(?:/[\w.-]+){2,})")
LONGEST = 4096


class _Volume(NamedTuple):
    """What a volume is made of."""

    owner: str
    files: list[str]


class _Mount(NamedTuple):
    """Where a volume is in a container; one without a volume hides what is above it."""

    path: str
    volume: _Volume | None


def look(scene: Scene) -> Iterator[Found]:
    """Yield files that are asked for and are not there."""
    for pod in scene.index.pods:
        volumes = _volumes(scene, pod)
        for kind in CONTAINERS if volumes else ():
            for index, container in entries(pod.spec, kind):
                for problem in (*_parts(container, volumes), *_named(container, volumes)):
                    yield pod.manifest, problem.below(*pod.at(kind, index))


def _volumes(scene: Scene, pod: Pod) -> dict[str, _Volume]:
    """Return the volumes of which all files are known, by name."""
    found: dict[str, _Volume] = {}
    for _, volume in entries(pod.spec, "volumes"):
        for field, kind, name in SOURCES:
            there = scene.get("", kind, pod.namespace, below(volume, field, name))
            chosen = [text(item.get("path")) for _, item in entries(volume, field, "items")]
            if there is None or not (keys := keys_of(there)) or any(".." in each for each in chosen):
                continue
            found[text(volume.get("name"))] = _Volume(str(there.id), chosen or keys)
    return found


def _has(volume: _Volume, path: str) -> bool:
    """Tell whether a path is that of a file, or of a folder with one."""
    wanted = path.strip("/")
    return not wanted or any(f"{each}/".startswith(f"{wanted}/") for each in volume.files)


def _parts(container: JsonObject, volumes: dict[str, _Volume]) -> Iterator[Problem]:
    """Yield mounts of a file that is not in its volume."""
    for index, mount in entries(container, "volumeMounts"):
        volume, part = volumes.get(text(mount.get("name"))), text(mount.get("subPath"))
        if volume and not _has(volume, part):
            message = f"found the file {cut(part)}, which {volume.owner} does not have"
            hint = near(part, volume.files) or f"it has {cut(volume.files[0])}"
            yield KEY_MISSING(message, ("volumeMounts", index, "subPath"), hint)


def _named(container: JsonObject, volumes: dict[str, _Volume]) -> Iterator[Problem]:
    """Yield files that a container is told of and that are not where they should be."""
    mounts = [
        _Mount(
            f"{text(each.get('mountPath')).rstrip('/')}/",
            None if "subPath" in each or "subPathExpr" in each else volumes.get(text(each.get("name"))),
        )
        for _, each in entries(container, "volumeMounts")
    ]
    for path, value in _words(container):
        match = FILE.fullmatch(value[:LONGEST])
        file = match["path"] if match else ""
        mount = max((each for each in mounts if file.startswith(each.path)), key=_depth, default=None)
        if mount is None or mount.volume is None or _has(mount.volume, file[len(mount.path) :]):
            continue
        there = [f"{mount.path}{each}" for each in mount.volume.files]
        message = f"found the file {cut(file)}, which {mount.volume.owner}, mounted there, does not have"
        yield MOUNTED_FILE_MISSING(message, path, near(file, there) or f"it has {cut(there[0])}")


def _depth(mount: _Mount) -> int:
    return len(mount.path)


def _words(container: JsonObject) -> Iterator[tuple[Path, str]]:
    """Yield what a container is told."""
    for key in ("command", "args"):
        found: Json = container.get(key)
        for index, word in enumerate(found if isinstance(found, list) else ()):
            if isinstance(word, str):
                yield (key, index), word
    for index, variable in entries(container, "env"):
        if isinstance(value := variable.get("value"), str):
            yield ("env", index, "value"), value
