"""The objects of a rendered folder before it is rendered anew.

kitgen never builds overlays: it finds the specs that they were rendered from, and compiles these. They are
those of the last render here, or of the last commit, whichever produce the files on the disk.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeAlias

from kitgen.files.folders import peek_file
from kitgen.files.paths import is_in_scope
from kitgen.files.root import ARGOCD, BASES, OVERLAYS
from kitgen.files.tree import Memory
from kitgen.files.tree_changes import TreeChanges, compare_locked_tree
from kitgen.findings.errors import KitgenError
from kitgen.kit.earlier_targets import load_earlier_targets
from kitgen.kit.load import KitSelection, load_kit
from kitgen.kit.manifests import STDIN
from kitgen.kit.spec_files import SpecFiles
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.render.outputs import list_output_objects
from kitgen.text.values import group_pairs
from kitgen.workspace.compilation import compile_source
from kitgen.workspace.kit import OpenedKit
from kitgen.workspace.planned_files import folders_of, list_touched_targets, render_planned
from kitgen.workspace.planned_targets import PlannedTarget, plan_target
from kitgen.workspace.rendered_specs import EarlierSpecs
from kitgen.workspace.sources import Kits, SourceKind, SourceName
from kitgen.workspace.states import HEAD, SourceState, state_of_targets

Recall: TypeAlias = Callable[[], EarlierSpecs | None]
"""Returns the specs of the last render that is remembered."""


class PreviousState(NamedTuple):
    """What a folder holds before it is rendered anew."""

    state: SourceState
    changed: frozenset[str]
    """The targets in which something may change; of others, the state has no objects."""


def find_previous_state(
    now: Sequence[PlannedTarget], changes: TreeChanges, recall: Recall | None
) -> PreviousState | None:
    """Return what a folder holds of targets, before it is changed; None if nobody knows where that is from.

    The caller holds the folder's lock.
    """
    touched = list_touched_targets(changes, [each.target.name for each in now])
    for opened in _list_candidate_kits(now[0].opened, touched, recall):
        try:
            known = [each for name, each in opened.kit.targets.items() if name in touched]
            before = [plan_target(opened, each) for each in known]
            if before and not _has_rendered(before, changes.out):
                continue
            changed = _list_changed_targets(before, [each for each in now if each.target.name in touched])
            return PreviousState(state_of_targets("what was there", opened, before, changed), changed)
        except KitgenError:
            continue
    return None


def _has_rendered(planned: Sequence[PlannedTarget], out: Path) -> bool:
    """Return whether a folder holds what targets render, and nothing else in their own folders."""
    own = tuple(folder for each in planned for folder in folders_of(each.target.name))
    whole = render_planned(planned, out)
    tree = {path: text for path, text in whole.items() if is_in_scope(path, own)}
    bases = ((path, text.encode()) for path, text in whole.items() if path.startswith(f"{BASES}/"))
    return not compare_locked_tree(tree, out, own).has_changes and all(
        peek_file(out, path, len(content) + 1) == content for path, content in bases
    )


def _list_changed_targets(before: Sequence[PlannedTarget], now: Sequence[PlannedTarget]) -> frozenset[str]:
    """Return the targets that are not compiled from the same, those that come or go among them."""
    was, made = ({each.target.name: each.key for each in some} for some in (before, now))
    return frozenset(name for name in (*was, *made) if was.get(name) is None or was[name] != made.get(name))


def _list_candidate_kits(
    opened: OpenedKit, targets: Iterable[str], recall: Recall | None
) -> Iterator[OpenedKit]:
    """Yield the kit as it may have been when the folder was rendered, as far as some targets need it."""
    if recall and (earlier := recall()) is not None:
        with suppress(KitgenError):
            yield _load_earlier_kit(opened, earlier, targets)
    with suppress(KitgenError):  # no repository, no commit, or specs that are wrong there
        yield Kits(opened.root).open_at(HEAD)


def _load_earlier_kit(opened: OpenedKit, earlier: EarlierSpecs, targets: Iterable[str]) -> OpenedKit:
    """Load the kit as it was; where only targets are others now, with those that are wanted."""
    specs, revision = SpecFiles(Memory(earlier.files)), "before"
    if all(path.startswith("targets/") for path in earlier.changed):
        known = load_earlier_targets(opened.kit, specs, targets)
        if known is not None:
            return opened.replace_targets(known, specs.texts, revision)
    # What is likely a mistake in it was reported when it was rendered.
    kit = load_kit(specs, KitSelection(judged=False))
    return OpenedKit(root=opened.root, kit=kit, texts=specs.texts, revision=revision)


Made: TypeAlias = Mapping[ObjectId, list[Manifest]]
"""What targets make, by what it is called: several may make the same in other ways."""


def get_overlays_folder(opened: OpenedKit | None) -> Path | None:
    """Return the folder of overlays, if there is a kit."""
    return Path(os.path.realpath(opened.root)) / OVERLAYS if opened else None


def find_target_name(name: str, opened: OpenedKit | None) -> str:
    """Return the first folder in overlays that a path leads to, such as that of a target; else nothing."""
    place, out = Path(os.path.realpath(name)), get_overlays_folder(opened)
    if name == STDIN or out is None or place == out or not place.is_relative_to(out):
        return ""
    return place.relative_to(out).parts[0]


def compile_expected_objects(names: list[str], objects: list[ObjectId], opened: OpenedKit | None) -> Made:
    """Return what the specs make of all that may be rendered from them.

    What comes from standard input may be; its names tell whether it is worth a look.
    """
    if opened is None:
        return {}
    sources = dict.fromkeys(_list_sources(names, objects, opened))
    built = (each for source in sources for each in compile_source(opened, source, checked=False).objects)
    return group_pairs((each.id, each) for each in (*built, *_list_synced_objects(names, opened)))


def _list_synced_objects(names: Iterable[str], opened: OpenedKit) -> Iterator[Manifest]:
    """Yield what Argo CD gets of the targets whose folders some paths lead to, or are above."""
    out = get_overlays_folder(opened)
    places = [Path(os.path.realpath(name)) for name in names if name != STDIN]
    for target in (each for each in opened.kit.targets.values() if each.argocd and out):
        folder = Path(str(out), ARGOCD, target.name)
        if any(folder.is_relative_to(each) or each.is_relative_to(folder) for each in places):
            yield from list_output_objects("argocd", opened.plan(target))


def _list_sources(names: Iterable[str], objects: list[ObjectId], opened: OpenedKit) -> Iterator[SourceName]:
    whole = [SourceName(kind=SourceKind.TARGET, name=each) for each in opened.kit.targets]
    out = get_overlays_folder(opened)
    for name in names:
        place = Path(os.path.realpath(name))
        if name == STDIN:
            prefixes = tuple(each.prefix for each in opened.kit.every_component if each.prefix)
            yield from whole if any(each.name.startswith(prefixes) for each in objects) else ()
        elif out is not None and out.is_relative_to(place):
            yield from whole
        elif (target := find_target_name(name, opened)) in opened.kit.targets and out is not None:
            component, *more = (*place.relative_to(out).parts[1:], "")
            if more in ([], [""]) and (not component or component in opened.kit.versions):
                yield SourceName(kind=SourceKind.TARGET, name=target, component=component)


def to_compiled_object(manifest: Manifest, made: Made) -> Manifest:
    """Return an object as the specs make it, if it is the same: what is wrong with it is wrong there."""
    return next((each for each in made.get(manifest.id, ()) if each.body == manifest.body), manifest)
