"""Flatten: a spec is written out, says the same, and keeps its comments."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import kits
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import run
from some import first

from kitgen.findings import Origin
from kitgen.kit.flattened_text import flatten_texts
from kitgen.kit.merge import SpecValue, merge_specs
from kitgen.text.yaml import Json, dump_yaml, read_yaml

CHAINED = first(
    [
        ("from-a-version-with-files", "hello@v1.2.0"),
        ("from-a-target", "second"),
        ("from-a-release", "release:v1.0.1"),
        ("from-a-version", "hello@v1.0.1"),
        ("from-a-version", "release:v1.0.1"),
        ("from-a-version-with-files", "hello@v1.1.0"),
        ("from-a-target", "staging"),
        ("from-a-release", "hello@v1.0.1"),
    ],
    3,
)


def built(root: Path) -> dict[str, str]:
    """Return the objects of every target in every release that it ships."""
    kit = json.loads(run("list", "--root", root, "-o", "json").out)
    return {target["name"]: run("build", target["name"], "--root", root).out for target in kit["targets"]}


def said(root: Path, source: str) -> Json:
    told = json.loads(run("show", source, "--root", root, "-o", "json").out)
    return told["data"], [each["name"] for each in told["beside"]]


@pytest.mark.parametrize(("case", "source"), CHAINED)
def test_what_is_written_out_says_the_same(case: str, source: str, tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / case)
    before, was = built(root), said(root, source)
    done = run("flatten", source, "--root", root)
    assert (done.code, done.out) == (0, ""), done.err
    assert (built(root), said(root, source)) == (before, was)
    told = json.loads(run("show", source, "--root", root, "-o", "json").out)
    assert len(told["files"]) == 1
    assert all(each["state"] == "own" for each in told["beside"])
    checked, rendered = run("check", "-o", "lines", "--root", root), run("render", "--root", root)
    assert (checked.code, rendered.code) == (0, 0), checked.out
    again = run("flatten", source, "--root", root)
    assert again.code == 2
    assert "builds on nothing, so there is nothing to write out" in again.err


@pytest.mark.parametrize(("case", "source"), CHAINED)
def test_a_dry_run_prints_the_patch_and_writes_nothing(case: str, source: str, tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / case)
    before = kits.contents(root)
    shown = run("flatten", source, "--dry-run", "--root", root)
    assert shown.code == 0
    assert kits.contents(root) == before
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    subprocess.run(["patch", "-s", "-p1"], cwd=copy, input=shown.out.encode(), check=True)
    assert run("flatten", source, "--root", root).code == 0
    assert {name: text for name, (text, _) in kits.contents(copy).items()} == {
        name: text for name, (text, _) in kits.contents(root).items()
    }


OLD = """\
# The first version

component: hello   # its name
version: v1.0.0

# Images are pinned.
images:
  # the manager
  manager: quay.io/example/hello:v1.0.0   # by tag
  # a helper
  other: quay.io/example/other:v1.0.0

deployment:
  name: manager  # short
  containers:
    manager:
      # found in the image
      command: [/manager]   # one
      args:
        - --a   # first
        - --b

patches:
  # because
  - name: one   # 1
    why: it must be
    object: Deployment/x
    merge: {spec: {}}
  - why: it must be
    name: two
    object: Deployment/x
    # an empty one
    merge: {spec: {}}
text: |
  # no comment

  end
# the end
"""
NEW = """\
# The second version
version: v1.0.1
from: v1.0.0
images:
  manager: quay.io/example/hello:v1.0.1   # newer
# Two
deployment:
  replicas: 2
patches:
- name: two
  why: it may be
- name: three
"""
WANT = """\
# The second version
component: hello   # its name
version: v1.0.1

# Images are pinned.
images:
  # the manager
  manager: quay.io/example/hello:v1.0.1   # newer
  # a helper
  other: quay.io/example/other:v1.0.0

deployment:
  name: manager  # short
  containers:
    manager:
      # found in the image
      command: [/manager]   # one
      args:
        - --a   # first
        - --b
  replicas: 2

patches:
  # because
  - name: one   # 1
    why: it must be
    object: Deployment/x
    merge: {spec: {}}
  - why: it may be
    name: two
    object: Deployment/x
    # an empty one
    merge: {spec: {}}
  - name: three
text: |
  # no comment

  end
