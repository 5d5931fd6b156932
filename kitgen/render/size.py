"""Limits on how much a kit may render: every target renders its components anew, so sizes multiply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.files.root import MARK
from kitgen.findings import Origin, make_problem
from kitgen.findings.errors import FindingsError
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import Json

CRD = "CustomResourceDefinition"
MAX_RENDERED, PER_TARGET = 1_000_000, 100_000
"""Values in the objects of all components in all targets, CRDs aside, and how many more for each target.

Each target of this kit has half as many.
"""
PER_OBJECT, PER_SOURCE = 30, 5
"""What an object costs by itself, and what it costs to know where a part of it comes from, in values."""


class RenderedSize:
    """What was rendered so far."""

    def __init__(self, targets: int) -> None:
        """Start with nothing, for a kit of so many targets."""
        self.values = 0
        self.more = PER_TARGET * targets
        self._known: dict[tuple[str, ...], int] = {}

    def add(self, what: tuple[str, ...], values: int) -> None:
        """Count the values of something, once; FindingsError if they are too much with all before."""
        self.values += values - self._known.get(what, 0)
        self._known[what] = values
        validate_size(self.values, self.more)


def measure_objects(objects: Iterable[Manifest]) -> int:
    """Return how many values objects have, those of CRDs by what is put on them."""
    return sum(
        _count_overhead(each) + (0 if each.id.kind == CRD else _count_values(each.body)) for each in objects
    )


def limit_objects(objects: Iterable[Manifest]) -> Iterator[Manifest]:
    """Yield objects as they are made; FindingsError if they are too much, before they fill the memory.

    A spec may say a thousand labels once, and a thousand objects that each get them.
    """
    values = 0
    for each in objects:
        values += _count_overhead(each)
        validate_size(values)
        yield each


def _count_overhead(manifest: Manifest) -> int:
    return PER_OBJECT + PER_SOURCE * len(manifest.sources)


def validate_size(values: int, more: int = 0) -> None:
    """Raise a FindingsError if so many values are too much, where some more are allowed."""
    if values > (limit := MAX_RENDERED + more):
        too_much = make_problem(
            "kit-size",
            f"the kit renders more than {limit} values, expected at most that",
            hint="name some targets at a time, or make several kits of it",
            line=1,
        )
        raise FindingsError([too_much.to_finding(Origin(MARK))])


def _count_values(body: Json) -> int:
    """Count the values of an object, by the signs that part them; those in texts count too."""
    import orjson

    return sum(map(orjson.dumps(body).count, (b",", b"[", b"{")))
