"""No command says a piece of a secret, wherever that stands and whatever is wrong around it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
import kits
import pytest
from canary import CANARY, MANIFESTS, OTHER, planted, shown
from carriers import CLUSTER_LISTS, KITS, NEWER, TREES
from commands import COMMANDS, attacked_kit, leaf_commands
from running import Run, run
from some import first

from kitgen.files.cache_store import CacheStore
from kitgen.files.results import ResultCache, use_cache
from kitgen.findings import Finding
from kitgen.report import forms as finding_forms
from kitgen.testing.files import SnapshotMismatch
from kitgen.testing.messages import describe_mismatches
from kitgen.text.yaml import Dialect, read_yaml_documents

PRODUCTS = {"build", "import", "migrate resources"}
"""Commands whose standard output is the object, or the spec, itself."""
BUILT = {"objects", "variables", "arguments", "a patch", "variables of a target"}
"""What of the kits with a secret has nothing else wrong with it, and gets into objects."""
EMPTY = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: zz, namespace: b}\n"


@pytest.fixture(autouse=True, scope="module")
def results_kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep results, so that what a command makes of a kit is made once for all attacks."""
    with use_cache(ResultCache(CacheStore(str(tmp_path_factory.mktemp("results"))), "")):
        yield


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return attacked_kit(tmp_path_factory.mktemp("secrets") / "kit")


@pytest.fixture(autouse=True, scope="module")
def every_form_of_findings() -> Iterator[None]:
    """Write findings in all forms where they are asked for in the first: they are the same for each."""
    render, forms = finding_forms.render_findings, finding_forms.FORMS

    def render_all(findings: Iterable[Finding], *, output: str, **more: Any) -> str:
        found = [*findings]
        asked = forms if output == forms[0] else (output,)
        return "".join(render(found, output=form, **more) for form in asked)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finding_forms, "render_findings", render_all)
        yield


def forms(name: str) -> list[tuple[str, ...]]:
    """Return the options of a command for each form of its output; those of findings are one."""
    kinds = [each.type for each in leaf_commands()[name].params if each.name == "output"]
    choices = [str(form) for kind in kinds if isinstance(kind, click.Choice) for form in kind.choices]
    if {*finding_forms.FORMS} <= {*choices}:
        choices = [each for each in choices if each not in finding_forms.FORMS[1:]]
    return [("-o", each) for each in choices] or [()]


def hidden(name: str, *args: str, stdin: str = "") -> Run:
    """Run a command, and check that it says nothing of the secret."""
    done = run(*name.split(), *args, stdin=stdin)
    assert done.code in (0, 1, 2), (name, args, done)
    assert "kitgen failed" not in done.err, (name, args, done)
    assert not shown(done.err), (name, args, shown(done.err))
    assert name in PRODUCTS or not shown(done.out), (name, args, shown(done.out))
    return done


