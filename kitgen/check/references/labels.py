"""Selectors and the labels that they match.

The ports that pods declare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kitgen.findings import Path
from kitgen.kube.pods import PodView
from kitgen.text.values import entries_at, value_at
from kitgen.text.yaml import Json, JsonObject

SET_LATER = frozenset(
    {
        *("apps.kubernetes.io/pod-index", "batch.kubernetes.io/controller-uid"),
        *(
            "batch.kubernetes.io/job-completion-index",
            "batch.kubernetes.io/job-name",
            "controller-revision-hash",
        ),
        *("controller-uid", "job-name", "pod-template-generation", "pod-template-hash"),
        *("rollouts-pod-template-hash", "statefulset.kubernetes.io/pod-name"),
    }
)
"""Labels that controllers give the pods that they make; no template has them."""
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


class Term(NamedTuple):
    """One thing that a selector asks of a label."""

    key: str
    operator: str
    values: tuple[str, ...]

    @property
    def is_pair(self) -> bool:
        """Tell whether it asks for one value."""
        return self.operator == "In" and len(self.values) == 1

    def holds(self, labels: Mapping[str, Json]) -> bool:
        """Tell whether labels have what is asked for."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return isinstance(value, str) and value in self.values
            case "NotIn":
                return value not in self.values
            case "Exists":
                return self.key in labels
            case _:
                return self.key not in labels


Selector = tuple[Term, ...]
"""All of its terms must hold; without any it matches everything."""


def pairs(value: Json) -> Selector | None:
    """Read a selector that is a map of labels; None if it is none that a cluster takes."""
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        return None
    return tuple(Term(key, "In", (each,)) for key, each in value.items() if key not in SET_LATER)


def selector(value: Json) -> Selector | None:
    """Read a label selector, with expressions; None if it is none that a cluster takes."""
    if not isinstance(value, dict):
        return None
    labels = value.get("matchLabels")
    terms = pairs({} if labels is None else labels)
    expressions = value.get("matchExpressions")
    expressions = [] if expressions is None else expressions
    if terms is None or not isinstance(expressions, list):
        return None
    more = [_term(each) for each in expressions]
    known = (each for each in more if each and each.key not in SET_LATER)
    return None if None in more else (*terms, *known)


def _term(value: Json) -> Term | None:
    key, operator = value_at(value, "key"), value_at(value, "operator")
    values = value_at(value, "values")
    values = [] if values is None else values
    if not (isinstance(key, str) and operator in OPERATORS and isinstance(values, list)):
        return None
    return Term(key, operator, tuple(each for each in values if isinstance(each, str)))


def matches(terms: Selector, labels: Mapping[str, Json]) -> bool:
    """Tell whether labels have everything that a selector asks for."""
    return all(term.holds(labels) for term in terms)


PROTOCOLS = frozenset({"TCP", "UDP", "SCTP"})


class Port(NamedTuple):
    """A port of a container, or of a Service."""

    name: str
    number: int
    protocol: str


def declared(container: JsonObject) -> list[Port]:
    """Return the ports of a container."""
    return [_port(each, "containerPort") for _, each in entries_at(container, "ports")]


def offered(service: JsonObject) -> list[Port]:
    """Return the ports of a Service."""
    return [_port(each, "port") for _, each in entries_at(service, "spec", "ports")]


def aimed_at(service: JsonObject) -> set[int] | None:
    """Return the numbers of the ports of pods that a Service leads to; None if one has a name."""
    found: set[int] = set()
    for _, each in entries_at(service, "spec", "ports"):
        target = each.get("targetPort")
        number = each.get("port") if target is None else target
        if not isinstance(number, int):
            return None
        found.add(number)
    return found


def _port(value: JsonObject, key: str) -> Port:
    name, number = value.get("name"), value.get(key)
    return Port(
        name if isinstance(name, str) else "",
        number if isinstance(number, int) else 0,
        protocol(value),
    )


def protocol(value: JsonObject) -> str:
    """Return the protocol of a port."""
    found = value.get("protocol")
    return found if isinstance(found, str) and found else "TCP"


def is_protocol(value: JsonObject) -> bool:
    """Tell whether the protocol of a port is one that there is; of others the server's checks tell."""
    return protocol(value) in PROTOCOLS


def same_protocol(ports: Iterable[Port], value: JsonObject) -> list[Port]:
    """Return the ports of the protocol that another one has; those of none that there is may be meant."""
    wanted = protocol(value)
    return [port for port in ports if port.protocol == wanted or port.protocol not in PROTOCOLS]


def pod_ports(pod: PodView) -> list[Port]:
    """Return the ports of the containers that run as long as the pod."""
    return [port for _, container in running(pod) for port in declared(container)]


def running(pod: PodView) -> Iterator[tuple[Path, JsonObject]]:
    """Yield the containers that run as long as the pod, with their paths."""
    for index, each in entries_at(pod.spec, "containers"):
        yield pod.at("containers", index), each
    for index, each in entries_at(pod.spec, "initContainers"):
        if each.get("restartPolicy") == "Always":
            yield pod.at("initContainers", index), each


def is_name(port: Json) -> bool:
    """Tell whether a port is the name of one; digits in a text are no name."""
    return isinstance(port, str) and bool(port) and not port.isdigit()
