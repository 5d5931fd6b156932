"""kitgen release new writes the next release in a few lines, and says what it decided."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

from kitgen.text.yaml import read_yaml

SPEC = Path("components/hello/v1.0.1/component.yaml")


@pytest.fixture
def project(kit: Path) -> Path:
    """Make hello the project of the kit, in a release that records something."""
    text = (kit / "kit.yaml").read_text()
    rows = "[{label: Hello, of: release}, {label: Tester, of: tester}]"
    (kit / "kit.yaml").write_text(f"{text}project: hello\nmatrix: {{rows: {rows}}}\n")
    release = kit / "releases/v1.0.0.yaml"
    release.write_text(f"{release.read_text()}records: {{tester: v0.2.0}}\n")
    return kit


def written(version: str) -> object:
    return read_yaml(Path(f"releases/{version}.yaml").read_text())


def test_a_hotfix_is_a_few_lines(project: Path) -> None:
    done = run("release", "new", "v1.0.1", "--hotfix")
    assert (done.code, done.out) == (0, f"releases/v1.0.1.yaml\n{SPEC}\n")
    assert done.err == (
        "v1.0.1 builds on v1.0.0 and replaces it: hello v1.0.0 → v1.0.1\n"
        "to take it back: kitgen retire release:v1.0.1; kitgen retire hello@v1.0.1\n"
    )
    assert written("v1.0.1") == {
        "release": "v1.0.1",
        "from": "v1.0.0",
        "replaces": "v1.0.0",
        "components": {"hello": "v1.0.1"},
    }
    assert read_yaml(SPEC.read_text()) == {
        "version": "v1.0.1",
        "from": "v1.0.0",
        "images": {"manager": "quay.io/example/hello:v1.0.1"},
    }
    lines = SPEC.read_text().count("\n") + Path("releases/v1.0.1.yaml").read_text().count("\n")
    assert lines <= 12
    assert run("check", "-q").code == 0


def test_a_kit_that_was_just_begun_can_be_released(tmp_path: Path) -> None:
    assert run("init", tmp_path / "begun", "-q").code == 0
    done = run("release", "new", "v0.1.1", "--hotfix", "--root", tmp_path / "begun")
    assert done.out.splitlines() == ["releases/v0.1.1.yaml", "components/hello/v0.1.1/component.yaml"]
    assert run("check", "-q", "--root", tmp_path / "begun").code == 0


def test_what_was_made_can_be_taken_back(project: Path) -> None:
    before = {path: data for path, (data, _) in kits.contents(project).items()}
    run("release", "new", "v1.0.1", "--hotfix")
    assert run("retire", "release:v1.0.1").code == 0
    assert run("retire", "hello@v1.0.1").code == 0
    assert {path: data for path, (data, _) in kits.contents(project).items()} == before


def test_a_normal_release(project: Path) -> None:
    args = ["--record", "tester=v0.3.0", "--date", "2030-01-31"]
    assert run("release", "new", "v1.1.0", *args).code == 0
    assert written("v1.1.0") == {
        "release": "v1.1.0",
        "from": "v1.0.0",
        "date": "2030-01-31",
        "replaces": "v1.0.0",
        "components": {"hello": "v1.1.0"},
        "records": {"tester": "v0.3.0"},
    }


def test_what_goes_back_needs_a_reason(project: Path) -> None:
    before = kits.contents(project)
    args = ["release", "new", "v1.1.0", "--record", "tester=v0.1.0"]
    refused = run(*args)
    assert refused.code == 1
    assert "releases/v1.1.0.yaml:8 /records/tester: release-backwards: found tester v0.1.0" in refused.err
    assert kits.contents(project) == before
    done = run(*args, "--reason", "v0.2.0 was withdrawn")
    assert done.code == 0
    assert "accepted with the reason: found tester v0.1.0, which was v0.2.0 in v1.0.0\n" in done.err
    found = read_yaml(Path("releases/v1.1.0.yaml").read_text())
    assert found["exceptions"] == [
        {"rule": "release-backwards", "pointer": "/records/tester", "reason": "v0.2.0 was withdrawn"}
    ]
    assert run("check", "-q").code == 0


def test_a_reason_has_words_and_something_to_be_for(project: Path) -> None:
    args = ["release", "new", "v1.1.0", "--record", "tester=v0.1.0", "--reason", "  "]
    assert run(*args).code == 1
    done = run("release", "new", "v1.1.0", "--reason", "who knows")
    assert (done.code, done.err.splitlines()[-1]) == (0, "nothing needs the reason: it is not written")


def test_what_it_builds_on_need_not_be_what_it_replaces(project: Path) -> None:
    run("release", "new", "v1.1.0", "--record", "tester=v0.3.0")
    args = ["release", "new", "v1.2.0", "--from", "v1.0.0"]
    done = run(*args)
    said = "releases/v1.2.0.yaml:2 /records/tester: release-backwards: found tester v0.2.0"
    assert (done.code, said in done.err) == (1, True)
    done = run(*args, "--reason", "v0.3.0 fails")
    assert done.err.startswith("v1.2.0 builds on v1.0.0 and replaces v1.1.0: hello v1.0.0 → v1.2.0\n")
    data = written("v1.2.0")
    assert isinstance(data, dict)
    assert (data["replaces"], data["exceptions"][0]["pointer"]) == ("v1.1.0", "/records/tester")
    assert run("check", "-q").code == 0


def test_a_candidate_is_no_patch_and_nothing_to_fix(project: Path) -> None:
    assert run("release", "new", "v1.1.0-rc.1").code == 0
    assert run("release", "new", "v1.0.1-rc.1", "--hotfix").code == 0
    for args in (["v1.1.1", "--hotfix"], ["v1.1.1", "--hotfix", "--from", "v1.1.0-rc.1"]):
        assert run("release", "new", *args).code == 1
    assert run("release", "new", "v1.1.0", "--record", "rower=v0.1.0").code == 0


def test_images_of_another_version_stay(project: Path) -> None:
    spec = project / "components/hello/v1.0.0/component.yaml"
    spec.write_text(spec.read_text().replace("quay.io/example/hello:v1.0.0", "localhost:5000/hello:stable-1"))
    assert run("release", "new", "v1.0.1", "--hotfix").code == 0
    assert "images" not in SPEC.read_text()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["v1.0.0"], "release v1.0.0 is there already"),
        (["1.0.1"], "expected a semantic version"),
        (["v0.0.0-dev"], "expected a semantic version"),
        (["v0.9.0"], "found no release before v0.9.0"),
        (["v1.0.2", "--hotfix"], "which is no hotfix of v1.0.0"),
        (["v1.0.1", "--from", "v9.9.9"], "found no release 'v9.9.9'"),
        (["v0.1.0", "--from", "v1.0.0"], "expected a release before v0.1.0"),
        (["v1.0.1", "--hotfix", "--record", "tester=v0.3.0"], "a hotfix records nothing new"),
        (["v1.1.0", "--set", "helo=v1.1.0"], "did you mean 'hello'?"),
        (["v1.1.0", "--record", "hello=v1.1.0"], "which v1.0.0 builds"),
        (["v1.1.0", "--record", "tester=newest"], "expected a semantic version"),
        (["v1.1.0", "--set", "hello=v1.2.0"], "expected v1.1.0: the release has its version"),
    ],
)
def test_what_cannot_be_a_release(project: Path, args: list[str], said: str) -> None:
    before = kits.contents(project)
    done = run("release", "new", *args)
    assert (done.code, done.out) == (1, "")
    assert f"releases/{args[0]}.yaml:1: release-new: " in done.err
    assert said in done.err
    assert kits.contents(project) == before


@pytest.mark.parametrize(
    "args", [["--set", "hello"], ["--date", "soon"], ["--record", "a=v1", "--record", "a=v2"]]
)
def test_wrong_usage(project: Path, args: list[str]) -> None:
    assert run("release", "new", "v1.1.0", *args).code == 2
