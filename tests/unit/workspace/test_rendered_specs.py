"""What is kept of a render's specs is what they hold, or nothing."""

from __future__ import annotations

import os
from pathlib import Path

import kits
import pytest

from kitgen.files.cache_store import CacheStore
from kitgen.workspace import rendered_specs
from kitgen.workspace.rendered_specs import RenderedSpecs, open_rendered_specs


@pytest.fixture
def specs(tmp_path: Path) -> RenderedSpecs:
    return RenderedSpecs(kits.make_kit(tmp_path / "kit"), CacheStore(str(tmp_path / "cache")))


def test_all_specs_are_kept(specs: RenderedSpecs) -> None:
    assert specs.recall() is None
    specs.keep()
    kept = specs.recall()
    assert kept is not None
    names = {"kit.yaml", "targets/odh.yaml", "components/hello/v1.0.0/crds/greetings.yaml"}
    assert names <= kept.files.keys()
    assert all((specs.root / name).read_bytes() == content for name, content in kept.files.items())
    assert not kept.changed


def test_what_is_other_since_then_is_known(specs: RenderedSpecs) -> None:
    specs.keep()
    (specs.root / "targets/odh.yaml").write_text("changed")
    (specs.root / "targets/new.yaml").touch()
    (specs.root / "kit.yaml").unlink()
    kept = specs.recall()
    assert kept and kept.changed == {"targets/odh.yaml", "targets/new.yaml", "kit.yaml"}


def test_odd_names_and_deep_folders_are_no_obstacle(specs: RenderedSpecs) -> None:
    (specs.root / "targets" / os.fsdecode(b"\xff.txt")).touch()
    (specs.root / "targets/broken").symlink_to("nowhere")
    specs.keep()
    assert specs.recall() is None, "where links lead, nothing is kept"
    (specs.root / "targets/broken").unlink()
    specs.keep()
    kept = specs.recall()
    assert kept and not [name for name in kept.files if "xff" in ascii(name)]


def test_more_than_specs_is_not_kept(specs: RenderedSpecs, monkeypatch: pytest.MonkeyPatch) -> None:
    kits.write(specs.root / "components/hello", dict.fromkeys("abcde", ""))
    for name in "abcde":
        os.truncate(specs.root / "components/hello" / name, 7 * 2**20)
    specs.keep()
    assert specs.recall() is None
    for name in "abcde":
        os.truncate(specs.root / "components/hello" / name, 0)
    monkeypatch.setattr(rendered_specs, "MAX_FILES", 5)
    specs.keep()
    assert specs.recall() is None


def test_what_is_of_another_form_counts_for_nothing(specs: RenderedSpecs) -> None:
    for content in (b"", b"x", b"\xc0", b"\x81\xa1a\x01"):
        specs.store.write(specs._key, content)
        assert specs.recall() is None


@pytest.mark.parametrize("home", ["kit/.cache", "link", "repository/.cache"])
def test_what_came_with_the_kit_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    (tmp_path / "repository/.git").mkdir(parents=True)
    root = kits.make_kit(tmp_path / ("repository/kit" if "repository" in home else "kit"))
    (tmp_path / "link").symlink_to("kit/.cache")
    monkeypatch.setenv("KITGEN_CACHE_DIR", str(tmp_path / home))
    assert open_rendered_specs(root) is None
