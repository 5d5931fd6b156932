"""Variables, labels of roles and withheld permissions lead back to the target, in `why` and in overlays."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

ENV = "/spec/template/spec/containers/0/env"


@pytest.mark.parametrize(
    ("case", "wanted", "field", "told"),
    [
        ("env-and-role-labels", "Deployment/hello-manager", f"{ENV}/0/value", "env/manager/GREETING: "),
        (
            "env-and-role-labels",
            "Deployment/hello-manager",
            f"{ENV}/0/value",
            "namespace, which the expression",
        ),
        (
            "env-and-role-labels",
            "Deployment/hello-manager",
            f"{ENV}/2",
            "versions/>=1.0.0/env/manager/MORE: ",
        ),
        (
            "env-and-role-labels",
            "Deployment/hello-manager",
            f"{ENV}/3",
            "releases/<=1.0.0/env/manager/LAST: ",
        ),
        (
            "env-and-role-labels",
            "Deployment/hello-manager",
            ENV,
            "FIRST: " + ENV + ": setting env (odh takes",
        ),
        (
            "env-and-role-labels",
            "ClusterRole/hello-greeting-editor-role",
            "/metadata/labels",
            "example.com~1admin: setting roles (odh takes it away)",
        ),
        (
            "withheld",
            "ClusterRole/hello-manager-role",
            "/rules/1",
            "setting withhold (secrets are for people here)",
        ),
        ("withheld", "ClusterRole/hails", "/rules/4", "/objects/0/rules/2: objects"),
        (
            "withheld",
            "Role/hello-third",
            "/rules",
            "withhold/1/permissions/core~1pods: /rules: setting withhold",
        ),
    ],
)
def test_why_leads_to_the_target(case: str, wanted: str, field: str, told: str, tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path, kits.CASES / "valid" / case)
    done = run("why", "odh", wanted, field, "--root", root)
    assert (done.code, told in done.out) == (0, True), done.out + done.err


@pytest.mark.parametrize(
    ("case", "file", "reason"),
    [
        ("env-and-role-labels", "deployment-manager", "# setting env: odh takes it away\n- op: remove"),
        ("env-and-role-labels", "clusterrole-manager-role", "# setting roles: odh sets it\n- op: add"),
        ("withheld", "clusterrole-second", "# setting withhold: secrets are for people here\n- op: remove"),
    ],
)
def test_overlays_say_the_reason(case: str, file: str, reason: str, tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path, kits.CASES / "valid" / case)
    assert run("render", "--root", root).code == 0
    assert reason in (root / f"overlays/odh/hello/patches/{file}.yaml").read_text()
