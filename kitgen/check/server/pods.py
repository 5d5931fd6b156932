"""Specs of pods: consistency of their fields, and what is forbidden by where they are used."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server.constraints import (
    LABEL,
    LABEL_KEY,
    LABEL_VALUE,
    MOST,
    NAME,
    QUALIFIED,
    any_of,
    between,
    each_fits,
    is_given,
    is_label_value,
    not_empty,
    one_of,
    refused,
    required,
    text_fits,
    valid_name,
)
from kitgen.check.server.containers import PROBES, check_probes
from kitgen.check.server.list_constraints import find_duplicates, max_length, unique_by, warn_duplicates
from kitgen.check.server.networking import get_ip_version
from kitgen.check.server.resources import check_resource_list
from kitgen.check.server.rule_tables import Rules, each_item, nested, prefix_paths
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED, SERVER_WARNING
from kitgen.check.server.scheduling import REQUIRED, check_topology_spreads
from kitgen.check.server.security_contexts import check_host_namespaces, check_operating_system
from kitgen.findings import Path, Problem, make_problem, suggest_word
from kitgen.kube.names import NameForm, is_qualified_name
from kitgen.text.values import entries_at, map_at, number_at, text_at, texts_at, value_at
from kitgen.text.wording import quote_text
from kitgen.text.yaml import JsonObject

SEARCHED = 2048
OF_RUNNING = ("lifecycle", *PROBES)
GRACE = 30
"""The seconds that a pod has to end unless it says otherwise."""
PREFERRED = REQUIRED.replace("required", "preferred")


def list_containers(pod: JsonObject) -> Iterator[tuple[Path, JsonObject]]:
    """Yield the containers of a pod with their paths; those for debugging are left out."""
    for key in ("containers", "initContainers"):
        for index, item in entries_at(pod, key):
            yield (key, index), item


def _check_old_account(pod: JsonObject, field: str) -> Iterator[Problem]:
    """Report a wrong name in the older of two fields, which counts where the newer one is empty."""
    if not pod.get("serviceAccountName"):
        yield from NAME(pod, field)


def _check_node_labels(pod: JsonObject, field: str) -> Iterator[Problem]:
    for key, value in map_at(pod, field).items():
        if not is_qualified_name(key):
            yield SERVER_INVALID(f"found {quote_text(key)}, expected {QUALIFIED}", (field, key))
        if isinstance(value, str) and not is_label_value(value):
            yield SERVER_INVALID(f"found {quote_text(value)}, expected {LABEL_VALUE}", (field, key))


def _check_searches(config: JsonObject) -> Iterator[Problem]:
    if (size := len(" ".join(texts_at(config, "searches")))) > SEARCHED:
        yield SERVER_INVALID(
            f"found {size:,} characters, expected at most {SEARCHED:,} of all together", ("searches",)
        )


def _check_containers(pod: JsonObject) -> Iterator[Problem]:
    """Report names that two containers have, and what some containers may not have."""
    names = (((*path, "name"), text_at(item, "name")) for path, item in list_containers(pod))
    for where, name, _ in find_duplicates(names):
        yield make_problem(
            "server-duplicate",
            f"found {quote_text(name)} again, expected a name that no other container has",
            where,
        )
    grace = number_at(pod, "terminationGracePeriodSeconds")
    claims = {text_at(item, "name") for _, item in entries_at(pod, "resourceClaims")}
    for path, item in list_containers(pod):
        if path[0] == "initContainers" and item.get("restartPolicy") != "Always":
            for field in OF_RUNNING:
                if item.get(field) is not None:
                    why = "in a container that ends before others start"
                    yield make_problem(
                        "server-forbidden",
                        f"found the field {quote_text(field)}, expected none {why}",
                        (*path, field),
                        "restartPolicy: Always makes it run beside the others",
                    )
        else:
            yield from prefix_paths(check_probes(item, GRACE if grace is None else grace), *path)
        for place, claim in entries_at(item, "resources", "claims"):
            if (asked := text_at(claim, "name")) and asked not in claims:
                yield SERVER_INVALID(
                    f"found {quote_text(asked)}, expected the name of one of the pod's resourceClaims",
                    (*path, "resources", "claims", place, "name"),
                )


def _check_mounted_volumes(pod: JsonObject) -> Iterator[Problem]:
    """Report mounts and devices of volumes that the pod does not have."""
    volumes = {text_at(item, "name"): item for _, item in entries_at(pod, "volumes")}
    for above, item in list_containers(pod):
        for field in ("volumeMounts", "volumeDevices"):
            for place, mount in entries_at(item, field):
                name, path = text_at(mount, "name"), (*above, field, place, "name")
                volume = volumes.get(name, {})
                if name and name not in volumes:
                    yield SERVER_INVALID(
                        f"found {quote_text(name)}, expected the name of one of the pod's volumes",
                        path,
                        suggest_word(name, list(volumes)),
                    )
                elif (
                    name
                    and field == "volumeDevices"
                    and volume.get("persistentVolumeClaim") is None
                    and volume.get("ephemeral") is None
                ):
                    yield SERVER_INVALID(
                        "found a volume of another kind, expected a claim for a device", path
                    )


def _check_host_ports(pod: JsonObject) -> Iterator[Problem]:
    """Report ports of the node that are not the container's own where they must be, or that two want."""
    for index, item in entries_at(pod, "containers") if pod.get("hostNetwork") is True else ():
        for place, port in entries_at(item, "ports"):
            host = number_at(port, "hostPort")
            if host and host != port.get("containerPort"):
                yield SERVER_INVALID(
                    f"found {host}, expected the containerPort: the pod has its node's network",
                    ("containers", index, "ports", place, "hostPort"),
                )
    yield from check_duplicate_ports(pod, of_network=False)


