"""What OLM creates for a ClusterServiceVersion, checked as the same objects would be without OLM."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from msgspec.structs import replace

from kitgen.check import identity, pods
from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.engine import to_findings
from kitgen.check.images import objects as images
from kitgen.check.images.rules import IMAGE_REFERENCE
from kitgen.check.references import configuration, containers, probes, services
from kitgen.check.references.selectors import SELECTOR_UNMATCHED
from kitgen.check.references.target_objects import TargetObjects
from kitgen.check.schemas import objects as schemas
from kitgen.check.server import objects as server
from kitgen.findings import Finding, Path, Problem
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.terms import INSTALL
from kitgen.text.values import entries_at, list_at, text_at, value_at
from kitgen.text.yaml import Json, JsonObject

LOOKS = (
    containers.check_container_names,
    probes.check_probe_ports,
    configuration.check_configuration,
    containers.check_variables,
)
"""The rules on what pods refer to; what is not in the bundle, the operator may create."""
DEPLOYMENTS: Path = (*INSTALL, "deployments")
SERVED = (("webhookdefinitions",), ("apiservicedefinitions", "owned"))
"""What is served by a deployment, below the spec: OLM gives its pods certificates."""
CERTIFICATES = ("apiservice-cert", "webhook-cert")
"""The volumes that OLM adds for that, so that containers may mount them."""
CONDITION = "OPERATOR_CONDITION_NAME"
"""The variable that OLM adds to every container."""
BEFOREHAND = "correct only if it is created before the operator is installed"
GRANTED = {"clusterPermissions": "Cluster", "permissions": ""}


def check_deployments(bundle: Bundle, minors: tuple[int, ...]) -> list[Finding]:
    """Return what is wrong with the deployments of a bundle, and with Services that nearly lead to them.

    Other Services may be for pods that the operator creates.
    """
    deployments = [each for csv in bundle.csvs for each in _build_deployments(csv)]
    others = [each for each in bundle.objects if each not in bundle.csvs]
    around = [each for csv in bundle.csvs for each in _build_accounts(csv)]
    alone = CheckContext(targets={"": deployments}, minors=minors)
    closed = CheckContext(targets={"": [*others, *deployments]}, minors=minors)
    context = CheckContext(targets={"": [*bundle.objects, *deployments, *around]}, minors=minors)
    between = (
        CheckHit("", manifest, _add_install_hint(problem, scene))
        for looks, scene in (
            (LOOKS, TargetObjects(context, "")),
            ((services.check_services,), TargetObjects(closed, "")),
        )
        for look in looks
        for manifest, problem in look(scene)
        if problem.rule is not SELECTOR_UNMATCHED
    )
    checks = (schemas.check, server.check, identity.check, pods.check)
    # Whether a tag moves, the rules of bundles ask.
    unread = (each for each in images.check(alone) if each.problem.rule is IMAGE_REFERENCE)
    return to_findings(context, chain(*(each(alone) for each in checks), between, unread))


def _add_install_hint(problem: Problem, scene: TargetObjects) -> Problem:
    """Return a problem with a hint for whoever installs a bundle: nothing is created for it but by OLM."""
    is_doubt = problem.hint and problem.hint == scene.hint_for_controller("")
    return replace(problem, hint=BEFOREHAND) if is_doubt else problem


def _build_deployments(csv: Manifest) -> Iterator[Manifest]:
    """Yield the deployments as OLM creates them, with the places where the ClusterServiceVersion has them."""
    spec = value_at(csv.body, "spec")
    served = {text_at(each, "deploymentName") for way in SERVED for _, each in entries_at(spec, *way)}
    for at, each in entries_at(csv.body, *DEPLOYMENTS):
        name = text_at(each, "name")
        said = _add_olm_fields(each.get("spec"), certificates=name in served)
        body: JsonObject = {
            **{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}},
            **({"spec": said} if "spec" in each else {}),
        }
        path = (*DEPLOYMENTS, at)
        named = FieldSource(
            path=("metadata",), cause=csv.find_source(path).cause, origin=csv.find_origin((*path, "name"))
        )
        yield Manifest(body=body, sources=(*_select_sources(csv, path), named))


def _select_sources(csv: Manifest, path: Path) -> Iterator[FieldSource]:
    """Yield the sources of a part, as those of an object by itself."""
    yield replace(csv.find_source(path), path=(), origin=csv.find_origin(path), moves=())
    for each in csv.sources:
        if len(each.path) > len(path) and each.path[: len(path)] == path:
            yield replace(each, path=each.path[len(path) :])


def _add_olm_fields(spec: Json, *, certificates: bool) -> Json:
    """Return the spec of a deployment with what OLM adds to the pod; indexes stay as they are."""
    pod = value_at(spec, "template", "spec")
    if not isinstance(spec, dict) or not isinstance(pod, dict):
        return spec
    volumes = pod.get("volumes") or []
    if certificates and isinstance(volumes, list):
        there = {text_at(each, "name") for each in volumes}
        added = [{"name": each, "emptyDir": {}} for each in CERTIFICATES if each not in there]
        pod = {**pod, "volumes": [*volumes, *added]}
    if isinstance(containers := pod.get("containers"), list):
        pod = {**pod, "containers": [_add_condition_variable(each) for each in containers]}
    return {**spec, "template": {**spec["template"], "spec": pod}}


def _add_condition_variable(container: Json) -> Json:
    is_there = any(text_at(each, "name") == CONDITION for each in list_at(container, "env"))
    if is_there or not isinstance(container, dict) or not isinstance(container.get("env"), list | None):
        return container
    return {**container, "env": [*list_at(container, "env"), {"name": CONDITION, "value": "-"}]}


def _build_accounts(csv: Manifest) -> Iterator[Manifest]:
    """Yield the service accounts that OLM creates, and what they may do."""
    for key, scope in GRANTED.items():
        for at, each in entries_at(csv.body, *INSTALL, key):
            path = (*INSTALL, key, at)
            account, name = text_at(each, "serviceAccountName"), f"{key}-{at}"
            for body in (
                _build_object("v1", "ServiceAccount", account),
                _build_object(f"{RBAC}/v1", f"{scope}Role", name, rules=each.get("rules")),
                _build_object(
                    *(f"{RBAC}/v1", f"{scope}RoleBinding", name),
                    roleRef={"apiGroup": RBAC, "kind": f"{scope}Role", "name": name},
                    subjects=[{"kind": "ServiceAccount", "name": account}],
                ),
            ):
                yield Manifest(body=body, sources=tuple(_select_sources(csv, path)))


def _build_object(api_version: str, kind: str, name: str, **more: Json) -> JsonObject:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **more}
