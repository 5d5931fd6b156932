"""Namespaces of all mixtures: what kitgen says of bindings and webhooks is what kustomize makes of them."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import kits
import normal
import pytest
import routes
from some import first

from kitgen.files import programs
from kitgen.text.yaml import JsonObject, dump_yaml
from kitgen.workspace.kit import open_kit

pytestmark = [
    pytest.mark.kustomize,
    pytest.mark.skipif(programs.find_kustomize() is None, reason="neither kustomize nor kubectl is on PATH"),
]
SPEC = "components/hello/v1.0.0/component.yaml"
PLACES = ("", "kube-system", "default", "hello-system")
ACCOUNTS = {"own": "", "far": "kube-system", "usual": "default", "said": "hello-system"}
RBAC = "rbac.authorization.k8s.io"


def within(place: str, **more: str) -> JsonObject:
    return {**more, **({"namespace": place} if place else {})}


def binding(name: str, place: str, *subjects: JsonObject, cluster: bool = False) -> JsonObject:
    kind = "ClusterRole" if cluster else "Role"
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": f"{kind}Binding",
        "metadata": within(place, name=name),
        "roleRef": {"apiGroup": RBAC, "kind": kind, "name": "any"},
        "subjects": list(subjects),
    }


def objects() -> list[JsonObject]:
    subjects = [
        within(place, kind="ServiceAccount", name=name)
        for name, place in product((*ACCOUNTS, "default", "nobody"), PLACES)
    ]
    hooks = [
        {
            "name": f"a{number}.example.com",
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            "clientConfig": {"service": within(place, name=name)},
        }
        for number, (name, place) in enumerate(product((*ACCOUNTS, "nobody"), PLACES))
    ]
    return [
        *(
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": within(p, name=n)}
            for n, p in ACCOUNTS.items()
        ),
        *(
            {"apiVersion": "v1", "kind": "Service", "metadata": within(p, name=n)}
            for n, p in ACCOUNTS.items()
        ),
        *(
            binding(f"one-{index}-{number}", place, subject)
            for index, place in enumerate(PLACES)
            for number, subject in enumerate(subjects)
        ),
        *(binding(f"all-{index}", place, *subjects) for index, place in enumerate(PLACES)),
        binding("all", "", *subjects, cluster=True),
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "hooks"},
            "webhooks": hooks,
        },
    ]


@pytest.mark.parametrize("namespace", first(["apart", "", "hello-system", "kube-system", "default"], 2))
def test_references_follow_as_kustomize_has_it(tmp_path: Path, namespace: str) -> None:
    root = kits.make_kit(tmp_path / "kit")
    spec = {"component": "hello", "version": "v1.0.0", "namespace": namespace, "objects": objects()}
    target = {"target": "olm", "release": "v1.0.0"}
    kits.write(root, {SPEC: dump_yaml({**spec, "kubernetes": "1.29"}), "targets/olm.yaml": dump_yaml(target)})
    for other in ("odh", "rhoai"):
        (root / f"targets/{other}.yaml").unlink()
    kit = routes.kit("namespaces", open_kit(root))
    built = routes.kustomized(routes.written(kit.tree, tmp_path / "overlays") / "olm/hello")
    unit = kit.opened.plan(kit.opened.target("olm")).units[0]
    made = normal.parsed("---\n".join(dump_yaml(each.body) for each in unit.final))
    assert normal.differing(normal.by_key(made), normal.by_key(built)) == []