def check_duplicate_ports(pod: JsonObject, *, of_network: bool) -> Iterator[Problem]:
    """Yield ports of the node that two containers use: host ports, or all on the host network."""
    seen: set[tuple[str, str, int]] = set()
    for index, item in entries_at(pod, "containers"):
        for place, port in entries_at(item, "ports"):
            field = "hostPort" if port.get("hostPort") or not of_network else "containerPort"
            host = number_at(port, field)
            if not host:
                continue
            what = (text_at(port, "protocol") or "TCP", text_at(port, "hostIP"), host)
            if what in seen:
                path = ("containers", index, "ports", place, field)
                yield make_problem(
                    "server-duplicate", f"found {host} again, expected a port of its own", path
                )
            seen.add(what)


def _check_grace(pod: JsonObject, field: str) -> Iterator[Problem]:
    if (grace := number_at(pod, field)) is not None and grace < 0:
        yield SERVER_WARNING(f"found {grace}, which is taken for 1, expected 0 or more", (field,))


def _check_pull_secrets(pod: JsonObject, field: str) -> Iterator[Problem]:
    for index, item in entries_at(pod, field):
        if not item.get("name"):
            path = (field, index, *(("name",) if "name" in item else ()))
            yield SERVER_WARNING("found no name, expected that of a Secret", path)


def _check_ports(pod: JsonObject) -> Iterator[Problem]:
    """Report ports and their names that two containers have: all of a pod share its address."""
    names: dict[str, Path] = {}
    taken: dict[tuple[int | str | None, ...], Path] = {}
    for owner, item in list_containers(pod):
        if owner[0] == "initContainers" and item.get("restartPolicy") != "Always":
            continue
        for place, port in entries_at(item, "ports"):
            path = (*owner, "ports", place)
            name, number = text_at(port, "name"), number_at(port, "containerPort")
            where = [str(port.get(key) or "") for key in ("protocol", "hostPort", "hostIP")]
            what = (number, where[0] or "TCP", *where[1:])
            if number and not port.get("hostPort") and taken.setdefault(what, owner) != owner:
                yield make_problem(
                    "named-twice",
                    f"found {number} again, which another container of the pod has",
                    (*path, "containerPort"),
                )
            if name and names.setdefault(name, owner) != owner:
                yield make_problem(
                    "named-twice",
                    f"found {quote_text(name)} again, which a port of another container is called",
                    (*path, "name"),
                )
            if port.get("hostIP") and not port.get("hostPort"):
                yield SERVER_WARNING("found an address without hostPort, expected both", (*path, "hostIP"))


