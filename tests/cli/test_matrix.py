"""kitgen matrix shows which versions belong together, and keeps READMEs in step."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import kits
import pytest
from running import run

from kitgen.release.matrix.block import END, START

MATRIX = """
matrix:
  title: Fleet
  plain: "<1.0.0"
  rows:
  - {label: Hello, of: release, repository: example/hello}
  - {label: Tested with, of: tester, repository: {"<1.0.0": old/tester, ">=1.0.0": new/tester}}
"""
README = f"# Us\n{START}\n| Component | Version |\n|---|---|\n| Hello | v0.1.0 |\n{END}\nEnd\n"


@pytest.fixture
def fleet(kit: Path) -> Path:
    (kit / "kit.yaml").write_text((kit / "kit.yaml").read_text() + MATRIX)
    kits.write(
        kit, {"releases/v0.9.0.yaml": "release: v0.9.0\ndate: '2020-01-02'\nrecords: {tester: v0.1.0}\n"}
    )
    release = kit / "releases/v1.0.0.yaml"
    release.write_text(release.read_text() + "records: {tester: v0.2.0}\n")
    kits.write(kit, {"README.md": README})
    return kit


def test_all_releases(fleet: Path) -> None:
    done = run("matrix")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[1:] == ["v1.0.0   -           v0.2.0", "v0.9.0   2020-01-02  v0.1.0"]
    data = json.loads(run("matrix", "-o", "json").out)
    assert [each["versions"]["Tested with"] for each in data["releases"]] == ["v0.2.0", "v0.1.0"]
    assert run("matrix", "-o", "markdown").out.splitlines()[2] == "| v1.0.0 | - | v0.2.0 |"


def test_the_form_of_each_time(fleet: Path) -> None:
    assert "| Hello       | v0.9.0  |\n" in run("matrix", "--release", "v0.9.0").out
    assert (
        "[v0.2.0](https://github.com/new/tester/releases/tag/v0.2.0)"
        in run("matrix", "--release", "v1.0.0").out
    )


def test_a_readme_is_written_and_checked(fleet: Path) -> None:
    readme = fleet / "README.md"
    args = ["matrix", "--release", "v1.0.0"]
    checked = run(*args, "--check", "README.md")
    assert (checked.code, checked.err) == (1, "README.md is not up to date\n")
    assert readme.read_text() == README
    assert run(*args, "--write", "README.md").err == "README.md changed\n"
    text = readme.read_text()
    assert text.startswith(README.partition("| Hello")[0]) and text.endswith(f"{END}\nEnd\n")
    assert run(*args, "--check", "README.md").code == 0
    assert run(*args, "--write", "README.md").err == "README.md is up to date\n"


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (f"{START}\n", 1, "README.md:1: matrix-block: found"),
        ("no matrix\n", 1, "found no compatibility matrix"),
    ],
)
def test_a_readme_that_cannot_be_written(fleet: Path, text: str, code: int, said: str) -> None:
    kits.write(fleet, {"README.md": text, "other.md": README})
    done = run("matrix", "--release", "v1.0.0", "--write", "other.md", "README.md")
    assert done.code == code
    assert said in done.err
    assert ((fleet / "README.md").read_text(), (fleet / "other.md").read_text()) == (text, README)


@pytest.mark.parametrize(
    "inner",
    [
        "",
        "To be written.\n\n- soon\n",
        "# Ours\n| Component | Version |\n|---|---|\n| Hello | v1.0.0 |\n\nTested by hand.\n",
        "Tested by hand.\n\n| Component | Version |\n|---|---|\n| Hello | v1.0.0 |\n",
        "| Helo | v0.1.0 |\n|---|---|\n| Helo | v0.1.0 |\n",
        "| Component | Version |\n|---|---|\n| Hello | v1 |\n| Hello | v2 |\n",
        "```\n| no table |\n```\n",
    ],
)
def test_whatever_stands_between_the_markers_is_replaced(fleet: Path, inner: str) -> None:
    kits.write(fleet, {"README.md": f"# Us\n{START}\n{inner}{END}\nEnd\n"})
    assert run("matrix", "--release", "v1.0.0", "--write", "README.md").err == "README.md changed\n"
    block = run("matrix", "--release", "v1.0.0").out
    assert (fleet / "README.md").read_text() == f"# Us\n{block}End\n"
    assert run("matrix", "--release", "v1.0.0", "--check", "README.md").code == 0


def test_a_readme_that_may_not_be_written(fleet: Path) -> None:
    readme = fleet / "README.md"
    readme.chmod(0o444)
    done = run("matrix", "--release", "v1.0.0", "--write", "README.md")
    assert done.code == 1
    assert done.err.startswith("README.md:1: matrix-file: found a file that is read-only (hint: chmod u+w ")
    assert readme.read_text() == README


def test_other_files_and_the_mode_stay(fleet: Path) -> None:
    readme = fleet / "README.md"
    readme.chmod(0o600)
    kits.write(fleet, {"README.new": "mine\n", ".README.md.kitgen": "mine\n"})
    (fleet / "link.md").symlink_to("README.md")
    before = sorted(each.name for each in fleet.iterdir())
    kits.write(fleet, {f".kitgen-{'0' * 32}": "left by a run that was killed"})
    assert run("matrix", "--release", "v1.0.0", "--write", "link.md").code == 0
    assert (readme.read_text() != README, stat.S_IMODE(readme.stat().st_mode)) == (True, 0o600)
    assert sorted(each.name for each in fleet.iterdir()) == before
    assert (fleet / "README.new").read_text() == "mine\n"


def test_check_writes_nothing_beside_write(fleet: Path) -> None:
    done = run("matrix", "--release", "v1.0.0", "--write", "README.md", "--check")
    assert (done.code, (fleet / "README.md").read_text()) == (1, README)


@pytest.mark.parametrize(
    "args",
    [
        ["--write", "README.md"],
        ["--release", "v9.9.9"],
        ["--release", "v1.0.0", "--write"],
        ["--release", "v1.0.0", "README.md"],
    ],
)
def test_wrong_usage(fleet: Path, args: list[str]) -> None:
    assert run("matrix", *args).code == 2


def test_a_file_that_is_not_there_or_no_text(fleet: Path) -> None:
    assert run("matrix", "--release", "v1.0.0", "--check", "none.md").code == 3
    (fleet / "README.md").write_bytes(b"\xff\xfe")
    done = run("matrix", "--release", "v1.0.0", "--check", "README.md")
    assert (done.code, "matrix-file: found something that is no UTF-8 text" in done.err) == (1, True)


def test_a_kit_without_a_matrix(kit: Path) -> None:
    assert "this kit has no compatibility matrix" in run("matrix").err


def test_rows_and_ranges_that_lead_nowhere(fleet: Path) -> None:
    text = (fleet / "kit.yaml").read_text()
    (fleet / "kit.yaml").write_text(
        text.replace("of: tester", "of: testr").replace('"<1.0.0": old', '"<x": old')
    )
    done = run("check", "-o", "lines")
    assert done.code == 1
    assert (
        "kit.yaml:11 /matrix/rows/1/of: reference-missing: found no release with a version of 'testr'"
        in done.out
    )
    assert "kit.yaml:11 /matrix/rows/1/repository/<x: reference-missing: " in done.out
