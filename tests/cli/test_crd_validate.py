"""The crd commands over files: places, exit codes, forms of the answer."""

from __future__ import annotations

import json

import pytest
from running import invoke as run
from small_crd import STRING, crd, crd_of, obj, version, widget

from kitgen.app.commands.crd_outline import outline
from kitgen.app.commands.crd_validate import validate
from kitgen.compare.commands.crd_diff import diff
from kitgen.findings.errors import FindingsError, KitgenError, UsageError
from kitgen.kit.foreign_objects import read_foreign_objects
from kitgen.report.text import locate_findings
from kitgen.text.yaml import dump_yaml, dump_yaml_documents

CRD = crd_of(obj({"a": STRING, "b": {**STRING, "x-kubernetes-validations": [{"rule": "self != ''"}]}}))


@pytest.fixture
def crds(tmp_path):
    folder = tmp_path / "crds"
    folder.mkdir()
    (folder / "widgets.yaml").write_text(dump_yaml(CRD))
    (folder / "other.yaml").write_text(dump_yaml({"apiVersion": "v1", "kind": "Namespace"}))
    (folder / ".hidden.yaml").write_text("{")
    return folder


def test_a_problem_has_file_line_and_path(tmp_path, crds):
    file = tmp_path / "w.yaml"
    file.write_text(
        "# words\n"
        + dump_yaml_documents([widget({"a": "x"}), {"apiVersion": "v1", "kind": "Pod"}, widget({"aa": 1})])
    )
    result = run(validate, "-o", "lines", file, "--crds", crds)
    assert result.exit_code == 1
    line = file.read_text().splitlines().index("  aa: 1") + 1
    assert f"{file}:{line} /spec/aa: field-unknown: " in result.stdout
    assert "found the unknown field \"aa\" [Widget/one] (hint: did you mean 'a'?)\n" in result.stdout
    assert "2 objects checked, 1 error\n" in result.stdout
    assert "skipped, no CRD declares it: v1 Pod (1)\n" in result.stdout


@pytest.mark.parametrize("start", ["", "%YAML 1.1\n---\n", "# words\n", "--- # words\n", "---\n---\n"])
def test_lines_are_right_however_documents_start_and_end(tmp_path, crds, start):
    file = tmp_path / "w.yaml"
    file.write_text(start + dump_yaml(widget({"a": "x"})) + "...\n---\n" + dump_yaml(widget({"c": "x"})))
    line = file.read_text().splitlines().index("  c: x") + 1
    assert f"{file}:{line} /spec/c:" in run(validate, "-o", "lines", file, "--crds", crds).stdout


def test_clean_objects_pass_and_others_break_rules(tmp_path, crds):
    (tmp_path / "w.yaml").write_text(dump_yaml(widget({"b": "x"})))
    result = run(validate, "-o", "lines", tmp_path / "w.yaml", "--crds", crds)
    assert result.exit_code == 0
    assert "1 object checked, 0 errors\n" in result.stdout
    assert run(validate, "-o", "lines", "-q", tmp_path / "w.yaml", "--crds", crds).stdout == ""
    (tmp_path / "w.yaml").write_text(dump_yaml(widget({"b": ""})))
    assert (
        "/spec/b: cel-rule: broke the rule"
        in run(validate, "-o", "lines", tmp_path / "w.yaml", "--crds", crds).stdout
    )


OTHERS = {
    "kustomization.yaml": "resources: [a.yaml]\n",
    "sub/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n",
    "patch.yaml": "- {op: add, path: /spec/a, value: 1}\n",
    "patches/one.yaml": "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n$patch: delete\n",
    "dashboard.json": '{"title": "queues", "panels": [], "schemaVersion": 36}',
    "skin.yaml": "k9s: {body: {fgColor: red}}\n",
    "plugins.yml": "plugins: {logs: {shortCut: l}}\n",
    "chart/Chart.yaml": "name: queues\n",
    "chart/templates/a.yaml": "a: {{ .Values.a }}\n",
}