def _check_label_selectors(pod: JsonObject) -> Iterator[Problem]:
    """Report rules of where pods go that are about no pods, as they have no selector."""
    places: list[Path] = [("topologySpreadConstraints",)]
    kinds = ("podAffinity", "podAntiAffinity")
    places += [("affinity", kind, how) for kind in kinds for how in (REQUIRED, PREFERRED)]
    for path in places:
        for index, each in entries_at(pod, *path):
            steps: Path = ("podAffinityTerm",) if path[-1] == PREFERRED else ()
            term = value_at(each, *steps)
            if isinstance(term, dict) and term.get("labelSelector") is None:
                message = "found no labelSelector, which matches no pod, expected one"
                where = ("labelSelector",) if "labelSelector" in term else ()
                yield SERVER_WARNING(message, (*path, index, *steps, *where))


GATE = (not_empty, LABEL_KEY)
IP_ADDRESS = "an IP address"
RULES: Rules = {
    "core/v1.HostAlias": {
        "ip": (not_empty, text_fits(get_ip_version, IP_ADDRESS)),
        "hostnames": each_fits(NameForm.SUBDOMAIN.matches, str(NameForm.SUBDOMAIN)),
    },
    "core/v1.PodDNSConfig": (
        {
            "nameservers": (max_length(3), each_fits(get_ip_version, IP_ADDRESS)),
            "searches": (
                max_length(32),
                each_fits(
                    lambda found: (
                        found == "." or NameForm.SUBDOMAIN.matches(found.removesuffix(".").replace("_", "0"))
                    ),
                    str(NameForm.SUBDOMAIN),
                ),
            ),
            "options": each_item({"name": required}),
        },
        _check_searches,
    ),
    "core/v1.PodOS": {"name": one_of("linux", "windows")},
    "core/v1.PodReadinessGate": {"conditionType": GATE},
    "core/v1.PodResourceClaim": (
        {"name": (not_empty, LABEL), "resourceClaimName": NAME, "resourceClaimTemplateName": NAME},
        any_of("claim", "resourceClaimName", "resourceClaimTemplateName"),
    ),
    "core/v1.PodSchedulingGate": {"name": GATE},
    "core/v1.PodSpec": (
        {
            "containers": not_empty,
            "restartPolicy": one_of("Always", "OnFailure", "Never", empty=True),
            "preemptionPolicy": one_of("PreemptLowerPriority", "Never"),
            "activeDeadlineSeconds": between(1, MOST),
            "hostname": LABEL,
            "subdomain": LABEL,
            "serviceAccountName": NAME,
            "serviceAccount": _check_old_account,
            "nodeName": NAME,
            "priorityClassName": NAME,
            "runtimeClassName": valid_name(NameForm.SUBDOMAIN, empty=True),
            "volumes": unique_by(),
            "resourceClaims": unique_by(),
            "schedulingGates": unique_by(),
            "nodeSelector": _check_node_labels,
            "dnsPolicy": one_of("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None", empty=True),
            "topologySpreadConstraints": check_topology_spreads,
            "terminationGracePeriodSeconds": _check_grace,
            "hostAliases": warn_duplicates("ip"),
            "imagePullSecrets": (warn_duplicates("name"), _check_pull_secrets),
            "tolerations": warn_duplicates("key", "operator", "value", "effect", "tolerationSeconds"),
            "overhead": nested(check_resource_list),
        },
        refused(
            SERVER_REQUIRED,
            "found None, expected nameservers in dnsConfig beside it",
            "dnsPolicy",
            when=lambda pod: (
                pod.get("dnsPolicy") == "None" and not is_given(value_at(pod, "dnsConfig", "nameservers"))
            ),
        ),
        _check_containers,
        _check_mounted_volumes,
        _check_host_ports,
        _check_ports,
        _check_label_selectors,
        refused(
            SERVER_FORBIDDEN,
            "found shareProcessNamespace beside hostPID, expected one of them",
            "shareProcessNamespace",
            when=lambda pod: pod.get("hostPID") is True and pod.get("shareProcessNamespace") is True,
        ),
        check_host_namespaces,
        check_operating_system,
    ),
}
