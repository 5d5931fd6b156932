"""Files that must not be read: huge ones, links out of the kit, and what is no file."""

from __future__ import annotations

import os
from pathlib import Path

import kits
import pytest
from running import run

from kitgen.load import SpecFiles

HUGE = 200_000_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = kits.make_kit(tmp_path / "kit")
    assert run("render", "-q", "--root", root).code == 0
    return root


def refused(root: Path, want: list[str]) -> None:
    """Check that a kit is refused with these findings, and that nothing is written."""
    before = kits.contents(root / "overlays")
    for command in ("check", "render"):
        result = run(command, "--root", root)
        told = (result.out + result.err).splitlines()[:-1]
        assert (result.code, told) == (1, want)
    assert kits.contents(root / "overlays") == before


def test_a_huge_file_is_refused_unread(root: Path) -> None:
    with (root / "targets/olm.yaml").open("wb") as stream:
        stream.truncate(HUGE)
    refused(
        root,
        [
            "targets/olm.yaml:1: file-size: found 200 MB, expected at most 8 "
            "(hint: a spec names what is particular, nothing else)"
        ],
    )


def test_a_link_out_of_the_kit_is_refused(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "secret.yaml"
    outside.write_text("password: hunter2")
    (root / "targets/olm.yaml").unlink()
    (root / "targets/olm.yaml").symlink_to(outside)
    (root / "components/hello/v1.0.0/config.yaml").unlink()
    (root / "components/hello/v1.0.0/config.yaml").symlink_to("../../../../secret.yaml")
    refused(
        root,
        [
            f"{name}:1: path-symlink: a symbolic link leads out of the kit"
            for name in ("components/hello/v1.0.0/config.yaml", "targets/olm.yaml")
        ],
    )


def test_a_folder_behind_a_link_is_refused(root: Path, tmp_path: Path) -> None:
    (root / "targets").rename(tmp_path / "elsewhere")
    (root / "targets").symlink_to(tmp_path / "elsewhere")
    refused(
        root,
        [
            f"targets/{name}.yaml:1: path-symlink: a symbolic link leads out of the kit"
            for name in ("odh", "olm", "rhoai")
        ],
    )


def test_a_link_inside_the_kit_is_followed(root: Path) -> None:
    (root / "targets/olm.yaml").rename(root / "olm-elsewhere.yaml")
    (root / "targets/olm.yaml").symlink_to("../olm-elsewhere.yaml")
    assert run("check", "--root", root).code == 0


@pytest.mark.parametrize("name", ["targets/olm.yaml", "components/hello/v1.0.0/config.yaml"])
def test_a_link_that_leads_nowhere_is_told(root: Path, name: str) -> None:
    (root / name).unlink()
    (root / name).symlink_to("nowhere.yaml")
    refused(root, [f"{name}:1: file-missing: no such file"])


def test_a_pipe_is_not_waited_for(root: Path) -> None:
    (root / "targets/olm.yaml").unlink()
    os.mkfifo(root / "targets/olm.yaml")
    refused(root, ["targets/olm.yaml:1: file-kind: found something that is not a file"])


@pytest.mark.parametrize("name", ["../outside.yaml", "/etc/hostname", "targets/../../outside.yaml"])
def test_no_path_leaves_the_root(root: Path, name: str) -> None:
    files = SpecFiles(root)
    assert files.text(name) is None
    assert [(finding.rule, finding.origin.file) for finding in files.findings] == [("path-outside", name)]


@pytest.mark.parametrize("name", ["targets", "components", "releases", "components/hello/v1.0.0/crds"])
def test_a_file_in_place_of_a_folder_is_an_environment_error(tmp_path: Path, name: str) -> None:
    root = kits.make_kit(tmp_path / "kit")
    (root / name).rename(root / "elsewhere")
    (root / name).write_text("no folder")
    result = run("check", "--root", root)
    assert (result.code, result.out) == (3, "")
    assert result.err == f"error: cannot read the folder {name}: Not a directory\n"
