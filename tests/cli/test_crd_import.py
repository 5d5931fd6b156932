from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from declared import crd, root

from kitgen.crd.types import types_of
from kitgen.findings.errors import FindingsError, KitgenError
from kitgen.importing.commands.crd_import import import_
from kitgen.report.text import locate_findings
from kitgen.text.yaml import JsonObject, dump_yaml, dump_yaml_documents, read_yaml

POD = root(types_of(30).get_schema("core/v1.PodTemplateSpec"))


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    (tmp_path / "kit.yaml").write_text("kit: test\n", encoding="utf-8")
    return tmp_path


def run(kit: Path, *args: str, stdin: str = "") -> str:
    """Run the command; what it raises is raised."""
    options = ["--component", "thing", "--version", "v1.0.0", "--root", str(kit)]
    result = CliRunner().invoke(import_, [*options, *args], input=stdin, standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.output


def put(kit: Path, *bodies: JsonObject, name: str = "in.yaml") -> str:
    path = kit / name
    path.write_text(dump_yaml_documents(bodies), encoding="utf-8")
    return str(path)


def rules(error: pytest.ExceptionInfo[FindingsError]) -> list[tuple[str, int]]:
    texts = error.value.texts or {}
    return [(each.rule.id, each.origin.line) for each in locate_findings(error.value.findings, texts.get)]


def folder(kit: Path) -> Path:
    return kit / "components" / "thing" / "v1.0.0"


def test_a_new_component_is_started(kit: Path) -> None:
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    out = run(kit, put(kit, config, crd(POD)))
    assert "things: " in out
    assert "Kubernetes 1.30" in out
    assert "1 other object passed over" in out
    text = (folder(kit) / "crds" / "things.yaml").read_text(encoding="utf-8")
    assert "spec: {$type: core/v1.PodTemplateSpec}" in text
    spec = (folder(kit) / "component.yaml").read_text(encoding="utf-8")
    assert read_yaml(spec) == {"component": "thing", "version": "v1.0.0", "kubernetes": "1.30"}
    assert sorted(path.name for path in folder(kit).rglob("*.*")) == ["component.yaml", "things.yaml"]


def test_an_existing_component_keeps_its_comments(kit: Path) -> None:
    folder(kit).mkdir(parents=True)
    spec = folder(kit) / "component.yaml"
    spec.write_text(
        '# mine\ncomponent: thing\nversion: v1.0.0  # now\nkubernetes: "1.25"\nx: [1,  2]\n', "utf-8"
    )
    run(kit, put(kit, crd(POD)))
    assert spec.read_text("utf-8") == (
        '# mine\ncomponent: thing\nversion: v1.0.0  # now\nkubernetes: "1.30"\nx: [1,  2]\n'
    )
    spec.write_text("# mine\ncomponent: thing\nversion: v1.0.0\n", "utf-8")
    run(kit, put(kit, crd(POD)))
    assert spec.read_text("utf-8") == '# mine\ncomponent: thing\nversion: v1.0.0\nkubernetes: "1.30"\n'
    spec.write_text("{component: thing, version: v1.0.0}  # odd\n", "utf-8")
    run(kit, put(kit, crd(POD)))
    assert read_yaml(spec.read_text("utf-8"))["kubernetes"] == "1.30"
    assert "# odd" in spec.read_text("utf-8")


def test_other_declarations_hold_the_component_to_its_minor(kit: Path) -> None:
    run(kit, put(kit, crd(root(types_of(28).get_schema("core/v1.PodTemplateSpec")), kind="Other")))
    out = run(kit, put(kit, crd(POD)))
    assert "Kubernetes 1.28" in out
    assert "not touched: others" in out
    assert read_yaml((folder(kit) / "component.yaml").read_text("utf-8"))["kubernetes"] == "1.28"


def tree(kit: Path) -> dict[str, str]:
    return {
        path.relative_to(kit).as_posix(): path.read_text("utf-8")
        for path in sorted((kit / "components").rglob("*"))
        if path.is_file()
    }


def test_importing_the_same_again_changes_nothing(kit: Path) -> None:
    bodies = (crd(POD), crd(POD, kind="Other"))
    run(kit, put(kit, *bodies))
    before = tree(kit)
    run(kit, put(kit, *reversed(bodies)))
    assert tree(kit) == before


def test_a_crd_stays_in_the_file_that_declares_it(kit: Path) -> None:
    run(kit, put(kit, crd(POD)))
    (folder(kit) / "crds" / "things.yaml").rename(folder(kit) / "crds" / "mine.yaml")
    run(kit, put(kit, crd(POD)))
    assert [path.name for path in (folder(kit) / "crds").iterdir()] == ["mine.yaml"]


def test_a_crd_of_another_group_does_not_take_the_file_of_the_first(kit: Path) -> None:
    run(kit, put(kit, crd(POD)))
    other = crd(POD, group="other.dev")
    other["metadata"]["name"] = "things.other.dev"
    before = tree(kit)
    out = run(kit, put(kit, other))
    assert "not touched: things.example.dev" in out
    added = "components/thing/v1.0.0/crds/things.other.dev.yaml"
    assert tree(kit) == {**before, added: tree(kit)[added]}


def test_a_declaration_that_stays_keeps_its_meaning(kit: Path) -> None:
    long = {"type": "object", "properties": {f"f{index}": {"type": "string"} for index in range(20)}}
    alpha, beta = (crd(root(long), kind=kind) for kind in ("Alpha", "Beta"))
    run(kit, put(kit, alpha, beta))
    assert "$use: alphas/v1" in tree(kit)["components/thing/v1.0.0/crds/betas.yaml"]
    before = tree(kit)
    run(kit, put(kit, alpha))
    assert tree(kit) == before
    changed = crd(root({**long, "nullable": True}), kind="Alpha")
    with pytest.raises(KitgenError, match=r"betas\.example\.dev would change too"):
        run(kit, put(kit, changed))
    assert tree(kit) == before
    assert "2 CRDs" in run(kit, put(kit, changed, beta))


@pytest.mark.parametrize("again", [False, True])
def test_all_files_are_written_or_none(kit: Path, monkeypatch: pytest.MonkeyPatch, again: bool) -> None:
    if again:
        run(kit, put(kit, crd(POD), crd(POD, kind="Other")))
    before = tree(kit)
    below = sys.modules["kitgen.files.folders"]
    real, calls = below.write_all, []

    def failing(handle: int, content: bytes) -> None:
        calls.append(handle)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        real(handle, content)

    source = put(kit, crd(root({"type": "object"})), crd(root({"type": "object"}), kind="Other"))
    monkeypatch.setattr(below, "write_all", failing)
    with pytest.raises(KitgenError, match=r"cannot write .*no space left"):
        run(kit, source)
    monkeypatch.undo()
    assert tree(kit) == before
    assert "2 CRDs" in run(kit, source)
    assert not list(kit.rglob(".*"))


def test_paths_are_shown_from_here_or_from_the_kit(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = put(kit, crd(POD))
    assert "wrote components/thing/v1.0.0/crds\n" in run(kit, source)
    monkeypatch.chdir(kit.parent)
    assert f"wrote {kit.name}/components/thing/v1.0.0/crds\n" in run(kit, source)


def test_standard_input_and_folders_are_read(kit: Path) -> None:
    assert "things: " in run(kit, "-", stdin=dump_yaml_documents([crd(POD)]))
    assert "things: " in run(kit, "-", stdin=json.dumps(crd(POD)))
    (kit / "in").mkdir()
    put(kit, crd(POD), name="in/a.yaml")
    put(kit, crd(POD, kind="Other"), name="in/b.yml")
    assert "2 CRDs" in run(kit, str(kit / "in"))
    wrapped = {"apiVersion": "v1", "kind": "List", "items": [crd(POD)]}
    assert "1 CRD," in run(kit, "-", stdin=dump_yaml(wrapped))


def test_the_same_crd_twice_counts_once_and_a_different_one_not_at_all(kit: Path) -> None:
    assert "1 CRD," in run(kit, put(kit, crd(POD), crd(POD)))
    with pytest.raises(FindingsError) as error:
        run(kit, put(kit, crd(POD), crd(root({"type": "object"}))))
    assert [rule for rule, _ in rules(error)] == ["crd-twice"]


def test_descriptions_may_be_kept(kit: Path) -> None:
    schema = root({"type": "object", "description": "Wanted: more"})
    assert "1 descriptions dropped" in run(kit, put(kit, crd(schema)))
    assert "dropped" not in run(kit, put(kit, crd(schema)), "--descriptions", "keep")
    assert "Wanted: more" in (folder(kit) / "crds" / "things.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a: 1\n", "crd-none"),
        ("a:\n\t- b\n", "yaml-syntax"),
        ("a: " + "[" * 10_000, "yaml-limit"),
        ("a: " + "x" * (50 * 1024 * 1024), "file-size"),
        (dump_yaml({**crd(POD), "apiVersion": "apiextensions.k8s.io/v1beta1"}), "crd-shape"),
        (dump_yaml(crd(root({"properties": {}}))), "crd-not-structural"),
    ],
)  # fmt: skip
def test_bad_input_writes_nothing(kit: Path, text: str, rule: str) -> None:
    (kit / "bad.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(FindingsError) as error:
        run(kit, str(kit / "bad.yaml"))
    assert rules(error)[0][0] == rule
    assert rules(error)[0][1] > 0
    assert not (kit / "components").exists()


def test_a_finding_has_the_line_of_its_document(kit: Path) -> None:
    good = dump_yaml(crd(POD))
    bad = dump_yaml(crd(root({"type": "object", "default": 5}), kind="Other"))
    text = f"---\n{good}---\n{bad}"
    with pytest.raises(FindingsError) as error:
        run(kit, "-", stdin=text)
    (found,) = rules(error)
    assert found[0] == "crd-default"
    assert text.splitlines()[found[1] - 1].strip() == "default: 5"


@pytest.mark.parametrize(
    ("option", "value"), [("--component", "../x"), ("--version", "latest"), ("--component", "a\n")]
)
def test_names_cannot_lead_astray(kit: Path, option: str, value: str) -> None:
    with pytest.raises(click.UsageError):
        run(kit, put(kit, crd(POD)), option, value)
    assert not (kit / "components").exists()


def test_a_link_out_of_the_kit_is_refused(kit: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (kit / "components").symlink_to(tmp_path_factory.mktemp("elsewhere"))
    with pytest.raises(KitgenError, match="leads out of the kit"):
        run(kit, put(kit, crd(POD)))


def test_an_unreadable_component_is_not_overwritten(kit: Path) -> None:
    folder(kit).mkdir(parents=True)
    (folder(kit) / "component.yaml").write_text("a: [\n", encoding="utf-8")
    with pytest.raises(KitgenError, match="cannot read"):
        run(kit, put(kit, crd(POD)))
    assert not (folder(kit) / "crds").exists()


def test_no_declaration_is_read_through_a_link_out_of_the_kit(
    kit: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    run(kit, put(kit, crd(POD)))
    declared = next((folder(kit) / "crds").iterdir())
    elsewhere = tmp_path_factory.mktemp("elsewhere") / declared.name
    declared.replace(elsewhere)
    declared.symlink_to(elsewhere)
    with pytest.raises(KitgenError, match=f"cannot read components/.*/crds/{declared.name}"):
        run(kit, put(kit, crd(POD)))


def test_the_report_can_be_silenced(kit: Path) -> None:
    assert run(kit, put(kit, crd(POD)), "--quiet") == ""
    assert io.StringIO(run(kit, put(kit, crd(POD)))).readline().startswith("things: ")
