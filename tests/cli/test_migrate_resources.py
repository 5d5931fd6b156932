"""kitgen migrate resources, as the shell sees it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import kits
import pytest
from hypothesis import given
from hypothesis import strategies as st
from moving import KEY, MOVED, NEW, OLD, V1, V2, moving_kit
from running import Run, run
from some import few

from kitgen.text.yaml import Dialect, dump_yaml, dump_yaml_documents, read_yaml_documents

MANY, EACH = 12_000, 3_500
"""How many objects are moved, and the most bytes that each adds, blocks that wait included."""
MEASURED = """
import atexit, sys
from pathlib import Path
def tell():
    status = Path("/proc/self/status").read_text()
    print(status.partition("VmHWM:")[2].split()[0], file=sys.stderr)
atexit.register(tell)
from kitgen.app.main import main
main()
"""


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = moving_kit(tmp_path / "kit")
    monkeypatch.chdir(root)
    return root


def greeting(name: str = "one", spec: Any = None, version: str = V1, **meta: Any) -> dict[str, Any]:
    body = {"apiVersion": version, "kind": "Greeting", "metadata": {"name": name, "namespace": "a", **meta}}
    return {**body, "spec": {"text": "hi"} if spec is None else spec}


def listed(*bodies: Any) -> str:
    return dump_yaml({"apiVersion": "v1", "items": list(bodies), "kind": "List", "metadata": {}})


def migrate(text: str, *args: object, name: str = "groups") -> Run:
    return run("migrate", "resources", name, *args, stdin=text)


def test_a_list_moves_with_owners_first(kit: Path) -> None:
    owner = {"apiVersion": V1, "kind": "Greeting", "name": "two", "uid": "u-2"}
    text = listed(greeting(uid="u-1", ownerReferences=[owner]), greeting("two", uid="u-2"))
    done = migrate(text)
    assert done.code == 0
    assert done.out == dump_yaml_documents([greeting("two", version=MOVED), greeting(version=MOVED)])
    assert done.err.startswith("-:10 /items/0/metadata/ownerReferences/0: warning: migration-owner: ")
    assert done.err.endswith("2 moved, 0 already new, 0 of another kind, 0 cannot move\n")
    again = migrate(done.out)
    assert again == Run(
        code=0, out=done.out, err="0 moved, 2 already new, 0 of another kind, 0 cannot move\n"
    )


def test_json_in_and_out(kit: Path) -> None:
    done = migrate(json.dumps({"kind": "List", "apiVersion": "v1", "items": [greeting()]}), "-", "-o", "json")
    assert json.loads(done.out)["items"] == [greeting(version=MOVED)]
    assert migrate(done.out, "-o", "json").out == done.out
    none = migrate(listed(), "-o", "json")
    assert (none.code, json.loads(none.out)["items"]) == (0, [])


def test_what_cannot_move_is_listed_and_the_others_are_printed(kit: Path) -> None:
    text = listed(
        greeting("gone", deletionTimestamp="2024-01-01T00:00:00Z"),
        greeting("wrong", {"text": {"a": "s3cret"}}),
        greeting("good"),
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}},
        {"apiVersion": f"{OLD}/v1", "kind": "Wave", "metadata": {"name": "wave"}},
    )
    done = migrate(text)
    assert done.code == 1
    assert [each["metadata"]["name"] for each in read_yaml_documents(done.out)] == ["good", "pod"]
    assert "-:8 /items/0/metadata/deletionTimestamp: migration-unmoved: " in done.err
    assert "-:17 /items/1/spec/text: field-type: found a mapping, expected a string" in done.err
    assert done.err.splitlines()[-4:] == [
        "cannot move: Greeting/gone in a",
        "cannot move: Greeting/wrong in a",
        "cannot move: Wave/wave",
        "1 moved, 0 already new, 1 of another kind, 3 cannot move",
    ]
    assert "s3cret" not in done.err


def test_keys_and_nested_ones(kit: Path) -> None:
    labels = {KEY: "x", f"{OLD}/user": "me"}
    inner = greeting("inner", {"text": "in", "inner": {"metadata": {"labels": labels}}})
    done = migrate(dump_yaml(greeting(spec={"text": "out", "inner": inner}, labels=labels)))
    (made,) = read_yaml_documents(done.out, dialect=Dialect.KUBECTL)
    assert made["spec"]["inner"]["apiVersion"] == MOVED
    want = {KEY: "x", f"{NEW}/user": "me"}
    assert made["metadata"]["labels"] == made["spec"]["inner"]["spec"]["inner"]["metadata"]["labels"] == want


def test_a_nested_one_that_does_not_fit_keeps_the_outer_one_back(kit: Path) -> None:
    done = migrate(dump_yaml(greeting(spec={"text": "out", "inner": {"items": [greeting("inner", {})]}})))
    assert (done.code, done.out) == (1, "")
    assert "-:15 /spec/inner/items/0/spec: field-missing: " in done.err


def test_fields_one_by_one(kit: Path) -> None:
    spec = {
        "items": [{"text": "a", "tone": "high"}, {"text": "b", "inner": greeting("in", {"items": []})}],
        "volume": {"loud": True},
        "echo": 3,
    }
    done = migrate(dump_yaml(greeting(spec=spec)), name="fields")
    assert done.code == 0
    (made,) = read_yaml_documents(done.out)
    assert made["apiVersion"] == V2
    inner = {**greeting("in", {"lines": []}, V2)}
    assert made["spec"] == {"lines": [{"words": "a"}, {"words": "b", "inner": inner}], "loud": True}
    assert "-:9 /spec/items/0/tone: warning: migration-lost: found spec.items[].tone, which" in done.err
    assert "(hint: nobody echoes any more)" in done.err
    assert migrate(done.out, name="fields").out == done.out


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"items": [{"tone": "x"}]}, '-:8 /spec/items/0: field-missing: found no field "words"'),
        ({"items": [{"text": 3}]}, "-:8 /spec/items/0/text: field-type: found 3, expected a string"),
        ({"volume": {"loud": True}}, '-:6 /spec: field-missing: found no field "lines"'),
    ],
)
def test_fields_that_do_not_fit(spec: Any, said: str, kit: Path) -> None:
    done = migrate(dump_yaml(greeting(spec=spec)), name="fields")
    assert (done.code, done.out) == (1, "")
    assert said in done.err


def test_a_field_of_which_nothing_is_said_keeps_its_object_back(kit: Path) -> None:
    spec = kit / "migrations/fields.yaml"
    spec.write_text(spec.read_text().replace("  - {from: spec.text, lost: say it in an item}\n", ""))
    done = migrate(dump_yaml(greeting(spec={"text": "x"})), name="fields")
    assert (done.code, done.out) == (1, "")
    assert "-:7 /spec/text: migration-field: found the field" in done.err


def test_a_field_that_no_server_kept_is_left_out(kit: Path) -> None:
    odd = greeting(spec={"text": "hi", "txet": "s3cret", "inner": {"any": 1}, "empty": {}}) | {"extra": 1}
    done = migrate(dump_yaml(odd))
    assert done.code == 0
    assert read_yaml_documents(done.out) == [
        greeting(spec={"text": "hi", "inner": {"any": 1}}, version=MOVED)
    ]
    assert '-:8 /spec/txet: warning: migration-unkept: found the unknown field "txet"' in done.err
    assert "(hint: did you mean 'text'?)" in done.err
    assert "/extra: warning: migration-unkept: " in done.err
    assert done.err.count("migration-unkept") == 2
    assert "s3cret" not in done.err
    lines = migrate(dump_yaml(greeting(spec={"items": [{"text": "a"}], "shape": 1})), name="fields")
    assert lines.code == 0
    assert read_yaml_documents(lines.out) == [greeting(spec={"lines": [{"words": "a"}]}, version=V2)]
    assert "-:9 /spec/shape: warning: migration-unkept: " in lines.err


def test_defaults_of_a_migration(kit: Path) -> None:
    file = kit / "migrations/fields.yaml"
    text = file.read_text()
    file.write_text(text.replace("{from: spec.echo, lost:", "{from: spec.echo, default: 3, lost:"))
    lost = [
        migrate(dump_yaml(greeting(spec={"items": [], "echo": echo})), name="fields").err.count(
            "migration-lost"
        )
        for echo in (3, 3.0, 4, "3")
    ]
    assert lost == [0, 0, 1, 1]
    file.write_text(text.replace("to: spec.loud}", "to: spec.loud, default: true}"))
    done = migrate(dump_yaml(greeting()), name="fields")
    assert (done.code, done.out) == (1, "")
    assert 'spec-missing-key: found no key "lost"' in done.err


def test_what_holds_one_that_moved_is_named(kit: Path) -> None:
    meta = {"name": "map", "namespace": "a"}
    held = {"apiVersion": "v1", "kind": "Template", "metadata": meta, "objects": [greeting()]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}}
    done = migrate(listed(greeting(), held, pod))
    assert done.code == 0
    assert done.err.splitlines() == [
        "moved within: Template/map in a",
        "1 moved, 1 moved within, 0 already new, 1 of another kind, 0 cannot move",
    ]
    again = migrate(done.out)
    assert again.out == done.out
    assert again.err == "0 moved, 1 already new, 2 of another kind, 0 cannot move\n"


def test_a_new_one_that_holds_an_old_one_keeps_its_name(kit: Path) -> None:
    holds = greeting(spec={"text": "x", "inner": greeting("in")}, version=MOVED)
    for some in ([holds, greeting()], [greeting(), holds]):
        done = migrate(listed(*some))
        assert done.code == 1
        (made,) = read_yaml_documents(done.out)
        assert made["spec"]["inner"]["apiVersion"] == MOVED
        assert "migration-clash" in done.err


def test_no_objects_and_nothing_at_all(kit: Path) -> None:
    none = migrate(listed())
    assert none.code == 0
    assert none.err.startswith("found no objects\n")
    assert migrate(none.out) == none
    for text in ("", "# nothing\n", "---\n"):
        done = migrate(text)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("-:1: export-empty: found nothing, expected exported objects")
    (kit / "folder").mkdir()
    assert migrate("", "folder").code == 1
    kits.write(kit, {"folder/a.yaml": "", "folder/b.yaml": dump_yaml(greeting())})
    half = migrate("", "folder")
    assert half.code == 1
    assert read_yaml_documents(half.out) == [greeting(version=MOVED)]
    assert "folder/a.yaml:1: export-empty: " in half.err


@pytest.mark.parametrize("items", ["items:", "items: {a: b}", "items: text", "metadata: {}"])
def test_a_list_without_a_list(items: str, kit: Path) -> None:
    done = migrate(f"apiVersion: v1\nkind: List\n{items}\n")
    assert (done.code, done.out) == (1, "")
    where = "2 /kind" if items.startswith("metadata") else "3 /items"
    assert done.err.startswith(f"-:{where}: export-list: found ")


def test_two_of_one_name(kit: Path) -> None:
    both = [greeting(), greeting(version=MOVED, uid="u")]
    for some in (both, both[::-1]):
        done = migrate(listed(*some))
        assert done.code == 1
        assert read_yaml_documents(done.out) == [both[1]]
        assert "migration-clash" in done.err
        assert done.err.endswith("0 moved, 1 already new, 0 of another kind, 1 cannot move\n")
    twice = migrate(listed(greeting(), greeting()))
    assert read_yaml_documents(twice.out) == [greeting(version=MOVED)]
    assert twice.err.endswith("1 moved, 0 already new, 0 of another kind, 1 cannot move\n")


def test_backup(kit: Path) -> None:
    text = f"# as it was\r\n{listed(greeting())}"
    done = migrate(text, "--backup", "kept.yaml")
    assert done.code == 0
    kept = kit / "kept.yaml"
    assert kept.read_bytes() == text.encode()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    again = migrate("other", "--backup", "kept.yaml")
    assert (again.code, again.out) == (2, "")
    assert "'kept.yaml' is there already" in again.err
    assert kept.read_bytes() == text.encode()
    (kit / "link.yaml").symlink_to("nowhere")
    assert migrate(text, "--backup", "link.yaml").code == 2
    assert migrate(text, "--backup", "no/folder.yaml").code == 3


def test_backup_of_broken_input(kit: Path) -> None:
    done = migrate("a: [", "--backup", "kept.yaml")
    assert (done.code, done.out) == (1, "")
    assert (kit / "kept.yaml").read_text() == "a: ["


def test_files_and_folders(kit: Path) -> None:
    kits.write(kit, {"out/a.yaml": listed(greeting()), "out/b.json": json.dumps(greeting("two"))})
    before = kits.contents(kit / "out")
    done = migrate("", "out")
    assert read_yaml_documents(done.out) == [greeting(version=MOVED), greeting("two", version=MOVED)]
    assert kits.contents(kit / "out") == before
    assert migrate("", "out/a.yaml", "out/b.json").out == done.out
    both = migrate("", "out", "--backup", "kept.yaml")
    assert both.code == 2
    assert not (kit / "kept.yaml").exists()
    assert migrate("", "nowhere.yaml").code == 2


def test_what_does_not_come_in_pieces(kit: Path) -> None:
    text = f"{{kind: List, apiVersion: v1, items: [{json.dumps(greeting())}]}}\n"
    done = migrate(f"--- # one\n{text}")
    assert read_yaml_documents(done.out) == [greeting(version=MOVED)]
    broken = migrate(listed(greeting()) + "\tx: y\n")
    assert (broken.code, broken.out) == (1, "")
    assert broken.err.startswith("-:12 /metadata: yaml-syntax")
    bare = {key: item for key, item in greeting().items() if key in ("metadata", "spec")}
    typed = dump_yaml({"apiVersion": V1, "items": [bare], "kind": "GreetingList"})
    assert read_yaml_documents(migrate(typed).out) == [greeting(version=MOVED)]


@pytest.mark.parametrize("text", ["3", "[]", "a: b\n", '"x"', "- a\n- b\n", '{"kind": "List", "items": [3]}'])
def test_what_holds_no_objects(text: str, kit: Path) -> None:
    done = migrate(text)
    assert done.out == ""
    assert done.code == 1
    assert "manifest-invalid" in done.err


def test_half_a_character(kit: Path) -> None:
    done = migrate(json.dumps(greeting(spec={"text": "\ud800"})))
    assert (done.code, done.out) == (1, "")
    assert "-:1: migration-unwritable: found a value that cannot be written" in done.err


def test_a_list_that_goes_on(kit: Path) -> None:
    data = {"apiVersion": "v1", "items": [greeting()], "kind": "List", "metadata": {"continue": "t0ken"}}
    flow, odd = f"--- # all\n{json.dumps(data)}\n", f"--- !!map\n{json.dumps(data)}\n"
    for text, line in (
        (dump_yaml(data), 12),
        (json.dumps(data), 1),
        (json.dumps(data, indent=1), 18),
        (flow, 2),
        (odd, 2),
    ):
        done = migrate(text)
        assert done.code == 1
        assert read_yaml_documents(done.out) == [greeting(version=MOVED)]
        assert f"-:{line} /metadata/continue: export-cut: found a list with a token to go on" in done.err
        assert "t0ken" not in done.err


def test_closed_input(kit: Path) -> None:
    command = f"{sys.executable} -m kitgen migrate resources groups <&-"
    done = subprocess.run(["bash", "-c", command], cwd=kit, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "error: cannot read -: standard input is closed\n"


@pytest.mark.parametrize("levels", [45, 90, 98, 150])
def test_deep_nesting(levels: int, kit: Path) -> None:
    body = greeting("in")
    for _ in range(levels):
        body = greeting(spec={"text": "out", "inner": body})
    text = json.dumps(body)
    done = migrate(text)
    assert "kitgen failed" not in done.err
    if done.code == 0:
        assert V1 not in done.out
        assert migrate(done.out).out == done.out
    else:
        assert "nested too deeply" in done.err or "levels of nesting" in done.err
    assert done.code == 0 or levels > 45
    held = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": text}}
    assert "kitgen failed" not in migrate(dump_yaml(greeting(spec={"text": "x", "inner": held}))).err


def test_no_such_migration(kit: Path) -> None:
    done = migrate("", name="grups")
    assert done.code == 2
    assert done.err == "error: no migration 'grups' in this kit (hint: did you mean 'groups'?)\n"


def test_a_kind_without_a_crd(kit: Path) -> None:
    file = kit / "migrations/groups.yaml"
    file.write_text(file.read_text().replace(f"to: {NEW}/v1/Greeting", f"to: {NEW}/v9/Greeting"))
    done = migrate("")
    assert done.code == 1
    message = f"found {NEW}/v9/Greeting, which no CRD of release v2.0.0 has"
    assert f"migrations/groups.yaml:8 /kinds/0/to: migration-kind: {message}" in done.err
    assert f"known are {NEW}/v1/Greeting" in done.err


def test_an_old_crd_that_is_exported_along(kit: Path) -> None:
    spec = {"group": OLD, "names": {"kind": "Greeting", "plural": "greetings"}}
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec}
    done = migrate(dump_yaml(crd | {"metadata": {"name": f"greetings.{OLD}"}}))
    assert done.code == 0
    assert "/spec/group: warning: migration-old: found old.example.com/v1/Greeting in the CRD" in done.err


def test_quiet(kit: Path) -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}
    done = migrate(listed(greeting(ownerReferences=[owner])), "-q")
    assert done.err == ""
    assert done.out


def test_many_warnings_are_counted(kit: Path) -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}
    done = migrate(listed(*(greeting(f"g-{n}", ownerReferences=[owner]) for n in range(1_200))))
    assert done.code == 0
    assert done.err.count("migration-owner: ") == 1_000
    assert "and 200 more of migration-owner\n" in done.err


def test_many_errors_are_counted(kit: Path) -> None:
    done = migrate(listed(*(greeting(f"g-{n}", {}) for n in range(1_200)), greeting("good")))
    assert done.code == 1
    assert read_yaml_documents(done.out) == [greeting("good", version=MOVED)]
    assert "cannot move: 200 more objects\n" in done.err
    assert "findings-limit" in done.err


APPWRAPPERS = """\
migration: appwrappers
about: AppWrappers get a controller of their own
path: one-shot
targets: [olm]
component: codeflare-operator
kubernetes: ">=1.27 <=1.32"
kinds:
- from: workload.codeflare.dev/v1beta1/AppWrapper
  to: workload.codeflare.dev/v1beta2/AppWrapper
  fields:
  - {from: "spec.resources.GenericItems[].generictemplate", to: "spec.components[].template"}
  - {from: "spec.resources.GenericItems[].custompodresources", lost: requests are read from the pods}
  - {from: "spec.resources.GenericItems[].replicas", lost: say it in the template}
  - {from: spec.priority, lost: make a WorkloadPriorityClass of it}
  - {from: spec.schedulingSpec, lost: use annotations for fault tolerance}
