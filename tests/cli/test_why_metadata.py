"""Labels, annotations and namespaces lead back to the lines that say them."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

SPEC = "components/hello/v1.0.0/component.yaml"


@pytest.mark.parametrize(
    ("case", "thing", "field", "want"),
    [
        (
            "metadata-of-families",
            "Deployment/hello-manager",
            "/metadata/labels/control-plane",
            "/deployment/labels",
        ),
        (
            "metadata-of-families",
            "Deployment/hello-manager",
            "/spec/template/metadata/labels/control-plane",
            "/deployment/selector/control-plane",
        ),
        (
            "metadata-of-families",
            "Deployment/hello-manager",
            "/spec/template/metadata/labels/logs",
            "/deployment/podLabels",
        ),
        (
            "metadata-of-families",
            "Deployment/hello-manager",
            "/spec/minReadySeconds",
            "/deployment/minReadySeconds",
        ),
        (
            "metadata-of-families",
            "Service/hello-metrics",
            "/metadata/labels/control-plane",
            "/services/metrics/labels/control-plane",
        ),
        (
            "metadata-of-families",
            "ServiceAccount/hello-controller-manager",
            "/metadata/labels/app.kubernetes.io~1managed-by",
            "/serviceAccounts/controller-manager/labels/app.kubernetes.io~1managed-by",
        ),
        (
            "metadata-of-families",
            "ClusterRole/hello-manager-role",
            "/metadata/annotations",
            "/roles/manager-role/annotations/example.com~1why",
        ),
        (
            "metadata-of-families",
            "MutatingWebhookConfiguration/hello-mutating-webhook-configuration",
            "/metadata/annotations",
            "/webhooks/annotations/cert-manager.io~1inject-ca-from",
        ),
        ("objects-elsewhere", "Service/hello-probe", "/metadata/namespace", "/objects/2/metadata/namespace"),
        (
            "objects-elsewhere",
            "ClusterRoleBinding/hello-probe",
            "/subjects/0/namespace",
            "/objects/1/metadata/namespace",
        ),
    ],
)
def test_what_a_spec_says_of_metadata_is_told(
    tmp_path: Path, case: str, thing: str, field: str, want: str
) -> None:
    root = kits.make_kit(tmp_path, kits.CASES / "valid" / case)
    told = run("why", "olm", thing, field, "--root", root)
    assert told.code == 0, told.err
    assert SPEC in told.out
    assert want in told.out, told.out
