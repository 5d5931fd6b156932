"""A merge patch does what it does in kustomize: a table of patches goes through both."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import kits
import merges
import normal
import pytest
import recorded
from hypothesis import given, settings
from hypothesis import strategies as st

from kitgen.files import programs
from kitgen.render.kustomize.merge_patch import apply_merge_patch
from kitgen.text.yaml import Json, JsonObject, dump_yaml, dump_yaml_documents, read_yaml_documents

MINOR = 29
RECORDING = "merge patches"

needs_kustomize = pytest.mark.skipif(
    programs.find_kustomize() is None,
    reason="neither kustomize nor kubectl is on PATH: recorded results stand in",
)


def kustomized(folder: Path, pairs: list[tuple[JsonObject, JsonObject]]) -> dict[str, JsonObject]:
    """Return what the real kustomize makes of objects and their patches, by name."""
    files = {"objects.yaml": dump_yaml_documents([body for body, _ in pairs])}
    files |= {f"patch-{number}.yaml": dump_yaml(patch) for number, (_, patch) in enumerate(pairs)}
    patches = [{"path": f"patch-{number}.yaml"} for number in range(len(pairs))]
    files["kustomization.yaml"] = dump_yaml({"resources": ["objects.yaml"], "patches": patches})
    command = programs.find_kustomize()
    assert command
    result = programs.run_program([*command, str(kits.write(folder, files))])
    assert result.is_successful, result.stderr
    return {body["metadata"]["name"]: body for body in read_yaml_documents(result.stdout)}


def files() -> str:
    return recorded.digest(
        [[merges.named(name, text), merges.patch(name)] for name, (text, _) in merges.TABLE.items()]
    )


def merged(name: str) -> Json:
    body = merges.named(name, merges.TABLE[name][0])
    before = copy.deepcopy(body)
    made = apply_merge_patch(body, merges.patch(name), MINOR)
    assert made.problems == []
    assert body == before, "the object itself must not change"
    return made.body


@pytest.mark.kustomize
@needs_kustomize
def test_kustomize_merges_alike(tmp_path: Path, record: bool) -> None:
    pairs = [(merges.named(name, text), merges.patch(name)) for name, (text, _) in merges.TABLE.items()]
    want = kustomized(tmp_path, pairs)
    if record:
        recorded.store(RECORDING, files(), want)
    assert normal.differing({name: merged(name) for name in merges.TABLE}, want) == []


def test_recorded_merges_are_alike() -> None:
    kept = recorded.recordings().get(RECORDING)
    assert kept, f"nothing is recorded; {recorded.RECORD}"
    assert kept["files"] == files(), f"the table has changed since kustomize merged it; {recorded.RECORD}"
    assert normal.differing({name: merged(name) for name in merges.TABLE}, recorded.objects(RECORDING)) == []


def test_nothing_of_a_patch_remains_but_what_it_says() -> None:
    assert [name for name in merges.TABLE if "$patch" in json.dumps(merged(name))] == []


NAMES = st.sampled_from(["a", "b", "c", "d"])
VALUES = st.sampled_from(["", "1", "x y"])
ENV = st.builds(lambda name, value: {"name": name, "value": value}, NAMES, VALUES)
GONE = st.builds(lambda name: {"name": name, "$patch": "delete"}, NAMES)
PORTS = st.builds(
    lambda number, protocol: {"containerPort": number, "protocol": protocol},
    st.integers(1, 3),
    st.sampled_from(["TCP", "UDP"]),
)


def by(*keys: str) -> object:
    return lambda item: tuple(item[key] for key in keys)


def containers(env: st.SearchStrategy[Json]) -> st.SearchStrategy[list[JsonObject]]:
    parts = st.fixed_dictionaries(
        {"name": NAMES, "image": VALUES},
        optional={
            "env": st.lists(env, min_size=1, max_size=4, unique_by=by("name")),
            "ports": st.lists(PORTS, min_size=1, max_size=3, unique_by=by("containerPort", "protocol")),
            "args": st.lists(VALUES, max_size=2),
        },
    )
    return st.lists(parts, min_size=1, max_size=3, unique_by=by("name"))


PAIRS = st.lists(st.tuples(containers(ENV), containers(st.one_of(ENV, GONE))), min_size=30, max_size=40)


def pod(number: int, items: list[JsonObject]) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"pod-{number}"},
        "spec": {"containers": items},
    }


@pytest.mark.kustomize
@needs_kustomize
@settings(max_examples=max(2, settings().max_examples // 20))
@given(pairs=PAIRS)
def test_any_containers_are_merged_alike(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[list[JsonObject], list[JsonObject]]]
) -> None:
    made = []
    for number, (have, change) in enumerate(pairs):
        body, patch = pod(number, have), pod(number, change)
        result = apply_merge_patch(body, patch, MINOR)
        # Kustomize says nothing when there is nothing to delete, and kitgen does.
        assert {problem.rule.id for problem in result.problems} <= {"patch-nothing"}
        made.append((body, patch, result.body))
    want = kustomized(tmp_path_factory.mktemp("merge"), [(body, patch) for body, patch, _ in made])
    for body, patch, result in made:
        assert result == want[body["metadata"]["name"]], (body, patch)