def test_what_holds_no_objects_is_left_out_of_a_folder_and_named(tmp_path, crds):
    folder = tmp_path / "samples"
    for name, text in {**OTHERS, "w.yaml": dump_yaml(widget({"a": "x"}))}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    result = run(validate, "-o", "lines", folder, "--crds", crds)
    assert (result.exit_code, result.stdout) == (0, "1 object checked, 0 errors\n")
    assert "chart left out: it is a Helm chart" in result.stderr
    assert "5 files left out: no Kubernetes objects in " in result.stderr
    assert "2 kustomizations and patches left out: they are for kustomize" in result.stderr
    # What is meant to be an object is not left out, nor is a file that was named.
    (folder / "bad.yaml").write_text("kind: Widget\nspec: {}\n")
    for name in (folder, folder / "skin.yaml"):
        assert "manifest-invalid" in run(validate, "-o", "lines", name, "--crds", crds).stdout
    (folder / "bad.yaml").write_text("apiVersion: example.com/v1\nkind: Widget\nspce: {}\n")
    assert "bad.yaml:3 /spce: field-unknown" in run(validate, "-o", "lines", folder, "--crds", crds).stdout


def test_nothing_but_skipped_objects_is_a_failure(tmp_path, crds):
    pods = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}} for name in "ab"]
    (tmp_path / "p.yaml").write_text(dump_yaml_documents(pods))
    result = run(validate, "-o", "lines", "-q", tmp_path / "p.yaml", "--crds", crds)
    assert result.exit_code == 1
    assert ": crd-none: found 2 objects and no CRD that declares one: v1 Pod" in result.stdout
    (tmp_path / "p.yaml").write_text(dump_yaml_documents([*pods, widget({"a": "x"})]))
    assert run(validate, tmp_path / "p.yaml", "--crds", crds).exit_code == 0
    (tmp_path / "p.yaml").write_text("")
    assert run(validate, tmp_path / "p.yaml", "--crds", crds).exit_code == 0


def test_standard_input_and_json(crds):
    result = run(validate, "-", "--crds", crds, "-o", "json", stdin=dump_yaml(widget({"x": "y"})))
    data = json.loads(result.stdout)
    (found,) = data["findings"]
    assert (found["file"], found["pointer"], found["rule"]) == ("-", "/spec/x", "field-unknown")
    assert data["objects"] == 1
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a: [", "yaml-syntax"),
        ("just text", "manifest-invalid"),
        ("- 1\n- 2\n", "manifest-invalid"),
        ("a: 1\na: 2\n", "yaml-duplicate"),
        ("[" * 10_000, "yaml-limit"),
        (b"a: \xff\n", "file-encoding"),
    ],
)
def test_bad_input_is_a_finding(tmp_path, crds, text, rule):
    file = tmp_path / "bad.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    (tmp_path / "good.yaml").write_text(dump_yaml(widget({"x": 1})))
    result = run(validate, "-o", "lines", file, tmp_path / "good.yaml", "--crds", crds)
    assert result.exit_code == 1
    assert f": {rule}: " in result.stdout
    assert ": field-unknown: " in result.stdout


def test_a_huge_file_is_a_finding(tmp_path, monkeypatch):
    monkeypatch.setattr("kitgen.kit.manifests.MAX_BYTES", 10)
    (tmp_path / "big.yaml").write_text("a: 1234567890\n")
    read = read_foreign_objects([str(tmp_path / "big.yaml")])
    assert not read.objects
    assert [finding.rule.id for finding in read.findings] == ["file-size"]


def test_what_is_not_there_is_wrong_usage(tmp_path, crds):
    with pytest.raises(UsageError):
        run(validate, "-o", "lines", tmp_path / "none.yaml", "--crds", crds)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FindingsError) as caught:
        run(outline, tmp_path / "empty")
    assert [finding.rule.id for finding in caught.value.findings] == ["crd-none"]
    with pytest.raises(KitgenError):
        run(outline, "widgets", "--root", tmp_path)


