"""What runs on GitLab does what it says: with real git and kitgen, and a server that is played."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from ci_stage import KEEPER, MARK, Stage, comment, git, gitlab
from some import first

API = "https://gitlab.example.com/api/v4"
NOTES = f"{API}/projects/3/merge_requests/7/notes"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def run_gitlab(stage: Stage, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run the job as GitLab does: one shell, which first gets kitgen at a commit, installed."""
    git(stage.source, "init", "-q")
    git(stage.source, "add", "-A")
    git(stage.source, "commit", "-q", "--allow-empty", "-m", "A version of kitgen")
    (before,), (script,) = gitlab()["default"]["before_script"], gitlab()["diff"]["script"]
    given = {
        "KITGEN_REPOSITORY": stage.source.as_uri(),
        "KITGEN_COMMIT": git(stage.source, "rev-parse", "HEAD"),
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": stage.base,
        "CI_API_V4_URL": API,
        "CI_PROJECT_ID": "4",
        "CI_MERGE_REQUEST_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_IID": "7",
        "KITGEN_TOKEN": "glpat-1",
    }
    return stage.sh(f"{before}\n{script}", stage.checkout / "kits/one", **{**given, **settings})


def start_gitlab(stage: Stage) -> tuple[Path, str]:
    """Make the kit a repository of its own, since the file stands for one at the top, and change it."""
    kit = stage.checkout / "kits/one"
    git(kit, "init", "-q", "-b", "main")
    git(kit, "add", "-A")
    git(kit, "commit", "-q", "-m", "Start")
    base = git(kit, "rev-parse", "HEAD")
    git(kit, "remote", "add", "origin", kit.as_uri())
    spec = kit / "components/hello/v0.1.0/component.yaml"
    spec.write_text(spec.read_text().replace("hello-ubi:v0.1.0", "hello:v0.1.2"))
    return kit, base


def test_gitlab_keeps_one_comment(stage: Stage) -> None:
    _, base = start_gitlab(stage)
    for _ in range(2):
        done = run_gitlab(stage, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
        assert done.returncode == 0, done.stderr
    told = stage.told
    assert [method for method, _ in told["calls"]] == ["GET", "GET", "POST", "GET", "GET", "PUT"]
    assert [place for method, place in told["calls"] if method != "GET"] == [NOTES, f"{NOTES}/70"]
    assert all(each.startswith(MARK) and "hello:v0.1.2" in each for each in told["bodies"])


def test_gitlab_leaves_the_comment_of_somebody_else_alone(stage: Stage) -> None:
    _, base = start_gitlab(stage)
    foreign = [comment(number, KEEPER + number, f"{MARK}\nall is well") for number in range(1, 4)]
    stage.play(*foreign, comment(4, KEEPER, f"quotes {MARK}"), comment(5, KEEPER, f"{MARK}\nold"))
    done = run_gitlab(stage, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    assert done.returncode == 0, done.stderr
    assert stage.told["comments"][:3] == foreign
    assert [place for method, place in stage.told["calls"] if method != "GET"] == [f"{NOTES}/5"], (
        "on page three"
    )
    assert "hello:v0.1.2" in stage.told["comments"][4]["body"]


@pytest.mark.parametrize("name", first(["$(touch made)", "v0.1.0", "--upload-pack=touch made;", "main"]))
def test_gitlab_takes_kitgen_at_a_commit_alone(stage: Stage, name: str) -> None:
    _, base = start_gitlab(stage)
    run_gitlab(stage, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    git(stage.source, "tag", "v0.1.0")
    done = run_gitlab(stage, CI_MERGE_REQUEST_DIFF_BASE_SHA=base, KITGEN_COMMIT=name)
    assert done.returncode not in (0, 1)
    assert not list(stage.checkout.rglob("made"))


def test_gitlab_writes_no_report_where_a_link_leads(stage: Stage) -> None:
    kit, base = start_gitlab(stage)
    (stage.temp / "other").write_text("kept\n")
    (kit / "kitgen-diff.md").symlink_to(stage.temp / "other")
    assert run_gitlab(stage, CI_MERGE_REQUEST_DIFF_BASE_SHA=base).returncode == 0
    assert (stage.temp / "other").read_text() == "kept\n"
    assert stage.told["bodies"][0].startswith(MARK)


def test_gitlab_gives_the_token_to_curl_alone(stage: Stage) -> None:
    _, base = start_gitlab(stage)
    stage.installed(
        "import os, sys\nsys.exit(9 if 'glpat-1' in os.environ.values() and 'diff' in sys.argv else 0)"
    )
    done = run_gitlab(stage, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    assert (done.returncode, len(stage.told["bodies"])) == (0, 1), done.stderr


@pytest.mark.exhaustive
def test_gitlab_goes_on_without_a_comment(stage: Stage) -> None:
    kit, base = start_gitlab(stage)
    for refuse in ("GET", "POST"):
        stage.play(refuse=refuse)
        done = run_gitlab(stage, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
        assert (done.returncode, "no comment was written" in done.stdout) == (0, True)
    stage.play()
    done = run_gitlab(stage, CI_MERGE_REQUEST_DIFF_BASE_SHA=base, KITGEN_TOKEN="")
    assert (done.returncode, "there is no KITGEN_TOKEN" in done.stdout, stage.told["calls"]) == (0, True, [])
    assert (kit / "kitgen-diff.md").read_text().startswith(MARK)


@pytest.mark.exhaustive
def test_gitlab_compares_with_what_it_merged_with(stage: Stage) -> None:
    kit, base = start_gitlab(stage)
    git(kit, "commit", "-q", "-a", "-m", "What GitLab merged with")
    merged = git(kit, "rev-parse", "HEAD")
    settings = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": merged}
    assert run_gitlab(stage, **settings).returncode == 0
    assert "no changes" in stage.told["bodies"][-1]
    (kit / "components/hello/v0.1.0/component.yaml").write_text("nonsense: 1\n")
    assert run_gitlab(stage, **settings).returncode == 0
    assert stage.told["bodies"][-1].startswith(f"{MARK}\nNothing was compared")
