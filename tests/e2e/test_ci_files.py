"""What runs in the CI of a kit does what it says: with real git and kitgen, and a server that is played."""

from __future__ import annotations

import re
import shutil
import subprocess
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
import yaml
from ci_stage import BOT, MARK, PROJECT, Stage, action, commands, comment, git, gitlab, steps
from some import first

from kitgen import __version__
from kitgen.app.starter import render_starter_files

SCRIPTS = ("before_script", "script")
INPUTS = re.compile(r"\$\{\{[^}]*?\binputs\.([\w-]+)")


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_every_input_is_used_and_every_used_one_is_there() -> None:
    text = (PROJECT / "action.yml").read_text(encoding="utf-8")
    assert set(INPUTS.findall(text)) == action()["inputs"].keys() == {"root", "base", "fail-on", "comment"}
    runs = "\n".join(each["run"] for each in steps().values())
    assert all(f'/ci/guarded" {each}' in runs for each in ("render --check", "check", "diff"))


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_scripts_are_scripts() -> None:
    scripts = [each["run"] for each in steps().values()]
    scripts += [line for job in gitlab().values() for key in SCRIPTS for line in job.get(key, ())]
    scripts += [(PROJECT / "ci" / each).read_text() for each in ("kitgen", "guarded")]
    for script in scripts:
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_the_workflow_uses_the_action() -> None:
    text = render_starter_files("kit")[".github/workflows/kitgen.yml"]
    (job,) = yaml.safe_load(text)["jobs"].values()
    used = job["steps"][-1]
    assert f"uses: example/kitgen@{'0' * 40} # v{__version__}\n" in text, "a commit that nobody can have"
    assert used["with"].keys() <= action()["inputs"].keys()


def test_a_first_run_makes_the_comment_and_a_second_one_updates_it(stage: Stage) -> None:
    done = stage.diff()
    assert done.returncode == 0, done.stderr
    report = (stage.temp / "kitgen-diff.md").read_text()
    assert report.startswith(f"{MARK}\n")
    assert "hello-ubi:v0.1.0" in report
    assert stage.summary.read_text() == report
    assert stage.output.read_text() == "told=true\n"

    assert stage.comment().returncode == 0
    assert stage.comment().returncode == 0
    told = stage.told
    assert told["bodies"] == [report, report]
    assert told["calls"] == [
        ["GET", "repos/example/kits/issues/7/comments?per_page=100"],
        ["POST", "repos/example/kits/issues/7/comments"],
        ["GET", "repos/example/kits/issues/7/comments?per_page=100"],
        ["PATCH", "repos/example/kits/issues/comments/70"],
    ]


FOREIGN = [
    comment(1, "mallory", f"{MARK}\nall is well"),
    comment(2, "other-app[bot]", f"{MARK}\nall is well"),
    comment(3, "github-actions", f"{MARK}\nall is well"),
    comment(4, None, f"{MARK}\nby a user who is gone"),
    comment(5, BOT, f"another job quotes {MARK}"),
]


def test_the_comment_of_somebody_else_is_left_alone_whatever_it_says(stage: Stage) -> None:
    (stage.temp / "kitgen-diff.md").write_text(f"{MARK}\nreport\n")
    stage.play(*FOREIGN)
    assert stage.comment().returncode == 0
    assert stage.told["comments"][: len(FOREIGN)] == FOREIGN
    assert [each["body"] for each in stage.told["comments"][len(FOREIGN) :]] == [f"{MARK}\nreport\n"]


def test_the_own_comment_is_found_on_a_later_page(stage: Stage) -> None:
    (stage.temp / "kitgen-diff.md").write_text(f"{MARK}\nnew\n")
    stage.play(
        *FOREIGN, comment(6, "a", "b"), comment(7, BOT, f"{MARK}\nold\n"), comment(8, BOT, f"{MARK}\n2")
    )
    assert stage.comment().returncode == 0
    assert stage.told["calls"][-1] == ["PATCH", "repos/example/kits/issues/comments/7"]