before: v1.0.0
after: v1.5.0
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the project's kit."""
    from docs.console import copy_kit

    copy_kit(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_app_wrappers(own: Path) -> None:
    (own / "migrations/appwrapper-v1beta2.yaml").unlink()  # this one is shorter
    kits.write(own, {"migrations/appwrappers.yaml": APPWRAPPERS})
    sample = own / "components/codeflare-operator/v1.0.0/examples/appwrapper.yaml"
    inner = read_yaml_documents(sample.read_text(), dialect=Dialect.KUBECTL)[0]
    outer = json.loads(json.dumps(inner))
    outer["metadata"] = {"name": "outer", "namespace": "a", "uid": "u"}
    outer["spec"]["resources"]["GenericItems"].append({"generictemplate": inner})
    done = migrate(dump_yaml(outer), name="appwrappers")
    assert done.code == 0, done.err
    (made,) = read_yaml_documents(done.out)
    first_one, second = (each["template"] for each in made["spec"]["components"])
    assert first_one == inner["spec"]["resources"]["GenericItems"][0]["generictemplate"]
    assert second["apiVersion"] == made["apiVersion"] == "workload.codeflare.dev/v1beta2"
    assert second["spec"]["components"] == [{"template": first_one}]
    lost = [line for line in done.err.splitlines() if "migration-lost" in line]
    assert len(lost) == 8
    assert migrate(done.out, name="appwrappers").out == done.out


SDK = """\
apiVersion: mcad.ibm.com/v1beta1
kind: AppWrapper
metadata: {name: raytest, namespace: team-a, labels: {orderedinstance: m4.xlarge_g4dn.xlarge}}
spec:
  priority: 9
  priorityslope: 0.0
  service: {spec: {}}
  schedulingSpec:
    minAvailable: 0
    requeuing:
      growthType: exponential
      maxNumRequeuings: 0
      maxTimeInSeconds: 0
      numRequeuings: 0
      timeInSeconds: 300
  resources:
    Items: []
    metadata: {}
    GenericItems:
    - allocated: 0
      metadata: {}
      priority: 0
      priorityslope: 0
      replicas: 1
      generictemplate:
        apiVersion: ray.io/v1alpha1
        kind: RayCluster
        metadata: {name: raytest, labels: {appwrapper.mcad.ibm.com: raytest}}
        spec: {rayVersion: 2.5.0}
"""
"""As the SDK wrote it, with all that MCAD wrote into it by itself."""


def test_app_wrappers_of_the_sdk_come_through_both_migrations(own: Path) -> None:
    first = migrate(SDK, name="mcad-groups")
    assert first.code == 0
    assert first.err == "1 moved, 0 already new, 0 of another kind, 0 cannot move\n"
    done = migrate(first.out, name="appwrapper-v1beta2")
    assert done.code == 0
    # Nothing but the priority says anything.
    assert [line for line in done.err.splitlines() if "warning: " in line] == [
        "-:12 /spec/priority: warning: migration-lost: found spec.priority 9, which has no counterpart "
        "[AppWrapper/raytest] (hint: Kueue decides on the order; name a WorkloadPriorityClass in the label "
        "kueue.x-k8s.io/priority-class)"
    ]
    (made,) = read_yaml_documents(done.out)
    assert list(made["spec"]) == ["components"]
    assert migrate(done.out, name="appwrapper-v1beta2").out == done.out


def test_a_pipe_between_two_processes(kit: Path) -> None:
    (kit / "in.yaml").write_text(listed(greeting(), greeting("two", {})))
    kitgen = f"{sys.executable} -m kitgen migrate resources groups"
    command = f"cat in.yaml | {kitgen} --backup kept.yaml 2> said | {kitgen} - > out.yaml 2>> said"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=kit, env=os.environ, check=False)
    assert done.returncode == 1
    assert read_yaml_documents((kit / "out.yaml").read_text()) == [greeting(version=MOVED)]
    assert (kit / "kept.yaml").read_text() == (kit / "in.yaml").read_text()
    assert "1 moved, 0 already new, 0 of another kind, 1 cannot move" in (kit / "said").read_text()


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", ["list", "documents", "json", "compact"])
def test_many_objects_take_little_memory(form: str, kit: Path) -> None:
    some, many = taken(kit, form, MANY // 10), taken(kit, form, MANY)
    assert (many - some) * 1024 < EACH * (MANY - MANY // 10)


def taken(kit: Path, form: str, count: int) -> int:
    """Return how many kB it takes to move objects."""
    write_many(kit / "in", form, count)
    with (kit / "in").open("rb") as given, (kit / "out").open("wb") as made:
        args = [sys.executable, "-c", MEASURED, "migrate", "resources", "groups"]
        done = subprocess.run(args, stdin=given, stdout=made, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    said, most = done.stderr.decode().splitlines()
    assert said == f"{count} moved, 0 already new, 0 of another kind, 0 cannot move"
    return int(most)


def write_many(path: Path, form: str, count: int) -> None:
    """Write an export of many objects, one at a time."""
    pad = "x" * 200
    head, tail = ("", "")
    if form == "list":
        head, tail = "apiVersion: v1\nitems:\n", "kind: List\nmetadata: {}\n"
    elif form != "documents":
        head, tail = '{"apiVersion": "v1", "items": [', '], "kind": "List"}\n'
    with path.open("w") as file:
        file.write(head)
        for number in range(count):
            body = greeting(f"g-{number}", {"text": pad}, uid=f"u-{number}", resourceVersion=str(number))
            if form in ("list", "documents"):
                file.write(dump_yaml([body]) if form == "list" else f"---\n{dump_yaml(body)}")
            else:
                text = json.dumps(body, indent=4 if form == "json" else None)
                file.write(("," if number else "") + text)
        file.write(tail)


SPECS = st.dictionaries(
    st.sampled_from(["text", "inner", "x"]),
    st.recursive(
        st.one_of(st.none(), st.text(max_size=5), st.integers(), st.just(V1)),
        lambda some: st.one_of(
            st.lists(some, max_size=2),
            st.dictionaries(st.sampled_from(["metadata", "labels", KEY, f"{OLD}/a", "apiVersion"]), some),
        ),
        max_leaves=8,
    ),
)


@few()
@given(st.lists(SPECS, max_size=3), st.sampled_from(["yaml", "json"]))
def test_twice_is_the_same_as_once(kit: Path, specs: list[Any], form: str) -> None:
    text = listed(*(greeting(f"g-{number}", spec) for number, spec in enumerate(specs)))
    done = migrate(text, "-o", form)
    assert "Traceback" not in done.err
    assert "kitgen failed" not in done.err
    again = migrate(done.out, "-o", form)
    assert again.out == done.out
    assert again.code == (0 if done.out else 1)


def test_a_backup_is_restored_without_what_a_server_set(kit: Path) -> None:
    owners = [
        {"apiVersion": V1, "kind": "Greeting", "name": "above", "uid": "1"},
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "stays", "uid": "2"},
    ]
    body = greeting(spec={"text": "hi", "inner": {"resourceVersion": "mine"}})
    server = {"uid": "3", "resourceVersion": "4", "creationTimestamp": "x", "managedFields": []}
    body["metadata"] |= {**server, "ownerReferences": owners, "finalizers": ["old.example.com/wait"]}
    done = migrate(dump_yaml({**body, "status": {"seen": 1}}), "--restore")
    assert (done.code, done.err) == (
        0,
        "0 moved, 1 restored, 0 already new, 0 of another kind, 0 cannot move\n",
    )
    (made,) = read_yaml_documents(done.out)
    assert made["metadata"].pop("ownerReferences") == owners[1:]
    assert made["metadata"].pop("finalizers") == ["old.example.com/wait"]
    assert made["metadata"].keys().isdisjoint(server)
    assert (made["apiVersion"], made["spec"], made["status"]) == (V1, body["spec"], {"seen": 1})
    assert migrate(done.out, "--restore").out == done.out


def test_what_is_being_deleted_is_not_restored(kit: Path) -> None:
    body = greeting()
    body["metadata"]["deletionTimestamp"] = "2030-01-01T00:00:00Z"
    done = migrate(dump_yaml(body), "--restore")
    assert (done.code, done.out) == (1, "")
    assert "migration-unmoved: found an object that is being deleted" in done.err


@pytest.mark.parametrize("scope", ["Namespaced", "Cluster"])
def test_what_loses_its_namespace_clashes(kit: Path, scope: str) -> None:
    crd = kit / "components/hello/v2.0.0/crds/greetings.yaml"
    crd.write_text(crd.read_text().replace("scope: Namespaced", f"scope: {scope}"))
    done = migrate(listed(greeting(), greeting(namespace="b"), greeting("two")))
    made = [each["metadata"] for each in read_yaml_documents(done.out)]
    if scope == "Namespaced":
        assert (done.code, len(made)) == (0, 3)
        return
    assert (done.code, made) == (1, [{"name": "one"}, {"name": "two"}])
    assert "-:13 /items/1/metadata/name: migration-clash: found another object of this name" in done.err
    new = greeting(version=MOVED, namespace="c")
    for some in ([new, greeting()], [greeting(), new]):
        clash = migrate(listed(*some))
        assert (clash.code, read_yaml_documents(clash.out)) == (1, [new])


def test_what_has_no_namespace_to_go_to_stays(kit: Path) -> None:
    crd = kit / "components/hello/v1.0.0/crds/greetings.yaml"
    crd.write_text(crd.read_text().replace("scope: Namespaced", "scope: Cluster"))
    done = migrate(listed(greeting()))
    assert (done.code, done.out) == (1, "")
    assert (
        "migrations/groups.yaml:8 /kinds/0/to: migration-unplaced: found new.example.com/v1/Greet" in done.err
    )


SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "one", "namespace": "a"},
    "spec": {"selector": {f"{OLD}/user": "me"}},
}


