"""Waves: what a sync brings before the thing that it needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from posixpath import dirname, splitext

from kitgen.argocd.rules.applications import App
from kitgen.check.context import CheckContext, Hit
from kitgen.findings import Path, Problem, problem
from kitgen.kube.manifest import ANNOTATIONS, Manifest
from kitgen.text.values import list_at, map_at, text_at, value_at
from kitgen.text.wording import cut, shown
from kitgen.text.yaml import Json

SYNC_WAVE = "argocd.argoproj.io/sync-wave"
HOOK, HELM_HOOK = "argocd.argoproj.io/hook", "helm.sh/hook"
PHASES = {"PreSync": -1, "Sync": 0, "PostSync": 1}
NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
FILES = (".yaml", ".yml", ".json")
MANY = 20
"""So many objects in a wrong wave are enough for one folder."""
CRD = ("apiextensions.k8s.io", "CustomResourceDefinition")
When = tuple[int, int]
"""Phase and wave."""


def look(context: CheckContext, apps: list[App]) -> Iterator[Hit]:
    """Yield waves that are none, and those that come too early."""
    told: set[int] = set()
    for target, manifest in context.objects():
        if wrong := _wrong(manifest):
            yield Hit(target, manifest, wrong)
    for app in apps:
        told |= {id(each.body) for each in app.brought}
        yield from _set(app.target, app.brought, _made(app))
    for target, manifests in context.targets.items():
        for some in _together([each for each in manifests if not target and id(each.body) not in told]):
            yield from _set(target, some, "")
        yield from _between([each for each in apps if each.target == target])


def _together(manifests: Sequence[Manifest]) -> Iterator[list[Manifest]]:
    """Yield objects of others that one sync may well bring: those of a folder, if one has a wave."""
    if not any(_has_wave(each) for each in manifests):
        return
    folders: dict[str, list[Manifest]] = {}
    for each in manifests:
        file = each.origin(()).file
        # What kustomize builds of a folder has the name of the folder.
        folders.setdefault(dirname(file) if splitext(file)[1] in FILES else file, []).append(each)
    yield from (some for some in folders.values() if any(map(_has_wave, some)))


def _has_wave(manifest: Manifest) -> bool:
    return not {SYNC_WAVE, HOOK}.isdisjoint(map_at(manifest.body, *ANNOTATIONS))


def _wrong(manifest: Manifest) -> Problem | None:
    wave = value_at(manifest.body, *ANNOTATIONS, SYNC_WAVE)
    if not isinstance(wave, str) or NUMBER.fullmatch(wave) or "{{" in wave:
        return None  # of what is no text, schemas tell
    return problem(
        "argocd-wave",
        f"found {shown(wave)} as wave, expected a whole number",
        (*ANNOTATIONS, SYNC_WAVE),
        "it counts as 0",
    )


def _when(manifest: Manifest) -> When | None:
    """Return when an object is brought; None if that is not in the course of a sync, or nobody knows."""
    body: Json = manifest.body
    if text_at(body, *ANNOTATIONS, HELM_HOOK):
        return None
    wave = text_at(body, *ANNOTATIONS, SYNC_WAVE)
    number = int(wave) if NUMBER.fullmatch(wave) else 0
    if not (hook := text_at(body, *ANNOTATIONS, HOOK)):
        return 0, number
    phases = [PHASES[each] for each in map(str.strip, hook.split(",")) if each in PHASES]
    return (min(phases), number) if phases else None


def _made(app: App) -> str:
    """Return the namespace that a sync makes by itself, before all else."""
    options = list_at(app.manifest.body, "spec", "syncPolicy", "syncOptions")
    return app.namespace if "CreateNamespace=true" in options else ""


def _set(target: str, objects: Sequence[Manifest], made: str) -> Iterator[Hit]:
    """Yield objects of one sync that come before their CRD or their namespace."""
    crds: dict[tuple[str, str], tuple[When, Manifest]] = {}
    spaces: dict[str, tuple[When, Manifest]] = {}
    for each in objects:
        if (each.id.group, each.id.kind) == CRD and (when := _when(each)) is not None:
            crds[_defined(each)] = (when, each)
        elif (each.id.group, each.id.kind) == ("", "Namespace") and (when := _when(each)) is not None:
            spaces[each.id.name] = (when, each)
    if not crds and not spaces:
        return
    found = 0
    for each in objects:
        needs = [crds.get((each.id.group, each.id.kind)), spaces.get(each.id.namespace)]
        if each.id.namespace == made:
            needs.pop()
        for later in needs:
            if later is None or (when := _when(each)) is None or when >= later[0]:
                continue
            found += 1
            if found <= MANY:
                yield Hit(target, each, _early(when, *later))


def _defined(crd: Manifest) -> tuple[str, str]:
    return text_at(crd.body, "spec", "group"), text_at(crd.body, "spec", "names", "kind")


def _early(when: When, later: When, needed: Manifest) -> Problem:
    message = f"found {_said(when)}, but {needed.id} comes in {_said(later)}"
    hook = when[0] != later[0]
    return problem(
        "argocd-wave",
        message,
        (*ANNOTATIONS, HOOK if hook else SYNC_WAVE),
        f"it needs {needed.id}: let that come first",
    )


def _said(when: When) -> str:
    phase = next(name for name, number in PHASES.items() if number == when[0])
    return f"wave {when[1]}" if phase == "Sync" else f"wave {when[1]} of {phase}"


def _between(apps: Iterable[App]) -> Iterator[Hit]:
    """Yield Applications that come before the one that brings the CRDs of their custom resources."""
    crds: dict[tuple[str, tuple[str, str]], tuple[When, App, Manifest]] = {}
    some = [
        (app, when) for app in apps if (when := _when(app.manifest)) is not None and _has_wave(app.manifest)
    ]
    for app, when in some:
        for each in app.brought:
            if (each.id.group, each.id.kind) == CRD:
                key = (app.cluster, _defined(each))
                if key not in crds or when < crds[key][0]:
                    crds[key] = (when, app, each)
    for app, when in some:
        late: dict[int, tuple[When, App, Manifest]] = {}
        for each in app.brought:
            found = crds.get((app.cluster, (each.id.group, each.id.kind)))
            if found is not None and when < found[0]:
                late.setdefault(id(found[1]), found)
        for then, other, crd in late.values():
            message = (
                f"found {_said(when)}, but {cut(str(crd.id))}, which its objects need, comes with "
                f"{other.manifest.id} in {_said(then)}"
            )
            path: Path = (*ANNOTATIONS, SYNC_WAVE)
            yield Hit(app.target, app.manifest, problem("argocd-wave", message, path, "give it a later wave"))
