"""Specs of pods: what their parts say of each other, and what they may not say where they stand."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import formats, probes, resources, scheduling, security_contexts, values, warnings
from kitgen.check.server.rules import SERVER_DUPLICATE, SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Path, Problem, near
from kitgen.kube.names import NameForm, is_qualified
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import cut, shown
from kitgen.text.yaml import JsonObject

RESTARTS = ("Always", "OnFailure", "Never")
DNS_POLICIES = ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
NAMESERVERS, SEARCHES, SEARCHED = 3, 32, 2048
OF_RUNNING = ("lifecycle", *probes.PROBES)


def _spec(pod: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(pod, "containers")
    yield from values.one_of(pod, "restartPolicy", RESTARTS)
    yield from values.one_of(pod, "preemptionPolicy", ("PreemptLowerPriority", "Never"), empty=False)
    yield from values.between(pod, 1, values.MOST, "activeDeadlineSeconds")
    yield from values.named(pod, NameForm.LABEL, "hostname", "subdomain")
    names = ("serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName")
    yield from values.named(pod, NameForm.SUBDOMAIN, *names)
    if not pod.get("serviceAccountName"):  # the older name of the field counts
        yield from values.named(pod, NameForm.SUBDOMAIN, "serviceAccount")
    if pod.get("runtimeClassName") == "":
        yield SERVER_INVALID(f"found an empty string, expected {NameForm.SUBDOMAIN}", ("runtimeClassName",))
    yield from values.unique(pod, "volumes")
    yield from values.unique(pod, "resourceClaims")
    yield from values.unique(pod, "schedulingGates")
    yield from _node_labels(pod)
    yield from _dns(pod)
    yield from _containers(pod)
    yield from _mounted(pod)
    yield from _host_ports(pod)
    yield from scheduling.spread_twice(pod)
    yield from warnings.of_pod(pod)
    yield from security_contexts.of_namespaces(pod)
    yield from security_contexts.of_system(pod)
    overhead = values.mapping(pod.get("overhead"))
    yield from values.below_path(resources.amounts_of_containers(overhead), "overhead")


def _node_labels(pod: JsonObject) -> Iterator[Problem]:
    for key, value in values.mapping(pod.get("nodeSelector")).items():
        if not is_qualified(key):
            yield SERVER_INVALID(f"found {cut(key)}, expected {values.QUALIFIED}", ("nodeSelector", key))
        if isinstance(value, str) and not values.is_label_value(value):
            message = f"found {cut(value)}, expected {values.LABEL_VALUE}"
            yield SERVER_INVALID(message, ("nodeSelector", key))


def _dns(pod: JsonObject) -> Iterator[Problem]:
    yield from values.one_of(pod, "dnsPolicy", DNS_POLICIES)
    config = values.mapping(pod.get("dnsConfig"))
    if pod.get("dnsPolicy") == "None" and not values.is_given(config.get("nameservers")):
        message = "found None, expected nameservers in dnsConfig beside it"
        yield SERVER_REQUIRED(message, ("dnsPolicy",))


def _dns_config(value: JsonObject) -> Iterator[Problem]:
    yield from values.at_most(value, NAMESERVERS, "nameservers")
    yield from values.at_most(value, SEARCHES, "searches")
    yield from values.each_fitting(value, "nameservers", _is_ip, "an IP address")
    yield from values.each_fitting(value, "searches", _is_search, str(NameForm.SUBDOMAIN))
    size = len(" ".join(search for _, search in values.texts(value.get("searches"))))
    if size > SEARCHED:
        message = f"found {size:,} characters, expected at most {SEARCHED:,} of all together"
        yield SERVER_INVALID(message, ("searches",))
    for index, item in entries_at(value, "options"):
        yield from values.below_path(values.required(item, "name"), "options", index)


def _is_search(found: str) -> bool:
    return found == "." or NameForm.SUBDOMAIN.fits(found.removesuffix(".").replace("_", "0"))


def _is_ip(found: str) -> bool:
    return formats.family(found) != 0


def _alias(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "ip")
    yield from values.fitting(value, "ip", _is_ip, "an IP address")
    yield from values.each_fitting(value, "hostnames", NameForm.SUBDOMAIN.fits, str(NameForm.SUBDOMAIN))


def _containers(pod: JsonObject) -> Iterator[Problem]:
    """Yield names that two containers have, and what some containers may not have."""
    seen: set[str] = set()
    grace = values.number(pod.get("terminationGracePeriodSeconds"))
    claims = {values.text(item.get("name")) for _, item in entries_at(pod, "resourceClaims")}
    for key in ("containers", "initContainers"):
        for index, item in entries_at(pod, key):
            name = values.text(item.get("name"))
            if name and name in seen:
                message = f"found {cut(name)} again, expected a name that no other container has"
                yield SERVER_DUPLICATE(message, (key, index, "name"))
            seen.add(name)
            if key == "initContainers" and item.get("restartPolicy") != "Always":
                for field in OF_RUNNING:
                    if item.get(field) is not None:
                        why = "in a container that ends before others start"
                        message = f"found the field {cut(field)}, expected none {why}"
                        hint = "restartPolicy: Always makes it run beside the others"
                        yield SERVER_FORBIDDEN(message, (key, index, field), hint)
            else:
                yield from values.below_path(probes.of_container(item, grace), key, index)
            for place, claim in entries_at(item, "resources", "claims"):
                if (asked := values.text(claim.get("name"))) and asked not in claims:
                    message = f"found {cut(asked)}, expected the name of one of the pod's resourceClaims"
                    yield SERVER_INVALID(message, (key, index, "resources", "claims", place, "name"))


def _mounted(pod: JsonObject) -> Iterator[Problem]:
    """Yield mounts and devices of volumes that the pod does not have."""
    volumes = {values.text(item.get("name")): item for _, item in entries_at(pod, "volumes")}
    for key in ("containers", "initContainers"):
        for index, item in entries_at(pod, key):
            for field in ("volumeMounts", "volumeDevices"):
                for place, mount in entries_at(item, field):
                    name, path = values.text(mount.get("name")), (key, index, field, place, "name")
                    if name and name not in volumes:
                        message = f"found {cut(name)}, expected the name of one of the pod's volumes"
                        yield SERVER_INVALID(message, path, near(name, list(volumes)))
                    elif name and field == "volumeDevices":
                        yield from _block(volumes[name], path)


def _block(volume: JsonObject, path: Path) -> Iterator[Problem]:
    if volume.get("persistentVolumeClaim") is None and volume.get("ephemeral") is None:
        yield SERVER_INVALID("found a volume of another kind, expected a claim for a device", path)


def _host_ports(pod: JsonObject) -> Iterator[Problem]:
    """Yield ports of the node that are not the container's own where they must be, or that two want."""
    if pod.get("hostNetwork") is True:
        for index, item in entries_at(pod, "containers"):
            for place, port in entries_at(item, "ports"):
                host = values.number(port.get("hostPort"))
                if host and host != port.get("containerPort"):
                    message = f"found {host}, expected the containerPort: the pod has its node's network"
                    yield SERVER_INVALID(message, ("containers", index, "ports", place, "hostPort"))
    yield from _ports_taken(pod, of_network=False)