@pytest.mark.parametrize("first", [True, False])
def test_a_key_that_another_object_selects_by_stays(kit: Path, first: bool) -> None:
    pairs = {f"{OLD}/user": "me", f"{OLD}/other": "x"}
    pods = {"template": {"metadata": {"labels": pairs, "annotations": pairs}}}
    some = [greeting(spec={"text": "hi", "inner": pods}, labels=pairs), greeting("two", labels=pairs)]
    done = migrate(listed(*([SERVICE, *some] if first else [*some, SERVICE])))
    assert done.code == 0
    made = {each["metadata"]["name"]: each for each in read_yaml_documents(done.out, dialect=Dialect.KUBECTL)}
    new = {f"{NEW}/user": "me", f"{NEW}/other": "x"}
    both = {f"{OLD}/user": "me", **new}
    assert made["two"]["metadata"]["labels"] == both
    one = next(
        each for each in read_yaml_documents(done.out, dialect=Dialect.KUBECTL) if each["kind"] == "Greeting"
    )
    assert one["spec"]["inner"]["template"]["metadata"] == {"labels": both, "annotations": new}
    assert done.err.count("warning: migration-selector: found ") == 3
    alone = migrate(listed(*some))
    assert alone.err == "2 moved, 0 already new, 0 of another kind, 0 cannot move\n"


