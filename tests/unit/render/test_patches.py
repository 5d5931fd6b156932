"""Patches keep the trail: what they set leads to their lines, and everything else to where it came from."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import run

from kitgen.findings import Cause, CauseKind, Origin
from kitgen.kit.model import Layer
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.patches import _apply_merge, _apply_operations
from kitgen.text.yaml import Json, JsonObject
from kitgen.workspace.compilation import compile_source
from kitgen.workspace.kit import open_kit
from kitgen.workspace.sources import parse_source

HERE = Origin("target.yaml", ("patches", 0))
POD = ("spec", "template", "spec")
TARGET = """\
target: olm
release: v1.0.0
components:
  hello:
    patches:
    - name: extras
      why: The cluster needs them
      object: Deployment/hello-manager
      merge:
        spec:
          template:
            spec:
              containers:
              - name: logs
                image: quay.io/example/logs:v1
              - name: manager
                env:
                - name: LEVEL
                  value: debug
                ports:
                - {containerPort: 9090, name: more, protocol: TCP}
"""


def layer(**data: Json) -> Layer:
    return Layer(
        data={"object": "Thing/a", **data}, origin=HERE, cause=Cause(CauseKind.PATCH, "p"), why="A test"
    )


def labelled(items: list[str]) -> Manifest:
    """Return an object with a list whose items each have a source that names them."""
    body = {
        "apiVersion": "v1",
        "kind": "Thing",
        "metadata": {"name": "a"},
        "list": [{"is": i} for i in items],
    }
    whole = FieldSource(path=(), cause="whole", origin=Origin("c.yaml"))
    sources = (
        FieldSource(path=("list", at, "is"), cause=item, origin=Origin("c.yaml", (item,)))
        for at, item in enumerate(items)
    )
    return Manifest(body=body, sources=(whole, *sources))


def verbatim(items: list[str]) -> Manifest:
    """Return an object that stands in a spec as it is."""
    body = labelled(items).body
    return Manifest(
        body=body, sources=(FieldSource(path=(), cause="objects", origin=Origin("c.yaml"), verbatim=True),)
    )


@st.composite
def operations(draw: st.DrawFn, size: int) -> list[JsonObject]:
    made: list[JsonObject] = []
    for number in range(draw(st.integers(0, 8))):
        op = draw(st.sampled_from(["add", "remove", "replace"] if size else ["add"]))
        at = draw(st.integers(0, size if op == "add" else size - 1))
        end = op == "add" and at == size and draw(st.booleans())
        value = {} if op == "remove" else {"value": {"is": f"new {number}"}}
        made.append({"op": op, "path": f"/list/{'-' if end else at}", **value})
        size += {"add": 1, "remove": -1, "replace": 0}[op]
    return made


ITEMS = ["a", "b", "c", "d"]


@given(ops=operations(len(ITEMS)))
def test_sources_go_with_the_items_that_operations_move(ops: list[JsonObject]) -> None:
    made, problems = _apply_operations(labelled(ITEMS), layer(ops=ops))
    assert not problems
    for at, item in enumerate(made.body["list"]):
        origin = made.find_origin(("list", at, "is"))
        if item["is"] in ITEMS:
            assert origin == Origin("c.yaml", (item["is"],))
        else:
            index = int(item["is"].removeprefix("new "))
            assert origin == HERE.at("ops", index)


@given(ops=operations(len(ITEMS)))
def test_paths_in_the_spec_go_with_the_items_that_operations_move(ops: list[JsonObject]) -> None:
    made, _ = _apply_operations(verbatim(ITEMS), layer(ops=ops))
    for at, item in enumerate(made.body["list"]):
        if item["is"] in ITEMS:
            place = ("list", ITEMS.index(item["is"]), "is")
            assert made.find_origin(("list", at, "is")) == Origin("c.yaml", place)


@given(before=operations(len(ITEMS)))
def test_the_first_form_of_a_source_is_the_one_before_all_moves(before: list[JsonObject]) -> None:
    manifest = labelled(ITEMS)
    made, _ = _apply_operations(manifest, layer(ops=before))
    old = [source.original for source in made.sources if source.origin.file == "c.yaml"]
    assert set(old) <= set(manifest.sources)


NAMES = st.sampled_from(["a", "b", "c", "d", "e", "f"])


@given(
    have=st.lists(NAMES, unique=True, min_size=1),
    change=st.lists(st.tuples(NAMES, st.booleans()), min_size=1, unique_by=lambda pair: pair[0]),
)
def test_sources_go_with_the_items_that_a_merge_moves(
    have: list[str], change: list[tuple[str, bool]]
) -> None:
    containers = [{"name": name, "image": f"old {name}"} for name in have]
    body = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a"},
        "spec": {"containers": containers},
    }
    sources = [FieldSource(path=(), cause="whole", origin=Origin("c.yaml"))]
    for at, name in enumerate(have):
        path = ("spec", "containers", at, "image")
        sources.append(FieldSource(path=path, cause=name, origin=Origin("c.yaml", (name,))))
    items = [
        {"name": name, "$patch": "delete"} if gone else {"name": name, "tty": True} for name, gone in change
    ]
    made, _ = _apply_merge(
        Manifest(body=body, sources=tuple(sources)), layer(merge={"spec": {"containers": items}}), 29
    )
    for at, item in enumerate(made.body["spec"]["containers"]):
        where = ("spec", "containers", at)
        if "image" in item:
            assert made.find_origin((*where, "image")) == Origin("c.yaml", (item["name"],))
        if "tty" in item:
            index = [name for name, _ in change].index(item["name"])
            assert made.find_origin((*where, "tty")) == HERE.at("merge", "spec", "containers", index, "tty")


def test_what_was_inside_a_replaced_value_is_forgotten() -> None:
    ops: list[Json] = [{"op": "replace", "path": "/list", "value": [{"is": "z"}]}]
    made, _ = _apply_operations(labelled(ITEMS), layer(ops=ops))
    assert made.find_origin(("list", 0, "is")) == HERE.at("ops", 0)


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    root = kits.make_kit(tmp_path)
    (root / "targets/olm.yaml").write_text(TARGET)
    return root


def test_a_merge_keeps_what_a_container_has(kit: Path) -> None:
    assert run("check", "-o", "lines", "--root", kit).code == 0
    objects = {str(m.id): m.body for m in compile_source(open_kit(kit), parse_source("target:olm")).objects}
    logs, manager = objects["Deployment/hello-manager"]["spec"]["template"]["spec"]["containers"]
    assert logs == {"name": "logs", "image": "quay.io/example/logs:v1"}
    assert (manager["image"], manager["command"]) == ("quay.io/example/hello:v1.0.0", ["/manager"])
    assert [port["name"] for port in manager["ports"]] == ["more", "metrics"]
    assert manager["env"] == [{"name": "LEVEL", "value": "debug"}]


@pytest.mark.parametrize(
    ("field", "place"),
    [
        ("containers/0/image", "targets/olm.yaml:15"),
        ("containers/1/env/0", "targets/olm.yaml:19"),
        ("containers/1/env/0/value", "targets/olm.yaml:19"),
        ("containers/1/ports/0/name", "targets/olm.yaml:21"),
        ("containers/1/ports/1/name", "components/hello/v1.0.0/component.yaml:23"),
        ("containers/1/command", "components/hello/v1.0.0/component.yaml:22"),
        ("containers/1/image", "components/hello/v1.0.0/component.yaml:13"),
    ],
)
def test_why_leads_to_the_patch_and_past_it(kit: Path, field: str, place: str) -> None:
    result = run("why", "--root", kit, "olm", "Deployment/hello-manager", f"/spec/template/spec/{field}")
    assert result.out.splitlines()[-1].partition(" ")[0] == place, result.out + result.err


def test_why_follows_a_container_behind_an_inserted_one(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path, kits.CASES / "valid" / "patches")
    field = "/spec/template/spec/containers/{}/image"
    first, second = (
        run("why", "--root", root, "rhoai", "Deployment/hello-manager", field.format(index)).out
        for index in (0, 1)
    )
    assert "patch sidecar" in first and "image manager" not in first
    assert "image manager" in second and "patch sidecar" not in second


def test_a_merge_without_lists_asks_for_no_definitions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kitgen.render.kustomize.merge_patch.definition_of", None)
    made, problems = _apply_merge(labelled(ITEMS), layer(merge={"data": {"a": "b"}}), 29)
    assert (made.body["data"], problems) == ({"a": "b"}, ())
