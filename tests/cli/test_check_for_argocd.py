"""`kitgen check` on what is for Argo CD: in a checkout of the repository that it names, and of a kit."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from checking import CRD
from running import run

REMOTE = """\
[core]
\tbare = false
[remote "origin"]
\turl = git@Example.com:team/web.git
[branch "main"]
\tremote = origin
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: NAME, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: "WAVE"}}
spec:
  project: team
  source: {repoURL: "https://example.com/team/web.git", path: apps/NAME}
  destination: {server: "https://kubernetes.default.svc", namespace: web}
"""
QUEUE = "apiVersion: example.com/v1\nkind: Queue\nmetadata: {name: a, namespace: web}\n"


def application(name: str, wave: int) -> str:
    return APPLICATION.replace("NAME", name).replace("WAVE", str(wave))


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a checkout in which the queues come before their CRD."""
    monkeypatch.chdir(tmp_path)
    files = {
        ".git/HEAD": "ref: refs/heads/work\n",
        ".git/config": REMOTE,
        "apps/crds/deep/crd.yaml": CRD,
        "apps/crds/kustomization.yaml": "resources: [deep/crd.yaml]\n",
        "apps/queues/deep/queue.yaml": QUEUE,
        "argocd/crds.yaml": application("crds", 2),
        "argocd/queues.yaml": application("queues", 1).replace(
            "apps/queues", "apps/queues, directory: {recurse: true}"
        ),
    }
    return kits.write(tmp_path, files)


def found(*names: str) -> list[str]:
    """Return what is wrong for Argo CD, each with its file."""
    lines = run("check", "-o", "lines", *names).out.splitlines()
    rows = (line.split(": ") for line in lines if " argocd-" in line)
    return [f"{place.partition(':')[0]} {rule}" for place, rule, *_ in rows]


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


EARLY = ["argocd/queues.yaml argocd-wave"]


def test_waves_of_applications_are_held_to_what_their_folders_bring(checkout: Path) -> None:
    assert found(".") == EARLY
    assert found("argocd") == []  # what they bring is not known
    edit(checkout / "argocd/queues.yaml", '"1"', '"2"')
    assert found(".") == []


@pytest.mark.parametrize(
    ("path", "old", "new", "known"),
    [
        ("argocd/crds.yaml", "path: apps/crds", "path: ./apps//crds/, targetRevision: HEAD", True),
        ("argocd/crds.yaml", "path: apps/crds", "path: apps/crds, targetRevision: work", True),
        ("argocd/crds.yaml", "path: apps/crds", "path: apps/crds, targetRevision: deploy", False),
        ("argocd/crds.yaml", "path: apps/crds", "path: apps/../apps/crds", False),
        ("argocd/crds.yaml", "web.git", "other.git", False),
        ("argocd/queues.yaml", "recurse: true", "recurse: false", False),
        (".git/config", "Example.com", "example.org", False),
        (".git/config", "url", "pushurl", False),
    ],
)
def test_nothing_is_said_of_what_is_elsewhere(
    checkout: Path, path: str, old: str, new: str, known: bool
) -> None:
    edit(checkout / path, old, new)
    assert found(".") == (EARLY if known else [])


def test_a_work_tree_knows_its_repository(checkout: Path, tmp_path: Path) -> None:
    (checkout / ".git").rename(tmp_path / "main")
    kits.write(tmp_path / "main/worktrees/a", {"HEAD": "ref: refs/heads/work\n", "commondir": "../..\n"})
    (checkout / ".git").write_text("gitdir: main/worktrees/a\n")
    assert found("apps", "argocd") == EARLY


@pytest.mark.parametrize("text", ["", "gitdir: \0", "gitdir: /nowhere", "a" * 100])
def test_a_repository_that_cannot_be_read_says_nothing(checkout: Path, tmp_path: Path, text: str) -> None:
    (checkout / ".git").rename(tmp_path / "main")
    (checkout / ".git").write_text(text)
    assert found("apps", "argocd") == []


@pytest.mark.parametrize(
    ("folder", "told"),
    [
        ("deploy/kit", ""),
        ("", 'found no folder, but the kit is in "deploy/kit" (hint: write folder: deploy/kit)'),
        ("kit", 'found the folder "kit", but the kit is in "deploy/kit" (hint: write folder: deploy/kit)'),
    ],
)
def test_a_kit_is_where_its_targets_say(checkout: Path, folder: str, told: str) -> None:
    kit = kits.make_kit(checkout / "deploy/kit")
    spec = kit / "targets/olm.yaml"
    said = f", folder: {folder}" if folder else ""
    spec.write_text(f'{spec.read_text()}argocd: {{repository: "https://example.com/team/web.git"{said}}}\n')
    checked = run("check", "-o", "lines", "--root", kit)
    assert checked.out == (f"targets/olm.yaml:7 /argocd/folder: argocd-path: {told}\n" if told else "")
    assert run("render", "--root", kit).code == 0


def test_targets_of_one_cluster_are_told(tmp_path: Path) -> None:
    kit = kits.make_kit(tmp_path)
    for name in ("odh", "olm"):
        spec = kit / f"targets/{name}.yaml"
        spec.write_text(f'{spec.read_text()}argocd: {{repository: "https://example.com/kit.git"}}\n')
    told = run("check", "-o", "lines", "--root", kit)
    assert (told.code, told.out.count("argocd-cluster")) == (0, 1)
    text = (kit / "targets/odh.yaml").read_text()
    (kit / "targets/odh.yaml").write_text(text.replace('kit.git"', 'kit.git", destination: {name: far}'))
    assert run("check", "-o", "lines", "--root", kit).out == ""


def test_targets_of_a_fleet_share_no_cluster_unless_they_say_so(tmp_path: Path) -> None:
    kit = kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "fleet")
    assert "argocd-cluster" not in run("check", "-o", "lines", "--root", kit).out
    for name in ("olm", "odh"):
        spec = kit / f"targets/{name}.yaml"
        spec.write_text(spec.read_text().replace("argocd:\n", "argocd:\n  destination: {name: prod}\n"))
    assert "argocd-cluster" in run("check", "-o", "lines", "--root", kit).out
