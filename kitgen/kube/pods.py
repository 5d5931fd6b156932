"""Views of pods and pod templates of workloads, with their containers and ports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from kitgen.findings import Path
from kitgen.kube.manifest import Manifest
from kitgen.text.values import entries_at, list_at, map_at, text_at, value_at
from kitgen.text.yaml import Json, JsonObject

TEMPLATES: dict[tuple[str, str], Path] = {
    ("", "Pod"): (),
    ("", "PodTemplate"): ("template",),
    ("", "ReplicationController"): ("spec", "template"),
    ("apps", "DaemonSet"): ("spec", "template"),
    ("apps", "Deployment"): ("spec", "template"),
    ("apps", "ReplicaSet"): ("spec", "template"),
    ("apps", "StatefulSet"): ("spec", "template"),
    ("batch", "CronJob"): ("spec", "jobTemplate", "spec", "template"),
    ("batch", "Job"): ("spec", "template"),
}
"""Group and kind → where an object of Kubernetes' own has the pod that it makes."""
CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
PROTOCOLS = frozenset({"TCP", "UDP", "SCTP"})


class Port(NamedTuple):
    """A port of a container, or of a Service."""

    name: str
    number: int
    protocol: str

    @classmethod
    def read(cls, value: JsonObject, number: str) -> Port:
        """Read a port whose number stands in a field; what it lacks is empty, and TCP its protocol."""
        found = value.get(number)
        return cls(text_at(value, "name"), found if isinstance(found, int) else 0, protocol_of(value))


def protocol_of(port: JsonObject) -> str:
    """Return the protocol of a port."""
    return text_at(port, "protocol") or "TCP"


def is_port_name(port: Json) -> bool:
    """Return whether a port is the name of one; digits in a text are no name."""
    return isinstance(port, str) and bool(port) and not port.isdigit()


class ContainerView(Struct, frozen=True):
    """A container, in the object that runs it."""

    path: Path
    """Where it stands in the object."""
    body: JsonObject

    @property
    def kind(self) -> str:
        """Return the list of containers that it is in."""
        return str(self.path[-2])

    @property
    def name(self) -> str:
        """Return its name, or its place among the others."""
        return str(self.body.get("name", self.path[-1]))

    @property
    def is_long_running(self) -> bool:
        """Return whether it runs as long as the pod."""
        return self.kind == "containers" or (
            self.kind == "initContainers" and self.body.get("restartPolicy") == "Always"
        )

    @property
    def ports(self) -> list[Port]:
        """Return the ports that it declares."""
        return [Port.read(each, "containerPort") for _, each in entries_at(self.body, "ports")]

    @property
    def variables(self) -> list[tuple[int, JsonObject]]:
        """Return its environment, with the places of the variables."""
        return entries_at(self.body, "env")

    @property
    def arguments(self) -> list[tuple[Path, str]]:
        """Return the texts of its command and arguments, with their places in it."""
        return [
            ((key, index), word)
            for key in ("command", "args")
            for index, word in enumerate(list_at(self.body, key))
            if isinstance(word, str)
        ]

    def security_context_at(self, *path: str) -> Json:
        """Return a field of its security context."""
        return value_at(self.body, "securityContext", *path)

    def path_to(self, *steps: str | int) -> Path:
        """Return the path of something in it."""
        return (*self.path, *steps)


def containers_of(spec: Json, path: Path = ()) -> list[ContainerView]:
    """Return all containers of a pod's spec, which stands at a path."""
    return [
        ContainerView((*path, kind, index), body)
        for kind in (CONTAINERS if isinstance(spec, dict) else ())
        if kind in spec
        for index, body in entries_at(spec, kind)
    ]


class PodView(Struct, frozen=True, dict=True):
    """A pod or a pod template, in the object that runs it."""

    manifest: Manifest
    """The object that it is, or that makes it."""
    path: Path
    """Where it stands there; its metadata and spec are below."""
    labels: Mapping[str, Json]
    spec: JsonObject

    @property
    def namespace(self) -> str:
        """Return the namespace that it runs in; empty if unknown."""
        return self.manifest.id.namespace

    @property
    def body(self) -> JsonObject:
        """Return the pod with its metadata."""
        return map_at(self.manifest.body, *self.path)

    @property
    def service_account(self) -> str:
        """Return the name of the ServiceAccount that it runs as."""
        return str(self.spec.get("serviceAccountName") or self.spec.get("serviceAccount") or "default")

    @cached_property
    def containers(self) -> list[ContainerView]:
        """Return its containers of all kinds."""
        return containers_of(self.spec, self.path_to())

    @property
    def ports(self) -> list[Port]:
        """Return the ports of the containers that run as long as the pod."""
        return [port for each in self.containers if each.is_long_running for port in each.ports]

    def path_to(self, *steps: str | int) -> Path:
        """Return the path of something in its spec."""
        return (*self.path, "spec", *steps)


def pods_of(manifests: Iterable[Manifest]) -> Iterator[PodView]:
    """Yield the pods that objects run, in order; one without a spec is left out."""
    for each in manifests:
        path = TEMPLATES.get((each.id.group, each.id.kind))
        if path is not None and (pod := pod_at(each, path)) is not None:
            yield pod


def pod_at(manifest: Manifest, path: Path) -> PodView | None:
    """Return the pod at a path of an object; None if there is none with a spec."""
    pod = value_at(manifest.body, *path)
    spec = value_at(pod, "spec")
    return (
        PodView(manifest, path, map_at(pod, "metadata", "labels"), spec) if isinstance(spec, dict) else None
    )