def test_an_object_of_whose_spec_nothing_is_left_stays(kit: Path) -> None:
    done = migrate(dump_yaml(greeting(spec={"echo": 3})), name="fields")
    assert (done.code, done.out) == (1, "")
    assert (
        f"-:6 /spec: migration-unmoved: found a spec of which nothing has a counterpart in {V2}" in done.err
    )
    assert "field-missing" not in done.err


@pytest.mark.parametrize("version", ["v1", "v1alpha1", "v9"])
def test_a_dropped_kind_is_refused_in_any_version(kit: Path, version: str) -> None:
    spec = kit / "migrations/groups.yaml"
    spec.write_text(f"{spec.read_text()}drops: [{{kind: other.example.com/v1/Wave, reason: nobody waves}}]\n")
    waves = kit / "components/hello/v1.0.0/crds/waves.yaml"
    crd = "group: other.example.com\nnames: {kind: Wave}\nscope: Namespaced\n"
    waves.write_text(f"{crd}versions: {{v1: {{storage: true, schema: {{type: object}}}}}}\n")
    done = migrate(
        dump_yaml({"apiVersion": f"other.example.com/{version}", "kind": "Wave", "metadata": {"name": "a"}})
    )
    assert (done.code, done.out) == (1, "")
    said = 'migration-unmoved: found the kind "Wave", which goes without a successor [Wave/a] (hint: nobody'
    assert said in done.err


