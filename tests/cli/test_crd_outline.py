"""The crd commands over a kit."""

from __future__ import annotations

import pytest
from running import invoke as run
from small_crd import crd_of, obj

from kitgen.app.commands.crd_outline import outline
from kitgen.app.commands.crd_validate import validate
from kitgen.compare.commands.crd_diff import diff
from kitgen.findings.errors import UsageError
from kitgen.text.yaml import dump_yaml


def declaration(**fields):
    return {
        "group": "example.com",
        "names": {"kind": "Widget"},
        "scope": "Namespaced",
        "versions": {
            "v1": {
                "storage": True,
                "schema": {
                    "type": "object",
                    "properties": {"spec": {"type": "object", "properties": fields}},
                },
            }
        },
    }


@pytest.fixture
def kit(tmp_path):
    (tmp_path / "kit.yaml").write_text(dump_yaml({"kit": "demo", "format": 2, "kubernetes": ">=1.28 <=1.30"}))
    fields = {"template": {"$type": "core/v1.PodTemplateSpec"}}
    for version, extra in (("v1.0.0", {"old": {"type": "string"}}), ("v1.1.0", {"new": {"type": "string"}})):
        folder = tmp_path / "components" / "demo" / version
        (folder / "crds").mkdir(parents=True)
        spec = {"component": "demo", "version": version, "kubernetes": "1.28"}
        (folder / "component.yaml").write_text(dump_yaml(spec))
        (folder / "crds" / "widgets.yaml").write_text(dump_yaml(declaration(**fields, **extra)))
    return tmp_path


@pytest.mark.parametrize("name", ["widgets.example.com", "widgets", "Widget", "demo", None])
def test_outline_takes_every_name_of_a_crd(kit, name):
    result = run(outline, *([name] if name else []), "--root", kit)
    assert result.exit_code == 0
    assert result.stdout.index("# demo v1.1.0\n") < result.stdout.index("# demo v1.0.0\n")
    assert result.stdout.count("  .spec.template core/v1.PodTemplateSpec\n") == 2


def test_outline_of_one_version(kit):
    result = run(outline, "demo@v1.0.0", "--root", kit)
    assert ".spec.old string" in result.stdout
    assert ".spec.new string" not in result.stdout


@pytest.mark.parametrize(
    ("name", "hint"), [("wigets", "widgets"), ("demo@v1.0.1", "v1.0.0"), ("dmo@v1.0.0", "demo")]
)
def test_a_name_that_is_not_there_gets_the_nearest(kit, name, hint):
    with pytest.raises(UsageError) as caught:
        run(outline, name, "--root", kit)
    assert hint in caught.value.hint


def test_diff_of_two_versions_of_the_kit(kit):
    result = run(diff, "demo@v1.0.0", "demo@v1.1.0", "--root", kit)
    assert result.exit_code == 1
    assert "breaking: widgets.example.com v1 .spec.old: field-removed" in result.stdout
    assert result.stdout.endswith("1 breaking, 0 security, 0 behaviour, 1 cosmetic\n")


def test_diff_of_a_component_asks_for_its_version(kit):
    with pytest.raises(UsageError) as caught:
        run(diff, "demo", "demo", "--root", kit)
    assert caught.value.hint == "a component is written demo@VERSION"


def test_diff_of_the_kit_and_a_file(kit, tmp_path):
    file = tmp_path / "raw.yaml"
    file.write_text(dump_yaml(crd_of(obj({"new": {"type": "string"}}))))
    result = run(diff, "demo@v1.1.0", file, "--root", kit)
    assert "the field is gone, was core/v1.PodTemplateSpec" in result.stdout


def test_a_misspelt_field_of_a_pod_template_is_found(kit, tmp_path):
    file = tmp_path / "w.yaml"
    containers = [{"name": "a", "image": "b", "imagePullPolcy": "Always"}]
    spec = {"template": {"spec": {"containers": containers}}}
    file.write_text(
        dump_yaml({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": spec})
    )
    result = run(validate, file, "--root", kit, "-o", "lines")
    assert result.exit_code == 1
    line = next(n for n, text in enumerate(file.read_text().splitlines(), 1) if "imagePullPolcy" in text)
    assert f"{file}:{line} /spec/template/spec/containers/0/imagePullPolcy: field-unknown: " in result.stdout
    assert "[Widget/w] (hint: did you mean 'imagePullPolicy'?)" in result.stdout


@pytest.mark.parametrize("name", ["PodMonitor", "podmonitors", "podmonitors.monitoring.coreos.com"])
def test_a_kind_of_another_project_is_outlined_with_and_without_a_kit(
    kit, tmp_path_factory, monkeypatch, name
):
    inside = run(outline, name, "--root", kit)
    monkeypatch.chdir(tmp_path_factory.mktemp("bare"))
    outside = run(outline, name)
    assert inside.stdout == outside.stdout
    assert (inside.exit_code, inside.stderr) == (0, "")
    assert inside.stdout.startswith("# prometheus-operator v0.93.0\ncrd podmonitors.monitoring.coreos.com")
    assert "podMetricsEndpoints" in inside.stdout
