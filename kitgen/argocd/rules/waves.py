"""Waves: what a sync brings before the thing that it needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from posixpath import dirname, splitext
from typing import TypeAlias

from kitgen.argocd.annotations import SYNC_WAVE
from kitgen.argocd.rules.applications import App
from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.views import Minors, ObjectView
from kitgen.crd.definition import is_crd
from kitgen.findings import Problem, make_problem
from kitgen.kube.manifest import ANNOTATIONS, Manifest
from kitgen.text.patterns import compile_late
from kitgen.text.values import group_pairs, list_at, map_at, text_at, value_at
from kitgen.text.wording import describe_value, quote_text

HOOK, HELM_HOOK = "argocd.argoproj.io/hook", "helm.sh/hook"
TIMING = frozenset({SYNC_WAVE, HOOK, HELM_HOOK})
PHASES = {"PreSync": -1, "Sync": 0, "PostSync": 1}
NUMBER = compile_late(r"[+-]?[0-9]{1,9}")
FILES = (".yaml", ".yml", ".json")
MANY = 20
"""So many objects in a wrong wave are enough for one folder."""
When: TypeAlias = tuple[int, int]
"""Phase and wave."""


def check_waves(context: CheckContext, apps: Sequence[App]) -> Iterator[CheckHit]:
    """Yield waves that are none, and those that come too early."""
    yield from context.check_each(_check_wave_number)
    for app in apps:
        yield from islice(_check_object_order(app.target, app.brought, _find_created_namespace(app)), MANY)
    brought = {id(each.body) for app in apps for each in app.brought}
    foreign = [each for each in context.targets.get("", ()) if id(each.body) not in brought]
    if any(map(_has_wave, foreign)):
        # What one sync may well bring: the objects of a folder.
        for together in group_pairs((_folder_of(each), each) for each in foreign).values():
            if any(map(_has_wave, together)):
                yield from islice(_check_object_order("", together, ""), MANY)
    for some in group_pairs((app.target, app) for app in apps).values():
        yield from _check_application_order(some)


def _folder_of(manifest: Manifest) -> str:
    """Return the folder of an object; what kustomize builds of a folder has its name."""
    file = manifest.find_origin(()).file
    return dirname(file) if splitext(file)[1] in FILES else file


def _has_wave(manifest: Manifest) -> bool:
    return not {SYNC_WAVE, HOOK}.isdisjoint(map_at(manifest.body, *ANNOTATIONS))


def _check_wave_number(each: ObjectView, _: Minors) -> Iterator[Problem]:
    wave = value_at(each.body, *ANNOTATIONS, SYNC_WAVE)
    # Of what is no text, schemas tell.
    if isinstance(wave, str) and not NUMBER.fullmatch(wave) and "{{" not in wave:
        message = f"found {describe_value(wave)} as wave, expected a whole number"
        yield make_problem("argocd-wave", message, (*ANNOTATIONS, SYNC_WAVE), "it counts as 0")


def _find_sync_time(manifest: Manifest) -> When | None:
    """Return when an object is brought; None if that is not in the course of a sync, or nobody knows."""
    annotations = manifest.annotations
    if TIMING.isdisjoint(annotations):
        return PHASES["Sync"], 0
    wave, hook, helm = (text_at(annotations, key) for key in (SYNC_WAVE, HOOK, HELM_HOOK))
    phases = [PHASES[each] for each in map(str.strip, (hook or "Sync").split(",")) if each in PHASES]
    if helm or not phases:
        return None
    return min(phases), int(wave) if NUMBER.fullmatch(wave) else 0


def _find_created_namespace(app: App) -> str:
    """Return the namespace that a sync makes by itself, before all else."""
    spec = app.manifest.body.get("spec")
    makes = "CreateNamespace=true" in list_at(spec, "syncPolicy", "syncOptions")
    return text_at(spec, "destination", "namespace") if makes else ""


def _check_object_order(target: str, objects: Sequence[Manifest], made: str) -> Iterator[CheckHit]:
    """Yield objects of one sync that come before their CRD or their namespace."""
    timed = [(each, when) for each in objects if (when := _find_sync_time(each)) is not None]
    if len({when for _, when in timed}) < 2:
        return
    crds = {_crd_kind_of(each): (when, each) for each, when in timed if is_crd(each.body)}
    spaces = {
        each.id.name: (when, each)
        for each, when in timed
        if (each.id.group, each.id.kind) == ("", "Namespace") and each.id.name != made
    }
    if not crds and not spaces:
        return
    for each, when in timed:
        for needed in (crds.get((each.id.group, each.id.kind)), spaces.get(each.id.namespace)):
            if needed is not None and when < needed[0]:
                later, other = needed
                message = f"found {_format_wave(when)}, but {other.id} comes in {_format_wave(later)}"
                path = (*ANNOTATIONS, SYNC_WAVE if when[0] == later[0] else HOOK)
                hint = f"it needs {other.id}: let that come first"
                yield CheckHit(target, each, make_problem("argocd-wave", message, path, hint))


def _crd_kind_of(crd: Manifest) -> tuple[str, str]:
    return text_at(crd.body, "spec", "group"), text_at(crd.body, "spec", "names", "kind")


def _format_wave(when: When) -> str:
    phase = next(name for name, number in PHASES.items() if number == when[0])
    return f"wave {when[1]}" if phase == "Sync" else f"wave {when[1]} of {phase}"


def _check_application_order(apps: Iterable[App]) -> Iterator[CheckHit]:
    """Yield Applications that come before the one that brings the CRDs of their custom resources."""
    timed = [
        (when, app)
        for app in apps
        if _has_wave(app.manifest) and (when := _find_sync_time(app.manifest)) is not None
    ]
    crds: dict[tuple[str, tuple[str, str]], tuple[When, App, Manifest]] = {}
    for when, app in sorted(timed, key=lambda each: each[0]):
        for each in filter(lambda one: is_crd(one.body), app.brought):
            crds.setdefault((app.cluster, _crd_kind_of(each)), (when, app, each))
    for when, app in timed:
        needed = (crds.get((app.cluster, (each.id.group, each.id.kind))) for each in app.brought)
        late = group_pairs((id(each[1]), each) for each in needed if each is not None and when < each[0])
        for (later, other, crd), *_ in late.values():
            message = (
                f"found {_format_wave(when)}, but {quote_text(str(crd.id))}, which its objects need, "
                f"comes with {other.manifest.id} in {_format_wave(later)}"
            )
            wrong = make_problem("argocd-wave", message, (*ANNOTATIONS, SYNC_WAVE), "give it a later wave")
            yield CheckHit(app.target, app.manifest, wrong)