# the end
"""


def test_comments_and_layout_of_what_is_taken_over_stay() -> None:
    assert flatten_texts([OLD, NEW], read_yaml(WANT)) == WANT


@pytest.mark.parametrize(
    ("texts", "data"),
    [
        (["a: &x [1]\nb: *x\n"], {"b": [1]}),
        (["a: &x [1]\nb: *x\n"], {"a": [1], "b": [1], "c": 3}),
        (["{a: 1, b: {c: 2}}"], {"a": 1, "b": {"c": 3}}),
        (["a:\r\n  b: 1\r\n  c: 2\r\n"], {"a": {"b": 1, "c": 3}}),
        (["a: 1 # x\n# y"], {"a": True}),
        (["? a\n: b: 1\n  c: 2\n"], {"a": {"b": 1}}),
        (["a:\n- - 1\n  - 2\n- 3\n"], {"a": [[1, 2], 4]}),
        (['a: "x\n  y"\nb:\n  c: "x\n\n    y"\n  d: 1\n'], {"a": "x y", "b": {"c": "x\ny", "d": 2}}),
        (["a:\nb: 1\n"], {"a": None, "b": 2}),
        (["a: |+\n  x\n\n\nb: 1\n"], {"a": "x\n\n\n", "b": 2}),
        (["a: >-\n  x\n  y\n\n# z\nb: 1\n"], {"a": "x y", "b": 2}),
        (["---\na: {b: 1,\n  c: 2}\nd: 1\n...\n"], {"a": {"b": 1, "c": 2}, "d": 2}),
        (["a:\n- name: x\n  b: 1\n"], {"a": [{"name": "x", "b": 2}, {"name": "y"}]}),
        (["a: 1\n"], {}),
        (["a: {b: c?!, d: e?f}\ng: 1\n"], {"a": {"b": "c?!", "d": "e?f"}, "g": 2}),
    ],
)
def test_texts_of_any_layout_are_put_together_right(texts: list[str], data: Json) -> None:
    assert read_yaml(flatten_texts(texts, data)) == data


KEYS = st.sampled_from(["a", "b", "name", "env", "x.y/z", "core/a,b[x]", "#", "- a", "1"])
TEXTS = st.sampled_from(["a", "b\nc\n", "# no comment", "- x", "yes", "", " a", "x: y", "1", "a\n\n\nb"])
DATA = st.recursive(
    st.one_of(TEXTS, st.integers(0, 3), st.booleans(), st.none(), st.just(1.0)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(KEYS, inner, max_size=4),
        st.lists(st.fixed_dictionaries({"name": st.sampled_from("ab"), "x": inner}), max_size=3),
    ),
    max_leaves=15,
)


@given(st.lists(st.dictionaries(KEYS, DATA, max_size=4), min_size=1, max_size=3), st.dictionaries(KEYS, DATA))
@pytest.mark.exhaustive
def test_what_is_put_together_is_what_is_wanted(files: list[Json], data: Json) -> None:
    made = read_yaml(
        flatten_texts([f"# {index}\n{dump_yaml(each)}" for index, each in enumerate(files)], data)
    )
    assert json.dumps(made, sort_keys=True) == json.dumps(data, sort_keys=True)


@given(st.lists(st.dictionaries(KEYS, DATA, max_size=4), min_size=2, max_size=4))
def test_a_chain_that_is_written_out_says_what_it_said(specs: list[Json]) -> None:
    first, *rest = (SpecValue(each, Origin(str(index))) for index, each in enumerate(specs))
    chain = first
    for each in rest:
        chain = merge_specs(chain, each)
    made = read_yaml(flatten_texts([dump_yaml(each) for each in specs], chain.data))
    assert json.dumps(made, sort_keys=True) == json.dumps(chain.data, sort_keys=True)


def test_a_spec_that_others_build_on_can_be_written_out(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "valid/from-a-version-with-files")
    before = built(root), said(root, "hello@v1.2.0")
    assert run("flatten", "hello@v1.1.0", "--root", root).code == 0
    assert (built(root), said(root, "hello@v1.2.0")) == before


def test_a_revision_and_a_wrong_kit_are_not_written_out(kit: Path) -> None:
    kits.write(kit, {"targets/staging.yaml": "target: staging\nfrom: odh\nnamespac: x\n"})
    before = kits.contents(kit)
    done = run("flatten", "staging")
    assert done.code == 1
    assert "targets/staging.yaml:3 /namespac: spec-unknown-key" in done.err
    kits.write(kit, {"targets/staging.yaml": "target: staging\nfrom: odh\n"})
    git = ["git", "-c", "user.name=me", "-c", "user.email=me@example.org"]
    for args in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Start"]):
        subprocess.run([*git, *args], cwd=kit, check=True)
    done = run("flatten", "git:main:staging")
    assert (done.code, done.out) == (2, "")
    assert "is a revision, which nobody can rewrite" in done.err
    (kit / "targets/staging.yaml").write_text("target: staging\nfrom: odh\nnamespac: x\n")
    assert {name for name in kits.contents(kit) if not name.startswith(".git/")} == set(before)
