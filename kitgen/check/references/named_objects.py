"""Check named objects such as queues, Secrets and admission policies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kitgen.check.references.configuration import CONFIGURATION_MISSING, collect_generated_secrets
from kitgen.check.references.service_calls import SERVICE_MISSING
from kitgen.check.references.target_objects import Found, ObjectName, TargetObjects
from kitgen.findings import Problem, Rule, get_rule
from kitgen.kube.identity import is_namespaced
from kitgen.kube.manifest import Manifest
from kitgen.text.wording import describe_value, join_words, quote_text

POLICY_MISSING = get_rule("policy-missing")
QUEUE_MISSING = get_rule("queue-missing")

ADMISSION, KUEUE = "admissionregistration.k8s.io", "kueue.x-k8s.io"
NETWORKING = "networking.k8s.io"
LABELLED = ((f"{KUEUE}/queue-name", "LocalQueue"), (f"{KUEUE}/priority-class", "WorkloadPriorityClass"))
"""Labels of any object → the kind that they name an object of."""
ISSUED = "cert-manager.io/"
"""How annotations of an Ingress start that has its Secret made."""
HERE = " in its namespace"


class ObjectReference(NamedTuple):
    """A field that names an object."""

    rule: Rule
    group: str
    kinds: tuple[str, ...]
    """The kinds that have the field."""
    way: str
    target: tuple[str, str]
    """The group and kind that it names."""
    others: bool = False
    """Whether one is missed that is called like no other."""
    where: str = ""
    """What the message adds."""


REFERENCES = (
    *(
        ObjectReference(
            POLICY_MISSING, ADMISSION, (f"{kind}Binding",), "spec/policyName", (ADMISSION, kind), others=True
        )
        for kind in ("MutatingAdmissionPolicy", "ValidatingAdmissionPolicy")
    ),
    *(
        ObjectReference(QUEUE_MISSING, KUEUE, (kind,), way, (KUEUE, target), others=True)
        for kind, way, target in (
            ("LocalQueue", "spec/clusterQueue", "ClusterQueue"),
            ("ClusterQueue", "spec/resourceGroups[]/flavors[]/name", "ResourceFlavor"),
            ("ClusterQueue", "spec/admissionChecks[]", "AdmissionCheck"),
        )
    ),
    *(
        ObjectReference(CONFIGURATION_MISSING, group, kinds, way, ("", "Secret"), others, HERE)
        for group, kinds, way, others in (
            ("", ("ServiceAccount",), "imagePullSecrets[]/name", False),
            ("", ("ServiceAccount",), "secrets[]/name", False),
            (NETWORKING, ("Ingress",), "spec/tls[]/secretName", False),
            *(
                ("monitoring.coreos.com", (kind,), f"spec/{field}[]/{way}/name", True)
                for kind, field in (("PodMonitor", "podMetricsEndpoints"), ("ServiceMonitor", "endpoints"))
                for way in (
                    *("authorization/credentials", "basicAuth/password", "basicAuth/username"),
                    *("bearerTokenSecret", "oauth2/clientSecret", "tlsConfig/ca/secret"),
                    *("tlsConfig/cert/secret", "tlsConfig/keySecret"),
                )
            ),
        )
    ),
    ObjectReference(
        SERVICE_MISSING,
        "apps",
        ("StatefulSet",),
        "spec/serviceName",
        ("", "Service"),
        others=True,
        where=f"{HERE}, which gives the pods their names in DNS",
    ),
)


def check_named_objects(scene: TargetObjects) -> Iterator[Found]:
    """Yield names of objects that are not there."""
    made = collect_generated_secrets(scene)
    for row in REFERENCES:
        for manifest, path, name in scene.find_fields((row.group, row.kinds, row.way)):
            known = made.get(manifest.id.namespace, ()) if row.target == ("", "Secret") else ()
            is_issued = path[-1] == "secretName" and any(
                key.startswith(ISSUED) for key in manifest.annotations
            )
            if not isinstance(name, str) or not name or name in known or is_issued:
                continue
            if wrong := _check_reference(scene, row, manifest, name):
                yield manifest, wrong.prefix_path(*path)
    if scene.objects_of(KUEUE, "LocalQueue", "WorkloadPriorityClass"):
        yield from _check_queue_labels(scene)


def _check_reference(
    scene: TargetObjects, row: ObjectReference, manifest: Manifest, name: str
) -> Problem | None:
    group, kind = row.target
    space = manifest.id.namespace if is_namespaced(group, kind) and group != KUEUE else ""
    if row.rule is QUEUE_MISSING:
        return _check_queue(scene, kind, space, name)
    hint = scene.hint_for_missing(ObjectName(group, kind, space, name), others=row.others, by=manifest)
    return None if hint is None else row.rule(f"found no {kind} {quote_text(name)}{row.where}", (), hint)


def _check_queue(scene: TargetObjects, kind: str, space: str, name: str) -> Problem | None:
    """Report an undeclared object of Kueue, if others of its kind are declared here."""
    if scene.get(KUEUE, kind, space, name) is not None:
        return None
    there = scene.list_names(KUEUE, kind, space)
    if (hint := scene.hint_for_missing(ObjectName(KUEUE, kind, space, name))) is None and not there:
        return None
    hint = hint or f"there is {join_words(there, last='and', most=3, say=describe_value)}"
    return QUEUE_MISSING(f"found no {kind} {quote_text(name)}", (), hint)


def _check_queue_labels(scene: TargetObjects) -> Iterator[Found]:
    for each in scene.index.manifests:
        for key, kind in LABELLED:
            name, space = each.labels.get(key), each.id.namespace if kind == "LocalQueue" else ""
            if isinstance(name, str) and name and (wrong := _check_queue(scene, kind, space, name)):
                yield each, wrong.prefix_path("metadata", "labels", key)
