"""Lead what was rendered back to the specs: an object that they make just so is theirs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from kitgen.load.manifests import STDIN
from kitgen.objects import Manifest, ObjectId, is_namespaced
from kitgen.pipeline.compiled import compiled
from kitgen.pipeline.opened import Opened
from kitgen.pipeline.sources import Kind, SourceName
from kitgen.root import ARGOCD, BASES, OVERLAYS
from kitgen.schema.wording import counted

Made: TypeAlias = Mapping[ObjectId, list[Manifest]]
"""What targets make, by what it is called: several may make the same in other ways."""
RENDERS = "kitgen render --check lists files that are not as they were rendered"


def rendered_in(opened: Opened | None) -> Path | None:
    """Return the folder of overlays, if there is a kit."""
    return Path(os.path.realpath(opened.root)) / OVERLAYS if opened else None


def target_of(name: str, opened: Opened | None) -> str:
    """Return the first folder in overlays that a path leads to, such as that of a target; else nothing."""
    place, out = Path(os.path.realpath(name)), rendered_in(opened)
    if name == STDIN or out is None or place == out or not place.is_relative_to(out):
        return ""
    return place.relative_to(out).parts[0]


def made_for(names: Iterable[str], objects: Iterable[ObjectId], opened: Opened | None) -> Made:
    """Return what the specs make of all that may be rendered from them.

    What comes from standard input may be; its names tell whether it is worth a look.
    """
    made: dict[ObjectId, list[Manifest]] = {}
    if opened is None:
        return made
    names = list(names)
    for source in dict.fromkeys(_sources(names, list(objects), opened)):
        for each in compiled(opened, source, checked=False).objects:
            made.setdefault(each.id, []).append(each)
    for each in _synced(names, opened):
        made.setdefault(each.id, []).append(each)
    return made


def _synced(names: Iterable[str], opened: Opened) -> Iterator[Manifest]:
    """Yield what Argo CD gets of the targets whose folders some paths lead to, or are above."""
    out = rendered_in(opened)
    places = [Path(os.path.realpath(name)) for name in names if name != STDIN]
    for target in (each for each in opened.kit.targets.values() if each.argocd and out):
        folder = Path(str(out), ARGOCD, target.name)
        if any(folder.is_relative_to(each) or each.is_relative_to(folder) for each in places):
            found = opened.plan(target).synced
            for layer in found.layers if found else ():
                yield from (each.annotated for each in layer.noted)
            yield from found.applications if found else ()


def _sources(names: Iterable[str], objects: list[ObjectId], opened: Opened) -> Iterator[SourceName]:
    whole = [SourceName(kind=Kind.TARGET, name=each) for each in opened.kit.targets]
    out = rendered_in(opened)
    for name in names:
        place = Path(os.path.realpath(name))
        if name == STDIN:
            prefixes = tuple(each.prefix for each in opened.kit.every_component if each.prefix)
            yield from whole if any(each.name.startswith(prefixes) for each in objects) else ()
        elif out is not None and out.is_relative_to(place):
            yield from whole
        elif (target := target_of(name, opened)) in opened.kit.targets and out is not None:
            component, *more = (*place.relative_to(out).parts[1:], "")
            if more in ([], [""]) and (not component or component in opened.kit.versions):
                yield SourceName(kind=Kind.TARGET, name=target, component=component)


def with_specs(manifest: Manifest, made: Made) -> Manifest:
    """Return an object as the specs make it, if it is the same: what is wrong with it is wrong there."""
    same = (each for each in made.get(manifest.id, ()) if each.body == manifest.body)
    return next(same, manifest)


def _is_moved(manifest: Manifest) -> bool:
    """Tell whether kustomize put an object into a namespace that is in none."""
    return bool(manifest.id.namespace) and not is_namespaced(manifest.id.group, manifest.id.kind)


def remarks(name: str, objects: Iterable[Manifest], made: Made, opened: Opened | None) -> Iterator[str]:
    """Yield what those should know who check a part of what is rendered."""
    within = target_of(name, opened)
    if opened is None or not within:
        return
    if within == BASES:
        yield f"{name} is a part of what targets complete: {OVERLAYS}/TARGET is what comes to a cluster"
    elif made:
        others = sum(with_specs(each, made) is each and not _is_moved(each) for each in objects)
        if others:
            yield f"{counted(others, 'object')} of {name} that the specs make otherwise: {RENDERS}"