def holder(kind: str, **data: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": "held"}, **data}


SCRIPT = f"#!/bin/sh\nkubectl get greetings.{OLD} -A\n"
HELD = {
    "/stringData/a": holder("Secret", stringData={"a": dump_yaml(greeting())}),
    "/data/run": holder("ConfigMap", data={"run": SCRIPT, "other": SCRIPT.replace(OLD, NEW)}),
    "/data/labels": holder("ConfigMap", data={"labels": SCRIPT, "b": f"kubectl get po -l {KEY}=a"}),
}


@pytest.mark.parametrize("place", HELD)
@pytest.mark.parametrize("within", [False, True])
def test_what_is_held_and_does_not_move_is_told(kit: Path, place: str, within: bool) -> None:
    body = HELD[place]
    done = migrate(dump_yaml(greeting(spec={"text": "hi", "inner": {"held": body}}) if within else body))
    assert done.code == 0
    told = [line for line in done.err.splitlines() if "migration-old" in line]
    where = f"/spec/inner/held{place}" if within else place
    assert any(f" {where}: warning: migration-old: found " in line for line in told), done.err
    assert len(told) == 1
    (made,) = read_yaml_documents(done.out, dialect=Dialect.KUBECTL)
    assert (made["spec"]["inner"]["held"] if within else made) == body
