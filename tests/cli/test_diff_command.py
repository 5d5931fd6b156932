"""kitgen diff tells what changes on a cluster, worst first, with the targets that it reaches."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import kits
import pytest
from running import Run, run

GIT = ("git", "-c", "user.name=me", "-c", "user.email=me@example.org")
SPEC = "components/hello/v1.0.0/component.yaml"
CRD = "components/hello/v1.0.0/crds/greetings.yaml"
HOOKS = "webhooks: {kinds: [example.com/v1/Greeting, batch/v1/Job]}\n"


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a committed kit the current folder."""
    root = kits.make_kit(tmp_path / "kit")
    monkeypatch.chdir(root)
    monkeypatch.setenv("KITGEN_CACHE_DIR", str(tmp_path / "cache"))
    return root


def edit(file: str, old: str, new: str) -> None:
    text = Path(file).read_text()
    assert old in text
    Path(file).write_text(text.replace(old, new, 1))


def commit() -> None:
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Start"]):
        subprocess.run([*GIT, *command], check=True)


def words(text: str) -> str:
    """Return a text without the ends of its lines, which a terminal decides on."""
    return " ".join(text.split())


def first(done: Run) -> tuple[str, str, list[str]]:
    """Return the risk, the rule and the targets of the first change."""
    change = json.loads(done.out)["changes"][0]
    return change["risk"], change["rule"], change["targets"]


CHANGES = {
    "a field of a CRD is gone": (
        CRD,
        "            tolerations: {type: array, items: {$type: core/v1.Toleration}}\n",
        "",
        ("breaking", "field-removed"),
    ),
    "a label in a selector": (
        SPEC,
        "{app.kubernetes.io/name: hello}",
        "{app.kubernetes.io/name: hallo}",
        ("breaking", "upgrade-immutable"),
    ),
    "all secrets": (
        SPEC,
        "core/configmaps: read",
        'core/configmaps: read\n      core/secrets: "*"',
        ("security", "upgrade-permission-gained"),
    ),
    "a binding to everybody": (
        SPEC,
        "features:\n",
        "objects:\n"
        "- apiVersion: rbac.authorization.k8s.io/v1\n"
        "  kind: ClusterRoleBinding\n"
        "  metadata: {name: everybody}\n"
        "  roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}\n"
        "  subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: 'system:unauthenticated'}]\n"
        "features:\n",
        ("security", "access-everybody"),
    ),
}


def test_nothing_is_said_of_no_change(kit: Path) -> None:
    commit()
    done = run("diff")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_a_change_is_told_once_with_the_targets_and_the_line(kit: Path) -> None:
    commit()
    edit(SPEC, "hello:v1.0.0", "hello:v1.0.1")
    done = run("diff", "--all")
    assert done.code == 1
    said = 'image: was "quay.io/example/hello:v1.0.0", now "quay.io/example/hello:v1.0.1"'
    assert f"{said} (odh, olm, rhoai; {SPEC}:13)" in words(done.out)
    assert done.out.count("containers[manager].image") == 1


@pytest.mark.parametrize("source", [("git:main",), ("git:HEAD", "git:main"), ("git:main:odh",), ("odh",)])
def test_revisions_and_the_work_tree(kit: Path, source: tuple[str, ...]) -> None:
    commit()
    assert run("diff", *source).code == 0
    edit(SPEC, "hello:v1.0.0", "hello:v1.0.1")
    assert run("diff", *source).code == (0 if len(source) == 2 else 1)


def test_a_folder_and_standard_input_are_sources(kit: Path) -> None:
    built = run("build", "odh").out
    Path("built.yaml").write_text(built)
    assert run("diff", "odh/hello", "built.yaml").code == 0
    assert run("diff", "path:built.yaml", "-", stdin=built).code == 0
    done = run("diff", "path:built.yaml", "-", stdin=built.replace("8080", "8081"))
    assert "upgrade-port-gone" in done.out


@pytest.mark.parametrize("risk", ["breaking", "security", "behaviour", "cosmetic"])
def test_fail_on_says_what_fails(kit: Path, risk: str) -> None:
    commit()
    edit(SPEC, "hello:v1.0.0", "hello:v1.0.1")
    assert run("diff", "--fail-on", risk).code == (1 if risk in ("behaviour", "cosmetic") else 0)


def test_a_target_that_is_new_is_told(kit: Path) -> None:
    commit()
    Path("targets/more.yaml").write_text(Path("targets/odh.yaml").read_text().replace("odh", "more", 1))
    done = run("diff", "--all")
    assert "Deployment/hello-manager in opendatahub: it is new (more; " in words(done.out)