@pytest.mark.parametrize("refuse", first(["POST", "GET"]))
def test_a_fork_may_not_comment_and_the_job_goes_on(stage: Stage, refuse: str) -> None:
    (stage.temp / "kitgen-diff.md").write_text(f"{MARK}\nreport\n")
    stage.play(refuse=refuse)
    assert stage.comment().returncode == 0
    assert "no comment was written" in stage.summary.read_text()
    assert "pull-requests: write" in stage.summary.read_text()


@pytest.mark.parametrize(("risk", "code"), first([("breaking", 0), ("cosmetic", 1), ("", 0)], 2))
def test_only_what_is_to_fail_fails(stage: Stage, risk: str, code: int) -> None:
    done = stage.diff(fail_on=risk)
    assert done.returncode == code, done.stderr
    assert stage.summary.read_text().startswith(MARK)


@pytest.mark.exhaustive
def test_other_bases(stage: Stage) -> None:
    assert stage.diff(BASE=stage.base, BRANCH="").returncode == 0
    assert "hello-ubi:v0.1.0" in stage.summary.read_text()
    assert stage.diff(BASE="HEAD").returncode == 0
    assert "hello-ubi:v0.1.0" not in stage.summary.read_text()
    assert stage.diff(BASE=stage.empty).returncode == 0
    assert stage.summary.read_text() == "kitgen diff: the base has no kit to compare with\n"
    assert stage.diff(BRANCH="").returncode == 0
    assert stage.summary.read_text() == "kitgen diff: there is no base to compare with\n"
    assert stage.diff(BASE="nowhere").returncode not in (0, 1)


@pytest.mark.exhaustive
def test_a_base_branch_that_moved_on_is_taken_as_it_was_merged(stage: Stage) -> None:
    origin = stage.origin
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
        done = stage.diff(GITHUB_REF=ref, GITHUB_SHA=merge)
        assert done.returncode == 0, done.stderr
        assert "hello-ubi:v0.1.0" in stage.summary.read_text()
        assert ("elsewhere" in stage.summary.read_text()) is moved


def test_a_merge_with_its_parents_needs_no_server(stage: Stage) -> None:
    git(stage.origin, "switch", "-q", "-c", "merged", "main")
    git(stage.origin, "merge", "-q", "--no-ff", "-m", "Merge", "change")
    merge = git(stage.origin, "rev-parse", "HEAD")
    git(stage.checkout, "fetch", "-q", "--depth=2", "origin", merge)
    git(stage.checkout, "checkout", "-q", merge)
    git(stage.checkout, "remote", "remove", "origin")
    done = stage.diff(GITHUB_REF="refs/pull/7/merge", GITHUB_SHA=merge)
    assert done.returncode == 0, done.stderr
    assert "hello-ubi:v0.1.0" in stage.summary.read_text()


def test_a_base_is_never_an_option(stage: Stage) -> None:
    done = stage.diff(BASE=f"--upload-pack=touch {stage.temp}/made;")
    assert done.returncode not in (0, 1)
    assert not (stage.temp / "made").exists()


@pytest.mark.exhaustive
def test_a_kit_that_does_not_load_is_told_in_the_comment(stage: Stage) -> None:
    (stage.checkout / "kits/one/targets/odh.yaml").write_text("nonsense: 1\n")
    assert stage.diff().returncode == 0
    assert stage.comment().returncode == 0
    (body,) = stage.told["bodies"]
    assert body.startswith(f"{MARK}\nNothing was compared")
    assert stage.diff(fail_on="breaking").returncode == 1


@pytest.mark.exhaustive
def test_the_checks_fail_when_the_kit_is_wrong(stage: Stage) -> None:
    assert stage.run("kitgen check").returncode == 0
    assert stage.run("kitgen render --check").returncode == 1, "it was never rendered"
    kit = stage.checkout / "kits/one"
    assert stage.sh('"$GITHUB_ACTION_PATH/ci/kitgen" render', kit).returncode == 0
    assert stage.run("kitgen render --check").returncode == 0
    (kit / "targets/odh.yaml").write_text("target: odh\nnonsense: 1\n")
    assert stage.run("kitgen check").returncode == 1


