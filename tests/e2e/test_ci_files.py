"""What runs in the CI of a kit does what it says: with real git and kitgen, and a server that is played."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from some import first

from kitgen import __version__
from kitgen.pipeline.starter import starter_files

PROJECT = Path(__file__).resolve().parents[2]
MARK = "<!-- kitgen diff -->"
INPUTS = re.compile(r"\$\{\{[^}]*?\binputs\.([\w-]+)")

GH = """
import json, os, sys
from pathlib import Path

args = sys.argv[1:]
state = Path(os.environ["STATE"])
data = json.loads(state.read_text())
data["calls"].append(args)
state.write_text(json.dumps(data))
if data["refuse"] and data["refuse"] in (args if "--method" in args else ["GET"]):
    sys.exit("HTTP 403: Resource not accessible by integration")
if "--method" not in args:
    print("\\n".join(str(each) for each in data["found"]))
    sys.exit()
(body,) = [each for each in args if each.startswith("body=@")]
data["bodies"].append(Path(body.removeprefix("body=@")).read_text())
data["found"] = data["found"] or [77]
state.write_text(json.dumps(data))
"""

CURL = """
import json, os, sys
from pathlib import Path

args = sys.argv[1:]
state = Path(os.environ["STATE"])
data = json.loads(state.read_text())
method = args[args.index("--request") + 1] if "--request" in args else "GET"
data["calls"].append([method, args[-1]])
if data["refuse"] == method:
    state.write_text(json.dumps(data))
    sys.exit(22)
if method == "GET":
    pages = {
        "1": [{"id": 5, "body": "hello\\nyou"}],
        "2": [{"id": each, "body": data["bodies"][-1]} for each in data["found"]],
    }
    print(json.dumps(pages.get(args[-1].rpartition("&page=")[2], [])))
else:
    (body,) = [each for each in args if each.startswith("body@")]
    data["bodies"].append(Path(body.removeprefix("body@")).read_text())
    data["found"] = data["found"] or [77]