def test_a_live_cluster_is_a_source(kit: Path) -> None:
    built = run("build", "odh").out
    live = built.replace(
        "\nmetadata:\n", "\nmetadata:\n  uid: abc\n  resourceVersion: '1'\n  generation: 3\n"
    )
    live = live.replace("  replicas: 1\n", "  replicas: 1\n  progressDeadlineSeconds: 600\n")
    live += "---\n{apiVersion: v1, kind: Service, metadata: {name: kubernetes, namespace: default, uid: a}}\n"
    done = run("diff", "target:odh", "-", stdin=live)
    assert (done.code, done.out) == (0, ""), done.out
    assert "left out: 1 object of the cluster that the other side does not have" in done.err
    done = run("diff", "target:odh", "-", stdin=live.replace("replicas: 1", "replicas: 3"))
    assert (
        done.code,
        "spec.replicas"
        in run("diff", "-a", "odh", "-", stdin=live.replace("replicas: 1", "replicas: 3")).out,
    ) == (1, True)


BAD = {
    "no such revision": (["git:nowhere"], 2, "nowhere"),
    "no such path": (["path:nothing.yaml", "odh"], 2, "nothing.yaml"),
    "a path alone": (["path:targets"], 2, "expected two sources"),
    "twice standard input": (["-", "-"], 2, "both sides are standard input"),
    "one thing and several": (["component:hello@v1.0.0", "git:main"], 2, "holds several targets"),
    "a target that is not there": (["target:nobody", "odh"], 2, "nobody"),
    "unrelated things": (["odh", "path:one.yaml"], 1, ""),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_told_in_a_line(kit: Path, what: str) -> None:
    commit()
    Path("one.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
    args, code, said = BAD[what]
    done = run("diff", *args)
    assert (done.code, said in done.err, "Traceback" in done.err) == (code, True, False), done.err


def test_a_tree_that_does_not_render_names_its_line(kit: Path) -> None:
    commit()
    edit(SPEC, "image: manager", "image: managre")
    done = run("diff")
    assert done.code == 1
    assert f"{SPEC}:" in done.err
    assert "managre" in done.err


def test_without_git_there_is_no_last_commit(kit: Path) -> None:
    done = run("diff")
    assert done.code != 0
    assert "Traceback" not in done.err
    assert done.out == ""


def test_many_changes_are_a_page(kit: Path) -> None:
    one = "---\n{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c{0}}}, data: {{k: VALUE}}}}\n"
    objects = "".join(map(one.format, range(1_500)))
    Path("a.yaml").write_text(objects.replace("VALUE", "a"))
    Path("b.yaml").write_text(objects.replace("VALUE", "b"))
    done = run("diff", "a.yaml", "b.yaml", "--all")
    assert done.out.count("\n") < 10
    assert "1500 ConfigMap" in done.out
    assert len(run("diff", "a.yaml", "b.yaml", "-o", "markdown").out) < 65_536


def test_the_forms_agree(kit: Path) -> None:
    commit()
    edit(SPEC, "core/configmaps: read", "core/configmaps: read list watch")
    edit(SPEC, "hello:v1.0.0", "hello:v2.0.0")
    data = json.loads(run("diff", "-o", "json").out)
    text = run("diff", "-a").out
    page = run("diff", "-o", "markdown").out
    assert data["summary"]["behaviour"] == len(
        [each for each in data["changes"] if each["risk"] == "behaviour"]
    )
    assert all(each["rule"] in text and each["rule"] in page for each in data["changes"])
    unified = run("diff", "-o", "unified").out
    assert (
        "-        image: quay.io/example/hello:v1.0.0\n+        image: quay.io/example/hello:v2.0.0\n"
        in unified
    )


def test_secrets_are_in_no_form(kit: Path) -> None:
    old = "{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {k: hunter1}}"
    Path("a.yaml").write_text(old)
    Path("b.yaml").write_text(old.replace("hunter1", "hunter2"))
    for form in ("text", "json", "markdown", "unified"):
        done = run("diff", "a.yaml", "b.yaml", "-a", "-o", form)
        assert done.code == 1
        assert "hunter" not in done.out + done.err


@pytest.mark.parametrize("what", CHANGES)
def test_a_danger_comes_first_with_the_targets_that_it_reaches(kit: Path, what: str) -> None:
    file, old, new, expected = CHANGES[what]
    commit()
    edit(file, old, new)
    assert first(run("diff", "-o", "json")) == (*expected, ["odh", "olm", "rhoai"])
    line = run("diff").out.splitlines()[1]
    assert line.strip().startswith(expected[1])


def test_a_webhook_that_goes_comes_first(kit: Path) -> None:
    Path(SPEC).write_text(Path(SPEC).read_text() + HOOKS)
    commit()
    edit(SPEC, ", batch/v1/Job", "")
    assert first(run("diff", "-o", "json")) == ("security", "webhook-gone", ["odh", "olm", "rhoai"])
