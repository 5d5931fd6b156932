"""Objects that are kept in tests/data: what was equal to the downstreams, and results of the real kustomize.

`reference/` holds what kitgen built when it was proven equal, a file a component. `kustomize.json` holds
results of kustomize for machines that have none. A result is good only for the files it was made from, so
their digest is kept beside it. Its objects are named by digest too: most are those of the reference, the
others stand in `objects.yaml`. `crds.json` holds digests of the CRDs of all versions, and `kinds.json` of
the CRDs of other projects.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from kitgen.text.yaml import JsonObject, read_yaml

DATA = Path(__file__).parent / "data"
REFERENCE = DATA / "reference"
KUSTOMIZE = DATA / "kustomize.json"
OBJECTS = DATA / "objects.yaml"
CRDS = DATA / "crds.json"
KINDS = DATA / "kinds.json"
RECORD = "run: make update (it needs kustomize or kubectl)"
FOLDED = 200
"""Parts that are longer than this, as JSON, are written once a file: a CRD repeats pods many times."""


class Dumper(yaml.CSafeDumper):
    """Writes a long part that comes again as an alias."""

    def ignore_aliases(self, data: Any) -> bool:
        return not isinstance(data, dict | list) or len(_json(data)) <= FOLDED


def references() -> list[str]:
    """Return the builds that are kept, as RELEASE TARGET COMPONENT."""
    return sorted(f"{file.parent.name} {target} {file.stem}" for file in _files() for target in _load(file))


def reference(build: str) -> dict[str, JsonObject]:
    release, target, component = build.split()
    return _load(_file(release, component))[target]


def store_reference(build: str, objects: dict[str, JsonObject]) -> None:
    release, target, component = build.split()
    file = _file(release, component)
    _bodies().update({digest(body): body for body in objects.values()})
    _store(file, dict(sorted({**_load(file), target: objects}.items())))


def forget_reference(build: str) -> None:
    release, target, component = build.split()
    file = _file(release, component)
    _bodies()  # recordings may name its objects until they are made anew
    left = {name: objects for name, objects in _load(file).items() if name != target}
    _store(file, left)
    if not left:
        file.unlink()


def digest(value: Any) -> str:
    return hashlib.sha256(_json(value).encode()).hexdigest()[:20]


def crd_digests(file: Path = CRDS) -> dict[str, str]:
    """Return what the CRDs of the kit were, as COMPONENT/VERSION/PLURAL, or those of others."""
    kept: dict[str, str] = json.loads(file.read_text())
    return kept


def store_crd_digests(digests: dict[str, str], file: Path = CRDS) -> None:
    _write(file, json.dumps(dict(sorted(digests.items())), indent=1) + "\n")


@cache
def recordings() -> dict[str, Any]:
    """Return what is kept of kustomize; what is changed here is written at the end."""
    return json.loads(KUSTOMIZE.read_text()) if KUSTOMIZE.exists() else {}


@cache
def _bodies() -> dict[str, JsonObject]:
    """Return the objects that the recordings need, and perhaps more, by their digests."""
    return {**_load(OBJECTS), **_referenced()}


def store(name: str, files: str, objects: dict[str, JsonObject]) -> None:
    """Keep what kustomize made of files."""
    digests = {key: digest(body) for key, body in objects.items()}
    recordings()[name] = {"files": files, "objects": digests}
    _bodies().update({digests[key]: body for key, body in objects.items()})


def strangers(known: set[str], kinds: tuple[str, ...], *, forget: bool) -> list[str]:
    """Return the recordings of some kinds that nobody makes any more, or forget them."""
    found = sorted(name for name in recordings() if name.startswith(kinds) and name not in known)
    for name in found if forget else ():
        del recordings()[name]
    return [] if forget else found


def write_recordings() -> None:
    """Write the recordings, with the objects of theirs that the reference does not hold."""
    for file, text in recording_texts().items():
        _write(file, text)
    _load.cache_clear()


def recording_texts() -> dict[Path, str]:
    """Return what the files of the recordings are to hold."""
    kept = dict(sorted(recordings().items()))
    used = {one for each in kept.values() for one in each["objects"].values()} - _referenced().keys()
    bodies = {one: _bodies()[one] for one in sorted(used & _bodies().keys())}
    return {KUSTOMIZE: json.dumps(kept, indent=1) + "\n", OBJECTS: _dumped(bodies)}


def objects(name: str) -> dict[str, JsonObject]:
    """Return the objects of a recording."""
    return {key: _bodies()[one] for key, one in recordings()[name]["objects"].items()}


@cache
def _referenced() -> dict[str, JsonObject]:
    builds = [objects for file in _files() for objects in _load(file).values()]
    return {digest(body): body for objects in builds for body in objects.values()}


def _file(release: str, component: str) -> Path:
    return REFERENCE / release / f"{component}.yaml"


def _files() -> list[Path]:
    return sorted(REFERENCE.rglob("*.yaml"))


@cache
def _load(file: Path) -> dict[str, Any]:
    return yaml.load(file.read_text(), yaml.CSafeLoader) if file.exists() else {}


def _store(file: Path, value: dict[str, Any]) -> None:
    _write(file, _dumped(value))
    _load.cache_clear()
    _referenced.cache_clear()


def _dumped(value: dict[str, Any]) -> str:
    text: str = yaml.dump(_shared(value, {}), Dumper=Dumper, width=1000, allow_unicode=True)
    return text


def _write(file: Path, text: str) -> None:
    """Write a file, if it is to be another one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def _shared(value: Any, seen: dict[str, Any]) -> Any:
    """Return a value in which equal parts are one and the same."""
    match value:
        case dict():
            value = {key: _shared(each, seen) for key, each in value.items()}
        case list():
            value = [_shared(each, seen) for each in value]
        case _:
            return value
    return seen.setdefault(_json(value), value)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def used_files(tree: dict[str, str], folder: str) -> dict[str, str]:
    """Return the files that a build of a folder reads: its own, and those of what it builds on."""
    prefix = f"{folder}/"
    found = {path: text for path, text in tree.items() if path.startswith(prefix)}
    for name in read_yaml(tree[f"{folder}/kustomization.yaml"]).get("resources", []):
        other = _joined(folder, name)
        if f"{other}/kustomization.yaml" in tree:
            found |= used_files(tree, other)
    return found


def _joined(folder: str, name: str) -> str:
    steps: list[str] = []
    for step in (PurePosixPath(folder) / name).parts:
        if step == "..":
            steps.pop()
        else:
            steps.append(step)
    return "/".join(steps)


def files_digest(tree: dict[str, str], folder: str) -> str:
    """Return a digest of what the files say; comments and quotes mean nothing to kustomize."""
    said = {path: _said(path, text) for path, text in sorted(used_files(tree, folder).items())}
    return digest(said)


@cache
def _said(path: str, text: str) -> str:
    return digest(read_yaml(text) if path.endswith(".yaml") else text)