state.write_text(json.dumps(data))
"""


def action() -> dict[str, Any]:
    return dict(yaml.safe_load((PROJECT / "action.yml").read_text(encoding="utf-8")))


def steps() -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in action()["runs"]["steps"]}


def gitlab() -> dict[str, Any]:
    return dict(yaml.safe_load(starter_files("kit")[".gitlab-ci.yml"]))


def git(folder: Path, *args: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *who, *args], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


class Stage:
    """A checkout of a pull request, and programs that stand for the server."""

    def __init__(self, tmp_path: Path) -> None:
        self.temp = tmp_path / "temp"
        self.state = tmp_path / "state.json"
        self.summary, self.output = tmp_path / "summary.md", tmp_path / "output"
        programs = tmp_path / "bin"
        for name, text in (
            ("gh", GH),
            ("curl", CURL),
            ("kitgen", "from kitgen.__main__ import main\nmain()"),
        ):
            programs.mkdir(exist_ok=True)
            (programs / name).write_text(f"#!{sys.executable}\n{text}")
            (programs / name).chmod(0o755)
        (programs / "python").symlink_to(sys.executable)
        self.temp.mkdir()
        self.play()
        origin = tmp_path / "origin"
        kit = origin / "kits/one"
        for path, text in starter_files("one").items():
            (kit / path).parent.mkdir(parents=True, exist_ok=True)
            (kit / path).write_text(text)
        git(origin, "init", "-q", "-b", "main")
        (origin / "first").touch()
        git(origin, "add", "first")
        git(origin, "commit", "-q", "-m", "Start without a kit")
        self.empty = git(origin, "rev-parse", "HEAD")
        git(origin, "add", "-A")
        git(origin, "commit", "-q", "-m", "Start a kit")
        self.base = git(origin, "rev-parse", "HEAD")
        git(origin, "switch", "-q", "-c", "change")
        spec = kit / "components/hello/v0.1.0/component.yaml"
        spec.write_text(spec.read_text().replace("hello:v0.1.0", "hello-ubi:v0.1.0"))
        git(origin, "commit", "-q", "-a", "-m", "Change")
        git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
        self.checkout = tmp_path / "checkout"
        url = origin.as_uri()
        git(tmp_path, "clone", "-q", "--depth=1", "-b", "change", url, str(self.checkout))
        self.path = f"{programs}:{os.environ['PATH']}"
        self.cache = tmp_path / "cache"

    def play(self, *, refuse: str = "") -> None:
        self.state.write_text(json.dumps({"calls": [], "bodies": [], "found": [], "refuse": refuse}))

    @property
    def told(self) -> dict[str, Any]:
        return dict(json.loads(self.state.read_text()))

    def sh(self, script: str, cwd: Path, **settings: str) -> subprocess.CompletedProcess[str]:
        env = {
            "PATH": self.path,
            "PYTHONPATH": str(PROJECT),
            "KITGEN_CACHE_DIR": str(self.cache),
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_OUTPUT": str(self.output),
            "GITHUB_REPOSITORY": "example/kits",
            "GITHUB_REF": "refs/heads/change",
            "GITHUB_SHA": "",
            "GITHUB_SERVER_URL": "https://github.example.com",
            "STATE": str(self.state),
            **settings,
        }
        bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        return subprocess.run(bash, cwd=cwd, env=env, capture_output=True, text=True, check=False)

    def run(self, step: str, **settings: str) -> subprocess.CompletedProcess[str]:
        self.summary.unlink(missing_ok=True)
        self.output.unlink(missing_ok=True)
        given = {"ROOT": "kits/one", "BASE": "", "BRANCH": "main", "FAIL_ON": ""}
        return self.sh(steps()[step]["run"], self.checkout, **{**given, **settings})

    def comment(self) -> subprocess.CompletedProcess[str]:
        return self.run("Keep the comment up to date", REPORT=str(self.temp / "kitgen-diff.md"), NUMBER="7")


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_every_input_is_used_and_every_used_one_is_there() -> None:
    text = (PROJECT / "action.yml").read_text(encoding="utf-8")
    assert set(INPUTS.findall(text)) == action()["inputs"].keys() == {"root", "base", "fail-on", "comment"}
    scripts = [each["run"] for each in steps().values()]
    assert not any("${{" in each for each in scripts), "what others say comes in by the environment"
    runs = "\n".join(scripts)
    assert all(f"kitgen {each}" in runs for each in ("render --check", "check", "diff"))


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_scripts_are_scripts() -> None:
    jobs = [job for job in gitlab().values() if "script" in job]
    scripts = [each["run"] for each in steps().values()] + [line for job in jobs for line in job["script"]]
    for script in scripts:
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_the_workflow_uses_the_action() -> None:
    workflow = yaml.safe_load(starter_files("kit")[".github/workflows/kitgen.yml"])
    (job,) = workflow["jobs"].values()
    used = job["steps"][-1]
    assert used["uses"] == f"example/kitgen@v{__version__}"
    assert used["with"].keys() <= action()["inputs"].keys()
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert gitlab()["variables"]["KITGEN"] == f"kitgen=={__version__}"


def test_a_first_run_makes_the_comment_and_a_second_one_updates_it(stage: Stage) -> None:
    done = stage.run("kitgen diff")
    assert done.returncode == 0, done.stderr
    report = (stage.temp / "kitgen-diff.md").read_text()
    assert report.startswith(f"{MARK}\n")
    assert "hello-ubi:v0.1.0" in report
    assert stage.summary.read_text() == report
    assert stage.output.read_text() == f"report={stage.temp}/kitgen-diff.md\n"

    assert stage.comment().returncode == 0
    assert stage.comment().returncode == 0
    told = stage.told
    assert told["bodies"] == [report, report]
    listed, created, _, updated = told["calls"]
    assert "repos/example/kits/issues/7/comments?per_page=100" in listed
    assert created[:5] == ["api", "--silent", "--method", "POST", "repos/example/kits/issues/7/comments"]
    assert updated[:5] == ["api", "--silent", "--method", "PATCH", "repos/example/kits/issues/comments/77"]


@pytest.mark.parametrize("refuse", first(["POST", "GET"]))
def test_a_fork_may_not_comment_and_the_job_goes_on(stage: Stage, refuse: str) -> None:
    stage.run("kitgen diff")
    stage.play(refuse=refuse)
    assert stage.comment().returncode == 0
    assert "no comment was written" in stage.summary.read_text()
    assert "pull-requests: write" in stage.summary.read_text()


@pytest.mark.parametrize(("risk", "code"), first([("breaking", 0), ("cosmetic", 1), ("", 0)], 2))
def test_only_what_is_to_fail_fails(stage: Stage, risk: str, code: int) -> None:
    done = stage.run("kitgen diff", FAIL_ON=risk)
    assert done.returncode == code, done.stderr
    assert stage.summary.read_text().startswith(MARK)


@pytest.mark.exhaustive
def test_other_bases(stage: Stage) -> None:
    assert stage.run("kitgen diff", BASE=stage.base, BRANCH="").returncode == 0
    assert "hello-ubi:v0.1.0" in stage.summary.read_text()
    assert stage.run("kitgen diff", BASE="HEAD").returncode == 0
    assert "hello-ubi:v0.1.0" not in stage.summary.read_text()
    assert stage.run("kitgen diff", BASE=stage.empty).returncode == 0
    assert stage.summary.read_text() == "kitgen diff: the base has no kit to compare with\n"
    assert stage.run("kitgen diff", BRANCH="").returncode == 0
    assert stage.summary.read_text() == "kitgen diff: there is no base to compare with\n"
    assert stage.run("kitgen diff", BASE="nowhere").returncode not in (0, 1)


@pytest.mark.exhaustive
def test_a_base_branch_that_moved_on_is_taken_as_it_was_merged(stage: Stage, tmp_path: Path) -> None:
    origin = tmp_path / "origin"
    git(origin, "switch", "-q", "-c", "merged", "main")
    git(origin, "merge", "-q", "--no-ff", "-m", "Merge", "change")
    merge = git(origin, "rev-parse", "HEAD")
    git(origin, "switch", "-q", "main")
    target = origin / "kits/one/targets/odh.yaml"
    target.write_text(target.read_text().replace("namespace: opendatahub", "namespace: elsewhere"))
    git(origin, "commit", "-q", "-a", "-m", "Move on")
    git(stage.checkout, "fetch", "-q", "--depth=1", "origin", merge)
    git(stage.checkout, "checkout", "-q", merge)
    for ref, moved in (("refs/pull/7/merge", False), ("refs/heads/change", True)):
        done = stage.run("kitgen diff", GITHUB_REF=ref, GITHUB_SHA=merge)
        assert done.returncode == 0, done.stderr
        assert "hello-ubi:v0.1.0" in stage.summary.read_text()
        assert ("elsewhere" in stage.summary.read_text()) is moved


def test_a_base_is_never_an_option(stage: Stage) -> None:
    done = stage.run("kitgen diff", BASE=f"--upload-pack=touch {stage.temp}/made;")
    assert done.returncode not in (0, 1)
    assert not (stage.temp / "made").exists()


@pytest.mark.exhaustive
def test_a_kit_that_does_not_load_is_told_in_the_comment(stage: Stage) -> None:
    (stage.checkout / "kits/one/targets/odh.yaml").write_text("nonsense: 1\n")
    assert stage.run("kitgen diff").returncode == 0
    assert stage.comment().returncode == 0
    (body,) = stage.told["bodies"]
    assert body.startswith(f"{MARK}\nNothing was compared")
    assert stage.run("kitgen diff", FAIL_ON="breaking").returncode == 1


@pytest.mark.exhaustive
def test_the_checks_fail_when_the_kit_is_wrong(stage: Stage) -> None:
    assert stage.run("kitgen check").returncode == 0
    assert stage.run("kitgen render --check").returncode == 1, "it was never rendered"
    kit = stage.checkout / "kits/one"
    assert stage.sh("kitgen render", kit).returncode == 0
    assert stage.run("kitgen render --check").returncode == 0
    (kit / "targets/odh.yaml").write_text("target: odh\nnonsense: 1\n")
    assert stage.run("kitgen check").returncode == 1


def run_gitlab(stage: Stage, **settings: str) -> subprocess.CompletedProcess[str]:
    (script,) = gitlab()["diff"]["script"]
    given = {
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": stage.base,
        "CI_API_V4_URL": "https://gitlab.example.com/api/v4",
        "CI_PROJECT_ID": "4",
        "CI_MERGE_REQUEST_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_IID": "7",
        "KITGEN_TOKEN": "secret",
    }
    return stage.sh(script, stage.checkout / "kits/one", **{**given, **settings})


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
    notes = "https://gitlab.example.com/api/v4/projects/3/merge_requests/7/notes"
    told = stage.told
    assert [method for method, _ in told["calls"]] == ["GET", "GET", "POST", "GET", "GET", "PUT"]
    assert [place for method, place in told["calls"] if method != "GET"] == [notes, f"{notes}/77"]
    assert all(each.startswith(MARK) and "hello:v0.1.2" in each for each in told["bodies"])


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
