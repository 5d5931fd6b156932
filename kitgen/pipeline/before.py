"""What a rendered folder holds before it is rendered anew: the objects of the specs that it came from.

kitgen never builds overlays: it finds the specs that they were rendered from, and compiles these. They are
those of the last render here, or those of the last commit; whichever makes the files that are there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from kitgen.compile import Plan
from kitgen.emit import rendered
from kitgen.errors import KitgenError
from kitgen.load import Only, SpecFiles, load_kit
from kitgen.load.files import Memory
from kitgen.pipeline.opened import Opened
from kitgen.pipeline.sources import Kits
from kitgen.pipeline.states import HEAD, State, state_of_plans
from kitgen.write import compare, within

Recall: TypeAlias = Callable[[], Mapping[str, bytes] | None]
"""Returns the specs of the last render that is remembered."""


def state_before(
    root: Path, out: Path, scope: tuple[str, ...], targets: Iterable[str], recall: Recall | None
) -> State | None:
    """Return what a folder holds; None if nobody knows what it was rendered from."""
    wanted = {*targets}
    for opened in _candidates(root, recall):
        try:
            plans = [opened.plan(each) for each in opened.kit.targets.values()]
        except KitgenError:
            continue
        if any(finding.blocks for plan in plans for finding in plan.findings):
            continue
        tree = {path: text for path, text in rendered(plans).items() if within(path, scope)}
        if not compare(tree, out, scope=scope).stale:
            return state_of_plans("what was there", opened, [each for each in plans if _name(each) in wanted])
    return None


def _name(plan: Plan) -> str:
    return plan.target.name


def _candidates(root: Path, recall: Recall | None) -> Iterable[Opened]:
    """Yield the kit as it may have been when the folder was rendered."""
    if recall and (files := recall()) is not None:
        specs = SpecFiles(Memory(dict(files), {}))
        try:
            kit = load_kit(specs, Only())
            yield Opened(root=root, kit=kit, texts=specs.texts, revision="before")
        except KitgenError:
            pass
    try:
        yield Kits(root).at(HEAD)
    except KitgenError:  # no repository, no commit, or specs that are wrong there
        return
