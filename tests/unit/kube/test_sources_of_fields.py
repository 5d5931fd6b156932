"""The source of a field: the last one among those nearest to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.findings import Cause, CauseKind, Origin, Path
from kitgen.kube.manifest import FieldSource, Manifest


def source(path: Path, name: str, *, partial: bool = False, aside: bool = False) -> FieldSource:
    return FieldSource(
        path=path, cause=Cause(CauseKind.FAMILY, name), origin=Origin(name), partial=partial, aside=aside
    )


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ((), "whole"),
        (("a",), "took something out"),
        (("a", "b"), "second"),
        (("a", "b", 0, "c"), "second"),
        (("a", "other"), "first"),
        (("d", "e"), "whole"),
    ],
)
def test_the_last_of_the_nearest_counts(path: Path, name: str) -> None:
    manifest = Manifest(
        body={},
        sources=(
            source((), "whole"),
            source(("a", "b"), "before"),
            source(("a", "b"), "second"),
            source(("a",), "first"),
            source(("a",), "took something out", partial=True),
            source(("d",), "only bears on it", aside=True),
        ),
    )
    assert manifest.find_origin(path) == Origin(name)


PATHS = st.lists(st.sampled_from(["a", "b", 0]), max_size=3).map(tuple)


@given(
    made=st.lists(st.tuples(PATHS, st.booleans(), st.booleans()), min_size=1, max_size=8),
    path=PATHS,
)
def test_it_is_what_a_look_at_each_finds(made: list[tuple[Path, bool, bool]], path: Path) -> None:
    sources = [source(at, str(n), partial=p, aside=a) for n, (at, p, a) in enumerate(made)]
    best = sources[0]
    for each in sources:
        if each.contains(path) and len(each.path) >= len(best.path) and not each.aside:
            best = each
    assert Manifest(body={}, sources=tuple(sources)).find_source(path) is best