def _ports_taken(pod: JsonObject, *, of_network: bool) -> Iterator[Problem]:
    """Yield ports of the node that two containers want: those they ask for, or all of its network."""
    seen: set[tuple[str, str, int]] = set()
    for index, item in entries_at(pod, "containers"):
        for place, port in entries_at(item, "ports"):
            field = "hostPort" if port.get("hostPort") or not of_network else "containerPort"
            host = values.number(port.get(field))
            if not host:
                continue
            what = (values.text(port.get("protocol")) or "TCP", values.text(port.get("hostIP")), host)
            if what in seen:
                path = ("containers", index, "ports", place, field)
                yield SERVER_DUPLICATE(f"found {host} again, expected a port of its own", path)
            seen.add(what)


def _gate(value: JsonObject) -> Iterator[Problem]:
    field = "conditionType" if "conditionType" in value else "name"
    yield from values.not_empty(value, field)
    yield from values.qualified(value, field)


def _claim(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "name")
    yield from values.named(value, NameForm.LABEL, "name")
    yield from values.named(value, NameForm.SUBDOMAIN, "resourceClaimName", "resourceClaimTemplateName")
    if value.get("resourceClaimName") is None and value.get("resourceClaimTemplateName") is None:
        yield SERVER_REQUIRED("found no claim, expected resourceClaimName or resourceClaimTemplateName")


def _os(value: JsonObject) -> Iterator[Problem]:
    yield from values.one_of(value, "name", ("linux", "windows"), empty=False)


def only_in_pods(pod: JsonObject) -> Iterator[Problem]:
    """Yield what the spec of a pod itself may not have, though that of a template may."""
    if pod.get("nodeName") and values.is_given(pod.get("schedulingGates")):
        yield SERVER_FORBIDDEN("found a node, expected none while schedulingGates stand", ("nodeName",))
    if values.is_given(pod.get("overhead")) and not pod.get("runtimeClassName"):
        message = "found an overhead, expected none without a runtime class, which says it"
        yield SERVER_FORBIDDEN(message, ("overhead",))
    if pod.get("priority") and not pod.get("priorityClassName"):
        message = f"found {shown(pod['priority'])}, expected no number but that of a priority class"
        yield SERVER_FORBIDDEN(message, ("priority",), "name the class in priorityClassName")
    if pod.get("hostNetwork") is True:
        # Of ports of the node the check of the spec tells.
        yield from (each for each in _ports_taken(pod, of_network=True) if each.path[-1] != "hostPort")
    for key in ("containers", "initContainers"):
        for index, item in entries_at(pod, key):
            image = values.text(item.get("image"))
            if image != image.strip():
                message = f"found {cut(image)}, expected no blanks around it"
                yield SERVER_INVALID(message, (key, index, "image"))


def without_ephemeral(pod: JsonObject) -> Iterator[Problem]:
    """Yield containers that only a running pod can get."""
    if values.is_given(value_at(pod, "ephemeralContainers")):
        message = "found ephemeral containers, expected none: only a running pod gets them"
        yield SERVER_FORBIDDEN(message, ("ephemeralContainers",))


VALIDATORS: Validators = {
    "core/v1.HostAlias": _alias,
    "core/v1.PodDNSConfig": _dns_config,
    "core/v1.PodOS": _os,
    "core/v1.PodReadinessGate": _gate,
    "core/v1.PodResourceClaim": _claim,
    "core/v1.PodSchedulingGate": _gate,
    "core/v1.PodSpec": _spec,
}
