"""Files can be checked where there is no kit; what needs one says so."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import Run, run

from kitgen.kube.definitions import format_minors, list_supported_minors

WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx:v1}]}
"""
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: queues.example.com}
spec:
  group: example.com
  names: {kind: Queue, plural: queues, singular: queue, listKind: QueueList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}}}}
"""
QUEUE = "{apiVersion: example.com/v1, kind: Queue, metadata: {name: a, namespace: b}, size: big}\n"
RANGE = (
    f"checked for Kubernetes {format_minors(list_supported_minors())}: no kit says another range, "
    "--kubernetes can\n"
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder the current one that has manifests and no kit."""
    kits.write(tmp_path, {"web.yaml": WEB, "own/crd.yaml": CRD, "own/queue.yaml": QUEUE})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_are_checked(here: Path) -> None:
    right = Run(code=0, out="", err=f"{RANGE}1 object, no findings\n")
    assert run("check", "-o", "lines", "web.yaml") == right
    assert run("check", "-o", "lines", "-", stdin=WEB) == right
    wrong = run("check", "-o", "lines", "-", stdin=WEB.replace("selector:", "selectr:"))
    assert (wrong.code, ": field-unknown: " in wrong.out, RANGE in wrong.err) == (1, True, True)
    assert run("check", "-o", "lines", "web.yaml", "-q") == Run(code=0, out="", err="")
    told = run("check", "web.yaml", "-o", "json")
    assert (told.code, json.loads(told.out)["findings"], told.err) == (0, [], RANGE)


def test_crds_among_the_files_count(here: Path) -> None:
    result = run("check", "-o", "lines", "own")
    assert (result.code, result.out.count("\n")) == (1, 1)
    assert result.out.startswith("own/queue.yaml:1 /size: field-type: ")
    alone = run("check", "-o", "lines", "own/queue.yaml")
    assert (alone.code, "(hint: name a file with its CRD too)" in alone.out) == (0, True)


def test_a_range_can_be_said(here: Path) -> None:
    said = run("check", "-o", "lines", "web.yaml", "--kubernetes", ">=1.27 <=1.32")
    assert said == Run(code=0, out="", err="1 object, no findings\n")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (
            ["check", "odh"],
            "no such file or folder: 'odh' "
            "(hint: there is no kit here, so it is no target, component or CRD)",
        ),
        (
            ["check", ""],
            "no such file or folder: '' (hint: there is no kit here, so it is no target, component or CRD)",
        ),
        (["check", "web.yaml", "--release", "v1.0.0"], "--release needs a kit, and there is none here"),
        (
            ["crd", "outline", "queues"],
            "no such file or folder: 'queues' "
            "(hint: there is no kit here, so it is no target, component or CRD)",
        ),
        (
            ["crd", "diff", "own", "queue@v1.0.0"],
            "no such file or folder: 'queue@v1.0.0' "
            "(hint: there is no kit here, so it is no target, component or CRD)",
        ),
        (
            ["crd", "validate", "own"],
            "no kit here that declares CRDs: --crds is needed (hint: name a file or a folder that has them)",
        ),
    ],
)
def test_names_of_a_kit_are_wrong_usage(here: Path, args: list[str], told: str) -> None:
    assert run(*args) == Run(code=2, out="", err=f"error: {told}\n")


def test_a_root_that_is_named_has_to_be_a_kit(here: Path) -> None:
    result = run("check", "-o", "lines", "web.yaml", "--root", here)
    assert (result.code, result.out) == (3, "")


def test_crd_commands_take_files(here: Path) -> None:
    assert run("crd", "outline", "own").out.startswith("crd queues.example.com\n")
    assert run("crd", "diff", "own/crd.yaml", "own").code == 0
    result = run("crd", "validate", "-o", "lines", "own/queue.yaml", "--crds", "own/crd.yaml")
    assert (result.code, result.out.startswith("own/queue.yaml:1 /size: field-type: ")) == (1, True)