@pytest.mark.parametrize("kept", [True, False])
def test_the_base_is_fetched_with_the_token_of_the_job_and_no_other(stage: Stage, kept: bool) -> None:
    asked: list[list[str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.headers.get_all("Authorization", []))
            self.send_error(403)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        git(stage.checkout, "remote", "set-url", "origin", f"{url}/example/kits")
        if kept:
            git(stage.checkout, "config", f"http.{url}/.extraheader", "AUTHORIZATION: basic b2xk")
        done = stage.run("Find the base", GITHUB_SERVER_URL=url, GIT_TERMINAL_PROMPT="0")
        server.shutdown()
    assert done.returncode not in (0, 1)
    assert asked == [[f"Basic {b64encode(b'x-access-token:ghs-1').decode()}"]]
    assert "ghs-1" not in done.stdout + done.stderr
    assert "Authorization" not in (stage.checkout / ".git/config").read_text()


HOSTILE = [
    "$(touch made)",
    "`touch made`",
    "';touch${IFS}made;'",
    '";touch${IFS}made;"',
    "a&&touch${IFS}made",
    "--upload-pack=touch${IFS}made",
]


@pytest.mark.parametrize("name", first(HOSTILE))
def test_the_name_of_a_branch_is_only_a_name(stage: Stage, name: str) -> None:
    branch = name.replace(" ", "${IFS}").removeprefix("--")
    git(stage.origin, "branch", branch, "main")
    done = stage.diff(BRANCH=branch)
    assert done.returncode == 0, done.stderr
    assert "hello-ubi:v0.1.0" in stage.summary.read_text()
    for base in (name, f"{name}\ncommit=1", f"main\n{name}"):
        done = stage.run("Find the base", BASE=base)
        assert stage.outputs() == ({"commit": stage.base} if done.returncode == 0 else {})
    stage.run("kitgen diff", BASE=stage.base, FAIL_ON=name)
    stage.run("kitgen check", ROOT=name)
    assert not list(stage.checkout.rglob("made")) + list(stage.temp.rglob("made"))


def test_what_a_kit_says_is_no_command(stage: Stage) -> None:
    kit = stage.checkout / "kits/one"
    for name in ("::set-output name=told::x", "##[set-output name=told]x", "::add-mask::a", "a\n::error::b"):
        (kit / "targets" / f"{name}.yaml").write_text("target: odh\n")
    for name in ("::error::c", "##[add-path]c", "$(touch made)", "c\n::add-mask::d"):
        shutil.copytree(kit / "components/hello", kit / "components" / name)
    target = kit / "targets/odh.yaml"
    target.write_text(target.read_text() + '"##[error]x": 1\n"\\n::set-output name=told::/etc/passwd": 1\n')
    for step in ("kitgen render --check", "kitgen diff"):
        done = stage.run(step, BASE="HEAD")
        assert "set-output" in done.stdout, "the log does say it"
        assert (list(commands(done.stdout)), done.stderr) == ([], "")
    done = stage.run("kitgen check")
    assert (done.returncode, done.stderr) == (1, "")
    found = list(commands(done.stdout))
    assert found
    assert all(re.match("::(error|warning|notice) file=", each) for each in found)
    assert not list(stage.checkout.rglob("made"))


def test_commands_are_stopped_until_kitgen_ends_and_whatever_it_says(stage: Stage) -> None:
    said = "::set-output name=told::x\\n::stop-commands::\\n::resume::\\n##[add-path]x"
    stage.installed(
        f"import sys\nfor each in (sys.stdout, sys.stderr):\n    print('{said}', file=each)\nsys.exit(5)"
    )
    logs = []
    for product in ("", str(stage.temp / "product")):
        done = stage.sh('"$GITHUB_ACTION_PATH/ci/guarded"', stage.checkout, PRODUCT=product)
        assert (done.returncode, done.stderr, list(commands(f"{done.stdout}::after::"))) == (
            5,
            "",
            ["::after::"],
        )
        logs.append(done.stdout.splitlines())
    assert (len(logs[0]), len(logs[1])) == (10, 6)
    assert logs[0][0] != logs[1][0], "nobody can know how to resume"
    assert len((stage.temp / "product").read_text().splitlines()) == 4
