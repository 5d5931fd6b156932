"""A small change of one tree is a small change of the spec: what was a feature stays one, in its words."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from kits import PROJECT
from running import run
from some import first

from kitgen.importing.request import ImportRequest, ImportResult
from kitgen.importing.run import import_component
from kitgen.text.yaml import Dialect, JsonObject, dump_yaml_documents, read_yaml, read_yaml_documents

VERSION = "v0.11.7"
OLDER = "v0.11.6"
SPEC = f"components/kueue/{VERSION}/component.yaml"


@cache
def built(target: str) -> str:
    """Return what a target builds of Kueue."""
    return run("build", target, "kueue", "--root", PROJECT).out


def swapped(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


def imported(folder: Path, **trees: str) -> ImportResult:
    """Import trees of targets over the version before; they must come in as changes, without a difference."""
    for target, text in trees.items():
        (folder / f"{target}.yaml").write_text(text, encoding="utf-8")
    targets = tuple((target, str(folder / f"{target}.yaml")) for target in trees)
    made = import_component(
        ImportRequest(
            root=PROJECT,
            real=targets[0][1],
            component="kueue",
            version=VERSION,
            older=OLDER,
            targets=targets,
            dry_run=True,
        )
    )
    assert not made.difference_count
    assert made.older == made.asked == OLDER
    return made


def spec(made: ImportResult) -> JsonObject:
    """Return what the new version says, besides what it is."""
    found = read_yaml(made.texts[SPEC])
    assert (found.pop("version"), found.pop("from")) == (VERSION, OLDER)
    return dict(found)


def test_an_argument_of_a_feature_changes_in_the_feature(tmp_path: Path) -> None:
    fork = swapped(built("rhoai"), "MultiKueue=false", "MultiKueue=true")
    made = imported(tmp_path, olm=built("olm"), rhoai=fork)
    gates = "--feature-gates=VisibilityOnDemand=false,LocalQueueMetrics=true,MultiKueue=true"
    said = {"deployment": {"containers": {"manager": {"args": [gates]}}}}
    assert spec(made) == {"features": {"platform-gates": said}}
    assert list(made.texts) == [SPEC]


@pytest.mark.exhaustive
def test_arguments_of_the_component_change_beside_those_of_a_feature(tmp_path: Path) -> None:
    def newer(text: str) -> str:
        return swapped(text, "- --zap-log-level=2\n", "- --zap-log-level=3\n        - --zap-devel\n")

    fork = swapped(newer(built("rhoai")), "MultiKueue=false", "MultiKueue=true")
    made = imported(tmp_path, olm=newer(built("olm")), rhoai=fork)
    args = ["--config=/controller_manager_config.yaml", "--zap-log-level=3", "--zap-devel"]
    assert spec(made)["deployment"] == {"containers": {"manager": {"args": args}}}
    assert list(spec(made)["features"]) == ["platform-gates"]
    assert list(made.texts) == [SPEC]


@pytest.mark.exhaustive
def test_a_target_with_the_tree_of_another_has_its_features(tmp_path: Path) -> None:
    made = imported(tmp_path, olm=built("olm"), rhoai=built("rhoai"), odh=built("rhoai"))
    assert spec(made) == {}
    assert_odh_has_what_rhoai_has(made)


@pytest.mark.exhaustive
def test_a_target_has_a_feature_of_another_that_changes(tmp_path: Path) -> None:
    fork = swapped(built("rhoai"), "MultiKueue=false", "MultiKueue=true")
    made = imported(tmp_path, olm=built("olm"), rhoai=fork, odh=fork)
    assert spec(made).keys() == {"features"}
    assert list(spec(made)["features"]) == ["platform-gates"]
    assert_odh_has_what_rhoai_has(made)


def assert_odh_has_what_rhoai_has(made: ImportResult) -> None:
    assert list(made.texts) == [SPEC, "targets/odh.yaml"]
    target = read_yaml(made.texts["targets/odh.yaml"])["components"]["kueue"]
    assert target["versions"][f">={VERSION[1:]}"] == {
        "features": {
            "managed-namespaces": True,
            "platform-gates": True,
            "appwrapper-integration": False,
        }
    }


@pytest.mark.exhaustive
def test_an_account_with_another_name_is_named_once_more_where_objects_name_it(tmp_path: Path) -> None:
    bodies = read_yaml_documents(built("olm"), dialect=Dialect.KUBECTL)
    for body in bodies:
        if body["kind"] == "ServiceAccount":
            body["metadata"]["name"] = "kueue-operator"
        if body["kind"] == "Deployment":
            body["spec"]["template"]["spec"]["serviceAccountName"] = "kueue-operator"
        for subject in body.get("subjects", ()):
            subject["name"] = "kueue-operator"
    made = imported(tmp_path, olm=dump_yaml_documents(bodies))
    binding = "objects/RoleBinding/{{ prefix }}visibility-server-auth-reader"
    assert spec(made) == {
        "remove": [f"/features/visibility-server/{binding}/subjects/{{{{ prefix }}}}controller-manager"],
        "serviceAccount": "operator",
        "features": {
            "visibility-server": {
                "objects": [
                    {
                        "apiVersion": "rbac.authorization.k8s.io/v1",
                        "kind": "RoleBinding",
                        "metadata": {"name": "{{ prefix }}visibility-server-auth-reader"},
                        "subjects": [
                            {
                                "kind": "ServiceAccount",
                                "name": "kueue-operator",
                                "namespace": "{{ namespace }}",
                            }
                        ],
                    }
                ]
            }
        },
    }


@pytest.mark.parametrize("target", first(["rhoai", "olm"]))
@pytest.mark.parametrize("name", first(["controller-config", "manager-config-56ghkt44gc"]))
def test_a_configuration_under_another_name_is_the_same_one(target: str, name: str, tmp_path: Path) -> None:
    tree = swapped(built(target), "name: kueue-manager-config\n", f"name: kueue-{name}\n")
    made = imported(tmp_path, **{target: tree})
    assert spec(made) == {}
    config = f"components/kueue/{VERSION}/config.yaml"
    assert list(made.texts) == [SPEC, config]
    assert read_yaml(made.texts[config]) == {"$set": {"#configMap": name}}


@pytest.mark.exhaustive
def test_a_configuration_in_another_file_is_the_same_one(tmp_path: Path) -> None:
    def newer(text: str) -> str:
        return swapped(text, "controller_manager_config.yaml", "config.yaml")

    made = imported(tmp_path, olm=newer(built("olm")), rhoai=newer(built("rhoai")))
    assert spec(made).keys() == {"deployment", "config"}
    assert spec(made)["config"] == {"mount": {"path": "/config.yaml"}}
    config = read_yaml(made.texts[f"components/kueue/{VERSION}/config.yaml"])
    assert config == {"$set": {"#key": "config.yaml"}}


@pytest.mark.exhaustive
def test_a_fork_that_may_use_one_secret_is_a_few_lines_of_its_target(tmp_path: Path) -> None:
    bodies = read_yaml_documents(built("rhoai"), dialect=Dialect.KUBECTL)
    (role,) = (each for each in bodies if each["metadata"]["name"] == "kueue-manager-role")
    (secrets,) = (rule for rule in role["rules"] if rule["resources"] == ["secrets"])
    secrets["resourceNames"] = ["kueue-webhook-server-cert"]
    made = imported(tmp_path, olm=built("olm"), rhoai=dump_yaml_documents(bodies))
    assert spec(made) == {}
    assert list(made.texts) == [SPEC, "targets/rhoai.yaml"]
    target = read_yaml(made.texts["targets/rhoai.yaml"])["components"]["kueue"]
    less = {
        "role": "manager-role",
        "permissions": {"core/secrets": "get list update watch"},
        "keep": ["kueue-webhook-server-cert"],
        "why": "the imported tree does not grant this",
    }
    assert target["versions"][f">={VERSION[1:]}"] == {"withhold": [less]}


@pytest.mark.exhaustive
def test_a_container_with_another_name_in_a_fork_reads_the_same_configuration(tmp_path: Path) -> None:
    bodies = read_yaml_documents(built("rhoai"), dialect=Dialect.KUBECTL)
    (deployment,) = (each for each in bodies if each["kind"] == "Deployment")
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    container["name"] = "kueue"
    made = imported(tmp_path, olm=built("olm"), rhoai=dump_yaml_documents(bodies))
    mount = {"container": "kueue", "volume": "manager-config", "path": "/controller_manager_config.yaml"}
    assert spec(made)["features"]["rhoai"]["config"] == {"mount": mount}
