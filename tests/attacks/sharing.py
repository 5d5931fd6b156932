"""Load, compile and check a kit once for all commands that find it as it was."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from unittest.mock import patch

import kitgen
from kitgen.files.root import find_root
from kitgen.findings import Finding
from kitgen.kit.load import KitSelection
from kitgen.render.placement import Placement
from kitgen.render.plan import TargetPlan
from kitgen.render.session import Session
from kitgen.render.size import RenderedSize
from kitgen.workspace.checks import Before, check_plans
from kitgen.workspace.kit import OpenedKit, open_kit

MOST = 50
"""What is kept of each kind."""
plan = Session.compile_plan
Files = frozenset[tuple[str, int, int]]


@cache
def users(function: Callable[..., object]) -> list[str]:
    """Return the modules that call a function; all are imported, since they bind what is replaced here."""
    for each in pkgutil.walk_packages(kitgen.__path__, "kitgen."):
        if each.name != "kitgen.__main__":
            importlib.import_module(each.name)
    names = [name for name in sys.modules if name.startswith("kitgen.")]
    return [name for name in names if getattr(sys.modules[name], function.__name__, None) is function]


def files_of(folder: Path) -> Files:
    """Return every path of a kit, with what changes where its content does.

    What stands beside its mark and has no ending, such as FILE, is given to commands and is no part of it;
    nor is what was rendered.
    """
    found = set()
    ahead = [str(folder)]
    while ahead:
        for each in os.scandir(ahead.pop()):
            if each.is_dir(follow_symlinks=False):
                found.add((each.path, 0, 0))
                ahead += [each.path] * (each.name != "overlays")
            elif "." in each.name or Path(each.path).parent != folder:
                stat = each.stat(follow_symlinks=False)
                found.add((each.path, stat.st_size, stat.st_mtime_ns))
    return frozenset(found)


class Shared:
    """Kits that were opened, what they compile to, and what is wrong with that."""

    def __init__(self) -> None:
        self.opened: dict[object, OpenedKit] = {}
        self.plans: dict[object, tuple[object, TargetPlan]] = {}
        self.found: dict[object, tuple[object, list[Finding]]] = {}

    def open(
        self, root: Path | None, only: KitSelection | None = None, *, releases: bool = True
    ) -> OpenedKit:
        """Open a kit anew only where a file of it is another one; one that is wrong is read each time."""
        key = (files_of(find_root(root)), Path.cwd(), str(root), repr(only), releases)
        if key not in self.opened:
            if max(len(self.opened), len(self.plans), len(self.found)) > MOST:
                for each in (self.opened, self.plans, self.found):
                    each.clear()
            self.opened[key] = open_kit(root, only, releases=releases)
        # A command may compile as much as if it were the first one.
        self.opened[key].session.rendered = RenderedSize()
        return self.opened[key]

    def plan(self, session: Session, placement: Placement) -> TargetPlan:
        """Compile a target of a kit once."""
        parts = (session, placement.target, placement.release, *placement.components)
        key = tuple(map(id, parts))
        if key not in self.plans:
            self.plans[key] = parts, plan(session, placement)
        return self.plans[key][1]

    def check(
        self,
        opened: OpenedKit,
        plans: list[TargetPlan],
        minors: tuple[int, ...] = (),
        before: Before | None = None,
    ) -> list[Finding]:
        """Check the same targets of a kit once, if there is nothing that they were before."""
        if before and any(before(each) is not None for each in plans):
            return check_plans(opened, plans, minors, before)
        parts = (opened, *plans)
        key = (minors, *map(id, parts))
        if key not in self.found:
            self.found[key] = parts, check_plans(opened, plans, minors)
        return [*self.found[key][1]]


@contextmanager
def loaded_once() -> Iterator[None]:
    """Share what commands make of the same kit."""
    shared = Shared()

    def planning(session: Session, placement: Placement) -> TargetPlan:
        return shared.plan(session, placement)

    with ExitStack() as stack:
        for function, instead in ((open_kit, shared.open), (check_plans, shared.check)):
            for name in users(function):
                stack.enter_context(patch.object(sys.modules[name], function.__name__, instead))
        stack.enter_context(patch.object(Session, "compile_plan", planning))
        yield
