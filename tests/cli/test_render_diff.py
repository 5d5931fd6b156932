"""kitgen render says what it changes on a cluster."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from running import run

GIT = ("git", "-c", "user.name=me", "-c", "user.email=me@example.org")
SPEC = "components/hello/v1.0.0/component.yaml"


@pytest.fixture(autouse=True)
def cache(kit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Remember renders in a folder of the test."""
    monkeypatch.setenv("KITGEN_CACHE_DIR", str(tmp_path / "cache"))


def edit(old: str, new: str) -> None:
    text = Path(SPEC).read_text()
    assert old in text
    Path(SPEC).write_text(text.replace(old, new, 1))


def commit() -> None:
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Start"]):
        subprocess.run([*GIT, *command], check=True)


def test_the_first_render_says_nothing_of_a_cluster() -> None:
    done = run("render")
    assert (done.code, "cluster" in done.err) == (0, False)


def test_dangers_are_named_with_their_targets_and_lines() -> None:
    run("render")
    edit("core/configmaps: read", 'core/secrets: "*"')
    done = run("render")
    assert (done.code, done.out) == (0, "")
    assert "on a cluster: 0 breaking, 1 security, 1 behaviour, 0 cosmetic\n" in done.err
    assert "core/configmaps" not in done.err  # its own program comes with what it may do
    assert "may do everything with core/secrets everywhere (odh, olm, rhoai; " in done.err
    assert f"{SPEC}:33)" in done.err


def test_what_is_harmless_is_counted_unless_all_is_asked_for() -> None:
    run("render")
    edit("cpu: 100m", "cpu: 200m")
    done = run("render", "--check")
    assert "on a cluster: 0 breaking, 0 security, 2 behaviour, 0 cosmetic\n" in done.err
    assert "200m" not in done.out + done.err
    done = run("render", "--diff")
    assert 'limits.cpu: was "100m", now "200m"' in " ".join(done.out.split())


def test_a_check_writes_nothing_and_says_it_too() -> None:
    run("render")
    edit("core/configmaps: read", "core/configmaps: get")
    done = run("render", "--check", "--diff")
    assert done.code == 1
    assert "changed: overlays/" in done.out or "stale: overlays/" in done.out
    assert "upgrade-permission-lost" in done.out
    assert run("render", "--check").code == 1


def test_what_was_committed_is_known_without_a_cache() -> None:
    run("render")
    commit()
    edit("cpu: 100m", "cpu: 200m")
    done = run("render", "--no-cache")
    assert "on a cluster: 0 breaking, 0 security, 2 behaviour, 0 cosmetic\n" in done.err


def test_what_nobody_knows_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("render")
    edit("cpu: 100m", "cpu: 200m")
    monkeypatch.setenv("KITGEN_CACHE_DIR", str(tmp_path / "another"))
    done = run("render")
    assert (done.code, "what changes on a cluster is not known" in done.err) == (0, True)


def test_a_second_edit_is_held_against_the_first_render() -> None:
    commit()
    run("render")
    edit("cpu: 100m", "cpu: 200m")
    run("render")
    edit("cpu: 200m", "cpu: 300m")
    assert 'was "200m", now "300m"' in " ".join(run("render", "--diff").out.split())


def test_nothing_that_changes_is_nothing_to_say() -> None:
    run("render")
    done = run("render")
    assert "breaking" not in done.err
