"""What trees say of access roles: labels, audiences of others, and resources that come and go."""

from __future__ import annotations

from pathlib import Path

import pytest
from kits import CASES, make_kit
from running import run

from kitgen.text.yaml import Json, read_yaml

AS = "components/hello/v1.0.3/component.yaml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_kit(tmp_path / "kit", CASES / "valid" / "access-roles")


def tree(root: Path, target: str, *changes: tuple[str, str]) -> Path:
    """Write down what a target builds, with other words in it."""
    built = run("build", target, "hello", "--root", root)
    assert built.code == 0
    text = built.out
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    real = root.parent / f"{target}.yaml"
    real.write_text(text)
    return real


def imported(root: Path, older: str, **trees: Path) -> Json:
    """Return what an import of trees of targets says that the version before it does not."""
    real = next(iter(trees.values()))
    options = [each for name, path in trees.items() for each in ("--target", f"{name}={path}")]
    made = run("import", real, "--as", "hello@v1.0.3", "--from", f"hello@{older}", *options, "--root", root)
    assert (made.code, made.err) == (0, "")
    said = read_yaml((root / AS).read_text())
    assert (said.pop("version"), said.pop("from")) == ("v1.0.3", older)
    return said


@pytest.mark.parametrize(
    ("older", "targets"), [("v1.0.0", ["olm"]), ("v1.0.0", ["olm", "odh"]), ("v1.0.2", ["rhoai"])]
)
def test_what_is_built_changes_nothing(older: str, targets: list[str], root: Path) -> None:
    assert imported(root, older, **{name: tree(root, name) for name in targets}) == {}


def test_a_resource_comes_to_its_set_and_another_goes(root: Path) -> None:
    changes = (
        ("cronjob", "daemonset"),
        ("- batch\n  resources:\n  - daemon", "- apps\n  resources:\n  - daemon"),
    )
    assert imported(root, "v1.0.0", olm=tree(root, "olm", *changes), odh=tree(root, "odh", *changes)) == {
        "remove": ["/accessRoles/sets/batch/cronjobs"],
        "accessRoles": {"sets": {"jobs": {"resources": ["apps/daemonsets"]}}},
    }


VIEWED = ("aggregate-to-view", "aggregate-to-all")


def test_labels_and_audiences_are_said_once(root: Path) -> None:
    changes = (("    example.com/role:", "    example.com/name:"), VIEWED)
    assert imported(root, "v1.0.0", olm=tree(root, "olm", *changes)) == {
        # The audience view stays, since a feature that is off here names it.
        "remove": ["/accessRoles/labels/example.com/role"],
        "accessRoles": {
            "aggregates": {"aggregate-to-all": {"label": "rbac.authorization.k8s.io/aggregate-to-all"}},
            "labels": {"example.com/name": "{{ role }}"},
            "sets": {
                "greetings": {"viewers": ["admin", "edit", "aggregate-to-all"]},
                "jobs": {"viewers": ["aggregate-to-all"]},
            },
        },
    }


def test_what_a_feature_says_of_access_roles_changes_with_its_trees(root: Path) -> None:
    olm, odh = tree(root, "olm", VIEWED), tree(root, "odh", VIEWED)
    said = imported(root, "v1.0.0", olm=olm, odh=odh)
    assert said["accessRoles"]["sets"]["jobs"] == {"viewers": ["aggregate-to-all"]}
    assert said["features"]["listed"]["accessRoles"]["sets"] == {
        "pods": {"editors": ["admin"], "viewers": ["aggregate-to-all"], "resources": ["core/pods"]}
    }