def test_a_broken_crd_is_found_with_its_line(tmp_path):
    broken = crd_of({"type": "object", "required": "a"})
    file = tmp_path / "crd.yaml"
    file.write_text(dump_yaml({"apiVersion": "v1", "kind": "List", "items": [CRD, broken]}))
    with pytest.raises(FindingsError) as caught:
        run(outline, file)
    (found,) = locate_findings(caught.value.findings, caught.value.texts.get)
    line = next(i for i, text in enumerate(file.read_text().splitlines(), 1) if text.endswith("required: a"))
    assert (found.rule.id, found.origin.line) == ("crd-shape", line)


def test_a_crd_may_come_twice_only_if_it_is_the_same(tmp_path):
    (tmp_path / "a.yaml").write_text(dump_yaml_documents([CRD, CRD]))
    assert run(outline, tmp_path).stdout.count("crd widgets.example.com\n") == 1
    (tmp_path / "b.yaml").write_text(dump_yaml(crd_of(obj())))
    with pytest.raises(FindingsError) as caught:
        run(outline, tmp_path)
    assert [finding.rule.id for finding in caught.value.findings] == ["crd-twice"]


def test_outline_folds_kubernetes_types_in_a_file(tmp_path):
    from kitgen.crd.types import types_of

    file = tmp_path / "crd.yaml"
    file.write_text(dump_yaml(crd_of(obj({"template": types_of(28).get_schema("core/v1.PodTemplateSpec")}))))
    assert "  .spec.template core/v1.PodTemplateSpec\n" in run(outline, file).stdout


def test_outline_of_a_crd_that_no_server_takes(tmp_path):
    (tmp_path / "crd.yaml").write_text(dump_yaml(crd_of({"type": "nonsense"})))
    assert "  .spec nonsense\n" in run(outline, tmp_path).stdout


def test_outline_of_a_file(crds):
    result = run(outline, crds)
    assert result.exit_code == 0
    assert "  .spec.b string cel=1\n" in result.stdout


@pytest.fixture
def changed(tmp_path):
    file = tmp_path / "new.yaml"
    file.write_text(dump_yaml(crd_of(obj({"a": STRING}))))
    return file


def test_diff_fails_on_breaking_changes(crds, changed):
    result = run(diff, crds, changed)
    assert result.exit_code == 1
    assert "breaking: widgets.example.com v1 .spec.b: field-removed" in result.stdout
    assert run(diff, changed, crds).exit_code == 0
    assert run(diff, crds, crds).stdout == "no changes\n"


def test_diff_says_it_in_other_forms_too(crds, changed):
    assert json.loads(run(diff, crds, changed, "-o", "json").stdout)["failed"] is True
    assert "### Breaking (1)" in run(diff, crds, changed, "-o", "markdown").stdout
    assert "cosmetic" not in run(diff, changed, crds, "-q").stdout.replace("0 cosmetic", "")


def test_exceptions_with_a_reason_let_it_pass(tmp_path, crds, changed):
    known = {"id": "field-removed:widgets.example.com:v1:.spec.b", "reason": "never used"}
    file = tmp_path / "ex.yaml"
    file.write_text(dump_yaml([known]))
    assert run(diff, crds, changed, "--exceptions", file).exit_code == 0
    file.write_text(dump_yaml([known, {**known, "id": "field-removed:widgets.example.com:v1:.spec.c"}]))
    result = run(diff, crds, changed, "--exceptions", file)
    assert result.exit_code == 1
    assert f"{file}:3 /1: exception-stale: " in result.stderr
    file.write_text("a: [")
    with pytest.raises(FindingsError):
        run(diff, crds, changed, "--exceptions", file)
    file.write_text("")
    assert run(diff, crds, changed, "--exceptions", file).exit_code == 1


def test_versions_of_one_kind_from_several_sources(tmp_path):
    for name in ("v1", "v2"):
        (tmp_path / f"{name}.yaml").write_text(dump_yaml(crd(version(name, obj({name: STRING})))))
    objects = [widget({"v1": "x"}), widget({"v2": "x"}, apiVersion="example.com/v2")]
    sources = ["--crds", tmp_path / "v1.yaml", "--crds", tmp_path / "v2.yaml"]
    result = run(validate, "-o", "lines", "-", *sources, stdin=dump_yaml_documents(objects))
    assert (result.exit_code, result.stdout) == (0, "2 objects checked, 0 errors\n")