@pytest.mark.parametrize("what", first(MANIFESTS, 2))
def test_files_of_others(root: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.chdir(root)
    text = planted(MANIFESTS[what])
    for name, content in {"FILE": text, "OTHER": planted(MANIFESTS[what], OTHER), "EMPTY": EMPTY}.items():
        Path(name).write_text(content)
    for name, row in COMMANDS.items():
        for line in row.reads:
            for form in forms(name) if line == row.reads[0] else forms(name)[:1]:
                hidden(name, *line.split(), *form, stdin=text)


@pytest.mark.parametrize("what", first(CLUSTER_LISTS, 2))
def test_lists_of_clusters(root: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.chdir(root)
    text = planted(CLUSTER_LISTS[what])
    Path("FILE").write_text(text)
    for form in forms("fleet plan"):
        for more in ((), ("-l", "vendor"), ("--pin", "olm=v1.1.0"), ("--label", "lab:vendor=a")):
            hidden("fleet plan", "--clusters", "FILE", *form, *more)
        hidden("fleet plan", "--clusters", "-", *form, stdin=text)
    for form in forms("check"):
        hidden("check", "FILE", *form)


@pytest.mark.kustomize
@pytest.mark.parametrize("what", first(TREES))
def test_trees(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.chdir(root)
    for name, secret in (("one", CANARY), ("other", OTHER)):
        kits.write(tmp_path / name, {file: planted(text, secret) for file, text in TREES[what].items()})
    one, other = tmp_path / "one", tmp_path / "other"
    for form in forms("check"):
        hidden("check", str(one), *form)
    for form in forms("diff"):
        hidden("diff", f"path:{one}", f"path:{other}", "-a", *form)
    hidden("compare", f"path:{one}", str(other))
    hidden("drift", f"path:{one}", f"path:{other}")
    hidden("import", str(one), "--as", "x@v1.0.0", "--dry-run")
    hidden("images list", f"path:{one}")


def objects(secret: str) -> str:
    """Return all manifests in which nothing is wrong as objects of a spec, each under a name of its own."""
    found: list[str] = []
    for number, text in enumerate(planted(each, secret) for each in MANIFESTS.values()):
        odd = "{{" in text or "@quay.io" in text  # which a spec refuses
        if not odd and run("check", "-", "-q", stdin=text).code == 0:
            for body in read_yaml_documents(text, dialect=Dialect.KUBECTL):
                if body.get("kind") in ("ConfigMap", "Deployment", "Pod", "Secret"):
                    body["metadata"]["name"] = f"a-{number}-{len(found)}"
                    found.append(f"- {json.dumps(body)}\n")
    assert len(found) > 40
    return "".join(found)


@pytest.mark.parametrize("what", first(KITS, 0))
def test_kits(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    copy = shutil.copytree(root, tmp_path / "kit")
    monkeypatch.chdir(copy)
    for file, old, new in KITS[what]:
        text = (copy / file).read_text()
        assert old in text, (what, old)
        secret = OTHER if file == NEWER else CANARY
        put = planted(new, secret).replace("OBJECTS\n", objects(secret) if "OBJECTS" in new else "")
        (copy / file).write_text(text.replace(old, put, 1) if old else text + put)
    assert bool(shown(run("build", "olm").out)) is (what in BUILT)
    hidden("render")
    for name, row in COMMANDS.items():
        for form in forms(name):
            hidden(name, *row.args, *form)
    for form in forms("why"):
        hidden("why", "olm", "Deployment/hello-manager", "containers[0]", *form)
    hidden("render", "--diff")
    hidden("render", "--check", "--diff")


@pytest.mark.parametrize("there", [False, True])
def test_what_is_kept_of_a_render_is_for_its_owner_alone(root: Path, tmp_path: Path, there: bool) -> None:
    cache = tmp_path / "cache" / "kitgen"
    if there:
        cache.mkdir(parents=True)
        cache.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KITGEN_CACHE_DIR", str(tmp_path / "cache"))
        before = os.umask(0)
        try:
            assert run("render", "--root", shutil.copytree(root, tmp_path / "kit")).code == 0
        finally:
            os.umask(before)
    assert cache.stat().st_mode & 0o777 == (0o755 if there else 0o700)  # a folder of theirs keeps its mode
    assert [path.stat().st_mode & 0o777 for path in cache.iterdir()] == [0o600] * len([*cache.iterdir()])


@pytest.mark.parametrize("what", first(MANIFESTS, 2))
def test_differences_of_snapshots(what: str) -> None:
    was, now = (planted(MANIFESTS[what], each) for each in (CANARY, OTHER))
    told = describe_mismatches(
        "snapshots",
        [SnapshotMismatch("odh/a.yaml", was, now), SnapshotMismatch("odh/b.yaml", f"{was}a: 1\n", was)],
        "pytest",
    )
    assert "snapshots/odh/a.yaml" in told
    assert not shown(told), shown(told)
