"""Selectors by which pods keep away from each other."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.index import Pod, below, entries
from kitgen.check.references.labels import Selector, matches, selector
from kitgen.check.references.scene import Found, Scene
from kitgen.check.references.selectors import SELECTOR_UNMATCHED, is_slip_of, unmet
from kitgen.findings import Path

SPREAD = "topologySpreadConstraints"
APART: tuple[tuple[Path, Path], ...] = (
    (("affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"), ()),
    (
        ("affinity", "podAntiAffinity", "preferredDuringSchedulingIgnoredDuringExecution"),
        ("podAffinityTerm",),
    ),
)
"""Where a pod lists those that it does not want beside it, and where an item has the term."""


def look(scene: Scene) -> Iterator[Found]:
    """Yield selectors that are meant for the pods they stand in, and do not match them."""
    for pod in scene.index.pods:
        for index, _ in entries(pod.spec, SPREAD):
            path: Path = (SPREAD, index, "labelSelector")
            if _missing(scene, pod, path):
                yield _told(pod, path, "spread")
        for where, within in APART:
            for index, each in entries(pod.spec, *where):
                term = below(each, *within)
                path = (*where, index, *within, "labelSelector")
                here = not (below(term, "namespaces") or below(term, "namespaceSelector"))
                if here and (terms := _missing(scene, pod, path)) and is_slip_of(terms, [pod]):
                    yield _told(pod, path, "kept apart")


def _missing(scene: Scene, pod: Pod, path: Path) -> Selector | None:
    """Return a selector that matches neither the pod that it stands in nor any other."""
    terms = selector(below(pod.spec, *path))
    if not terms or matches(terms, pod.labels) or scene.matching(terms, pod.namespace):
        return None
    return terms


def _told(pod: Pod, path: Path, done: str) -> Found:
    where = (*path, *unmet(below(pod.spec, *path), [pod.labels]))
    message = "found a selector that does not match the pod which it stands in, and no other"
    return pod.manifest, SELECTOR_UNMATCHED(message, pod.at(*where), f"so that no pods are {done}")
