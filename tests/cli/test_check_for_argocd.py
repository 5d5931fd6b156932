"""`kitgen check` on what is for Argo CD: in a checkout of the repository that it names, and of a kit."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
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
metadata: {name: NAME, namespace: argocd}
spec:
  project: team
  source: {repoURL: "https://example.com/team/web.git", path: PATH}
  destination: {server: "https://kubernetes.default.svc", namespace: web}
"""
WORDS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: words, namespace: web}\ndata: {a: b}\n"


def application(name: str, path: str) -> str:
    return APPLICATION.replace("NAME", name).replace("PATH", path)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    files = {
        ".git/HEAD": "ref: refs/heads/work\n",
        ".git/config": REMOTE,
        "apps/words/words.yaml": WORDS,
        "argocd/words.yaml": application("words", "apps/words"),
    }
    return kits.write(tmp_path, files)


def found(*names: str) -> list[str]:
    """Return the rules that are broken, each with its file."""
    lines = run("check", "-o", "lines", *names).out.splitlines()
    return [f"{line.split(':')[0]} {line.split(': ')[1]}" for line in lines]


def test_a_folder_that_is_there_is_right(checkout: Path) -> None:
    assert found(".") == found("argocd") == []


@pytest.mark.parametrize("revision", ["", ", targetRevision: HEAD", ", targetRevision: work"])
def test_a_folder_that_is_not_there_is_told(checkout: Path, revision: str) -> None:
    text = application("wrods", f"apps/wrods{revision}")
    (checkout / "argocd/wrods.yaml").write_text(text)
    told = run("check", "-o", "lines", "argocd").out
    assert told == (
        'argocd/wrods.yaml:6 /spec/source/path: argocd-path: found the path "apps/wrods", but the repository '
        "has no such folder [Application/wrods /spec/source/path] (hint: did you mean 'apps/words'?)\n"
    )


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("argocd/words.yaml", "path: apps/words", "path: gone, targetRevision: deploy"),
        ("argocd/words.yaml", "web.git", "other.git"),
        (".git/config", "Example.com", "example.org"),
        (".git/config", "url", "pushurl"),
        (".git/HEAD", "ref", "ref"),
    ],
)
def test_nothing_is_said_of_what_is_elsewhere(checkout: Path, path: str, old: str, new: str) -> None:
    if path != "argocd/words.yaml":
        (checkout / "argocd/words.yaml").write_text(application("words", "gone"))
    file = checkout / path
    file.write_text(file.read_text().replace(old, new))
    assert found("argocd") == (["argocd/words.yaml argocd-path"] if path == ".git/HEAD" else [])


def test_a_work_tree_knows_its_repository(checkout: Path, tmp_path: Path) -> None:
    (checkout / ".git").rename(tmp_path / "main")
    kits.write(tmp_path / "main/worktrees/a", {"HEAD": "ref: refs/heads/work\n", "commondir": "../..\n"})
    (checkout / ".git").write_text("gitdir: main/worktrees/a\n")
    (checkout / "argocd/words.yaml").write_text(application("words", "gone"))
    assert found("argocd") == ["argocd/words.yaml argocd-path"]


@pytest.mark.parametrize("text", ["", "gitdir: \0", "gitdir: /nowhere", "a" * 100])
def test_a_repository_that_cannot_be_read_says_nothing(checkout: Path, tmp_path: Path, text: str) -> None:
    (checkout / ".git").rename(tmp_path / "main")
    (checkout / ".git").write_text(text)
    (checkout / "argocd/words.yaml").write_text(application("words", "gone"))
    assert found("argocd") == []


def test_two_applications_of_a_folder_share_no_object(checkout: Path) -> None:
    (checkout / "argocd/more.yaml").write_text(application("more", "./apps/words/"))
    assert found(".") == ["argocd/words.yaml argocd-owner"]
    assert found("argocd") == []  # what they bring is not known


def test_a_plain_folder_has_its_limit(checkout: Path) -> None:
    with (checkout / "apps/words/large.yaml").open("w") as stream:
        stream.truncate(11_000_000)
    told = run("check", "-o", "lines", "argocd").out
    assert "argocd/words.yaml:6 /spec/source/path: warning: size-directory: found 2 files" in told


def test_a_kustomization_is_not_read_as_a_plain_folder(checkout: Path) -> None:
    (checkout / "apps/words/kustomization.yaml").write_text("resources: [words.yaml]\n")
    (checkout / "argocd/words.yaml").write_text(
        application("words", "apps/words, directory: {recurse: true}")
    )
    assert found("argocd") == ["argocd/words.yaml argocd-directory"]


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
