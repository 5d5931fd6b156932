"""API groups beyond Kubernetes and the CRDs here, verbs of few resources, and subresources."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeAlias

from kitgen.findings.hints import is_typo
from kitgen.kube.rbac.rules import ALL
from kitgen.kube.resources import EVERYWHERE, SUBRESOURCES
from kitgen.text.patterns import compile_late
from kitgen.text.wording import join_words

FOREIGN = frozenset(
    (
        # CRDs of Kubernetes' own projects, whose groups need an approval.
        *("about.k8s.io", "addons.k8s.io", "app.k8s.io", "autoscaling.k8s.io", "cbt.storage.k8s.io"),
        *("cluster.k8s.io", "clusterregistry.k8s.io", "csi.storage.k8s.io", "external-storage.k8s.io"),
        *("externaldns.k8s.io", "gateway.networking.k8s.io", "incubator.k8s.io", "keda.k8s.io"),
        *("multicluster.k8s.io", "nfd.kubernetes.io", "samplecontroller.k8s.io", "servicecatalog.k8s.io"),
        *("groupsnapshot.storage.k8s.io", "inference.networking.k8s.io", "k8s-sigs.io", "kops.k8s.io"),
        *("metrics.k8s.io", "migration.k8s.io", "objectstorage.k8s.io", "policy.networking.k8s.io"),
        *("populator.storage.k8s.io", "sigs.k8s.io", "snapshot.storage.k8s.io", "sparkoperator.k8s.io"),
        *("topology.node.k8s.io", "wgpolicyk8s.io", "x-k8s.io"),
        # OpenShift, and what runs on it with the stack.
        *("openshift.io", "openshift.com", "coreos.com", "opendatahub.io", "redhat.com", "rhobs"),
        *("kubeflow.org", "ray.io", "codeflare.dev", "kserve.io", "trustyai.org", "feast.dev", "mlflow.org"),
        *("llamastack.io", "llm-d.ai", "seldon.io", "kuadrant.io", "maistra.io", "noobaa.io", "nmstate.io"),
        *("open-cluster-management.io", "operatorframework.io", "servicebinding.io", "metal3.io"),
        *("kubevirt.io", "ovn.org", "keycloak.org", "integreatly.org", "strimzi.io"),
        # Delivery, policies, certificates and secrets.
        *("argoproj.io", "cert-manager.io", "crossplane.io", "external-secrets.io", "fluxcd.io", "kcp.io"),
        *("gatekeeper.sh", "hashicorp.com", "kyverno.io", "oam.dev", "bitnami.com", "tekton.dev"),
        *("velero.io", "karmada.io", "flagger.app"),
        # Networks.
        *("cilium.io", "cncf.io", "istio.io", "knative.dev", "konghq.com", "linkerd.io", "projectcalico.org"),
        *("projectcontour.io", "tigera.io", "traefik.io", "traefik.containo.us", "dapr.io"),
        # Scheduling, scaling and devices.
        *("amd.com", "habana.ai", "intel.com", "karpenter.sh", "karpenter.k8s.aws", "keda.sh", "kruise.io"),
        *("nvidia.com", "run.ai", "volcano.sh"),
        # Monitoring.
        *("elastic.co", "grafana.com", "grafana.org", "jaegertracing.io", "opentelemetry.io", "perses.dev"),
        # Storage and databases.
        *("apache.org", "cnpg.io", "crunchydata.com", "longhorn.io", "min.io", "minio.io", "mongodb.com"),
        *("percona.com", "rabbitmq.com", "rook.io", "zalan.do"),
        # Clouds and vendors.
        *("amazonaws.com", "azure.com", "cattle.io", "gke.io", "google.com", "ibm.com", "k8s.aws"),
        "vmware.com",
    )
)
"""Groups of others that clusters have, with all below them; nothing is known of their resources."""
PROTECTED = ("k8s.io", "kubernetes.io")
"""Domains of Kubernetes, below which nobody declares a group without an approval."""
DOMAIN = compile_late(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+")
PLURAL = compile_late(r"\*|[-a-z0-9_]+")
LONG = 8
"""Of how many letters a domain is, at least, which another one hardly resembles by chance."""
SHARED = frozenset(
    (
        *("argoproj.io", "coreos.com", "gateway.networking.k8s.io", "inference.networking.k8s.io"),
        *("inference.networking.x-k8s.io", "istio.io", "knative.dev", "kserve.io", "kubeflow.org"),
        *("nvidia.com", "open-cluster-management.io", "opendatahub.io", "openshift.io", "tekton.dev"),
    )
)
"""Groups whose kinds come from several projects, so that what is checked may declare some of them only."""
OLD: Mapping[str, str] = {"extensions": "1.22"}
"""Groups that Kubernetes had, and the minor that removed the last of their resources."""
GONE: Mapping[tuple[str, str], str] = {("policy", "podsecuritypolicies"): "1.25"}
"""Resources that Kubernetes had in groups that it still has, and the minor that removed them."""
REVIEWS = {
    "authentication.k8s.io": ("tokenreviews", "selfsubjectreviews"),
    "authorization.k8s.io": (
        *("subjectaccessreviews", "selfsubjectaccessreviews"),
        *("selfsubjectrulesreviews", "localsubjectaccessreviews"),
    ),
}
"""What is only ever created: a question, which comes back with the answer."""
ROLES = {"rbac.authorization.k8s.io": ("clusterroles", "roles")}
SIGNERS = {"certificates.k8s.io": ("signers",)}
OWN_VERBS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "approve": SIGNERS,
    "attest": SIGNERS,
    "bind": ROLES,
    "escalate": ROLES,
    "impersonate": {
        "": ("groups", "serviceaccounts", "users"),
        "authentication.k8s.io": ("uids", "userextras"),
    },
    "sign": SIGNERS,
    "use": {"policy": ("podsecuritypolicies",), "extensions": ("podsecuritypolicies",)},
}
"""Verbs that Kubernetes asks for on few resources only, by group."""
ASKED_BY_OTHERS = frozenset(("approve", "attest", "sign", "use"))
"""Those of them that other APIs ask for, too."""


def is_within_groups(group: str, known: Collection[str]) -> bool:
    """Return whether a group is one of some, or below one."""
    parts = group.split(".")
    return any(".".join(parts[at:]) in known for at in range(len(parts)))


def hint_for_group(group: str) -> str | None:
    """Return the hint for a group that no project can be expected to have; most may be anybody's."""
    if not DOMAIN.fullmatch(group):
        return "a group is a domain in lower case, without a version"
    if is_within_groups(group, FOREIGN):
        return None
    if is_within_groups(group, PROTECTED):
        return "right only if something else on the cluster has it"
    parts = group.split(".")
    for tail in (".".join(parts[at:]) for at in range(len(parts) - 1)):
        for known in sorted(FOREIGN):
            # The last part tells domains of different owners apart.
            if len(known) >= LONG and known.endswith(f".{parts[-1]}") and is_typo(tail, known):
                return f"did you mean {group.removesuffix(tail) + known!r}?"
    return None


