"""Plurals and singulars, as Kubernetes' own tools make them of kinds."""

from __future__ import annotations

from some import rows

from kitgen.crd.types import plural_of, singular_of
from kitgen.kube import definitions


@rows(
    ("kind", "plural"),
    [
        ("RayJob", "rayjobs"),
        ("Topology", "topologies"),
        ("NetworkPolicy", "networkpolicies"),
        ("Gateway", "gateways"),
        ("Ingress", "ingresses"),
        ("Status", "statuses"),
        ("Proxy", "proxies"),
        ("Mesh", "meshes"),
        ("Batch", "batches"),
        ("Box", "boxes"),
        ("Lease", "leases"),
        ("Database", "databases"),
        ("Cache", "caches"),
        ("IngressClass", "ingressclasses"),
        ("Endpoints", "endpoints"),
        ("ResourceClaimParameters", "resourceclaimparameters"),
        ("SecurityContextConstraints", "securitycontextconstraints"),
    ],
)
def test_a_plural_leads_back_to_its_kind(kind: str, plural: str) -> None:
    assert (plural_of(kind), singular_of(plural)) == (plural, kind.lower())


@rows(("plural", "want"), [("indices", "index"), ("indexes", "index"), ("dns", "dn")])
def test_singulars_of_other_plurals(plural: str, want: str) -> None:
    assert singular_of(plural) == want


def test_kinds_of_kubernetes_come_back() -> None:
    kinds = {kind.kind for minor in definitions.list_minors() for kind in definitions.list_kinds(minor)}
    lost = {kind for kind in kinds if singular_of(plural_of(kind)) != kind.lower()}
    # Kinds that are plurals by themselves; none is a resource with roles of its own.
    assert {kind for kind in lost if not kind.endswith("s")} == set()
