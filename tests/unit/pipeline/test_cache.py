"""What a render remembers holds only for what it saw."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from msgspec.structs import replace
from running import run

from kitgen.pipeline.cache import Cache
from kitgen.pipeline.rendered import Rendered
from kitgen.write import Changes


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KITGEN_CACHE_DIR", str(tmp_path / "cache"))
    return kits.make_kit(tmp_path / "kit")


def opened(root: Path) -> Cache:
    cache = Cache.open(root)
    assert cache is not None
    return cache


def done(root: Path) -> Rendered:
    out = root / "overlays"
    return Rendered(
        root=root,
        out=out,
        targets=("odh",),
        objects=3,
        files=4,
        changes=Changes(out=out),
        findings=(),
        of_folder=(),
    )


def test_what_was_stored_is_known_until_something_changes(root: Path) -> None:
    assert run("render", "--no-cache", "--root", root).code == 0
    opened(root).store(done(root))
    known = opened(root).lookup()
    assert known is not None
    assert known == done(root)
    (root / "targets/odh.yaml").touch()
    assert opened(root).lookup() is not None, "what a file says counts, not when it was written"
    (root / "overlays/odh/kustomization.yaml").write_text("resources: []\n")
    assert opened(root).lookup() is None


def test_a_spec_that_was_edited_during_a_render_is_not_remembered(root: Path) -> None:
    """The render saw the edit, and the memory would tell its result for the spec before it."""
    spec = root / "targets/odh.yaml"
    before = spec.read_text()
    cache = opened(root)
    spec.write_text(before.replace("opendatahub", "elsewhere"))
    assert run("render", "--no-cache", "--root", root).code == 0
    cache.store(done(root))
    spec.write_text(before)
    assert opened(root).lookup() is None
    assert run("render", "--root", root).code == 0
    assert "elsewhere" not in (root / "overlays/odh/hello/kustomization.yaml").read_text()


def test_two_renders_at_once_leave_one_whole_memory(root: Path) -> None:
    first, second = opened(root), opened(root)
    first.store(done(root))
    second.store(replace(done(root), objects=7))
    known = opened(root).lookup()
    assert known is not None
    assert known.objects == 7
    assert [path.name for path in first.file.parent.iterdir()] == [first.file.name]