def hint_for_resource(group: str, resource: str) -> str | None:
    """Return the hint for a resource that no CRD can have; those of metrics have the metrics' names."""
    if PLURAL.fullmatch(resource.partition("/")[0]) or is_within_groups(group, ("metrics.k8s.io",)):
        return None
    return "a resource is a plural in lower case, without its group"


OF_CRDS = ("scale", "status")
Below: TypeAlias = dict[tuple[str, str], frozenset[str]]
"""Group and resource → what is below it."""


def find_subresources(group: str, resource: str, declared: Below) -> Collection[str] | None:
    """Return the subresources of a resource; None if unknown."""
    if (group, resource) in declared:
        return declared[group, resource]
    return SUBRESOURCES[group].get(resource, ()) if group in SUBRESOURCES else None


def hint_for_subresource(resource: str, known: Collection[str]) -> str | None:
    """Return what is meant instead of an unknown subresource; None if it is known."""
    name, _, inner = resource.partition("/")
    if inner in (*known, EVERYWHERE):
        return None
    there = {each: f"{name}/{each}" for each in sorted(known)}
    has = f"there is {join_words([*there.values()], last='and')}" if there else "there is nothing below it"
    if inner == ALL:
        return f"a wildcard is no part of a name; {has}"
    word = inner.strip().casefold()
    meant = next((each for each in there if is_typo(word, each) or word.startswith(each)), None)
    return f"did you mean {there[meant]!r}?" if meant else has
