"""`kitgen import` of a newer version: CRDs and config.yaml say only what changes."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run
from small_crd import STRING, crd, obj, version

from kitgen.text.yaml import Json, JsonObject, dump_yaml, read_yaml

FIELDS = {f"field{index}": {"type": "integer", "minimum": index, "maximum": 10} for index in range(20)}
POD = {"type": "array", "items": obj({"name": STRING, "value": {"type": "boolean"}})}


def real(**fields: Json) -> JsonObject:
    return crd(version(spec=obj({**FIELDS, "env": POD, **fields})))


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    return kits.make_kit(tmp_path / "kit")


def imported(kit: Path, name: str, *bodies: JsonObject) -> str:
    """Import CRDs as a version of widgets; return what is said."""
    (kit / "in.yaml").write_text("---\n".join(map(dump_yaml, bodies)))
    made = run("import", kit / "in.yaml", "--as", f"widgets@{name}", "--root", kit)
    assert made.code == 0, made.out + made.err
    assert "no differences" in made.out
    return made.out


def written(kit: Path, name: str) -> JsonObject:
    found: JsonObject = read_yaml((kit / f"components/widgets/{name}/crds/widgets.yaml").read_text())
    return found


def test_a_changed_crd_is_written_as_its_changes(kit: Path) -> None:
    imported(kit, "v1.0.0", real())
    assert "group" in written(kit, "v1.0.0")
    imported(kit, "v1.1.0", real(field3={"type": "integer", "minimum": 3, "maximum": 99}, more=STRING))
    assert written(kit, "v1.1.0") == {
        "$set": {"v1/spec.field3#maximum": 99},
        "$add": {"v1/spec.more": STRING},
    }
    assert run("check", "-o", "lines", "--root", kit).code == 0


def test_changes_build_on_changes(kit: Path) -> None:
    imported(kit, "v1.0.0", real())
    imported(kit, "v1.1.0", real(more=STRING))
    imported(kit, "v1.2.0", real(more=STRING, last=STRING))
    assert written(kit, "v1.2.0") == {"$add": {"v1/spec.last": STRING}}
    imported(kit, "v1.3.0", real(last=STRING))
    assert written(kit, "v1.3.0") == {"$remove": ["v1/spec.more"]}


def test_a_crd_that_is_as_before_has_no_file(kit: Path) -> None:
    imported(kit, "v1.0.0", real())
    imported(kit, "v1.1.0", real())
    assert not (kit / "components/widgets/v1.1.0/crds").exists()


def test_a_crd_that_is_another_one_is_written_out(kit: Path) -> None:
    imported(kit, "v1.0.0", real())
    imported(kit, "v1.1.0", crd(version(spec=obj({f"other{index}": STRING for index in range(20)}))))
    assert "group" in written(kit, "v1.1.0")


def test_what_people_wrote_into_a_declaration_stays(kit: Path) -> None:
    imported(kit, "v1.0.0", real())
    file = kit / "components/widgets/v1.0.0/crds/widgets.yaml"
    text = file.read_text().replace("field1: {type", "field1: {description: For people, type")
    assert text != file.read_text()
    file.write_text(text)
    imported(kit, "v1.1.0", real(more=STRING))
    assert written(kit, "v1.1.0") == {"$add": {"v1/spec.more": STRING}}
