"""Services: the pods that they select, the ports that they serve, and the Deployments behind them."""

from __future__ import annotations

from collections.abc import Sequence

from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import Port
from kitgen.kube.selectors import LabelSelector, matches_labels, read_pod_selector
from kitgen.text.values import entries_at, map_at, value_at
from kitgen.text.yaml import Json, JsonObject


def service_selector(service: JsonObject) -> LabelSelector:
    """Return the selector of a Service; without one, somebody else declares where it leads."""
    return read_pod_selector({"matchLabels": value_at(service, "spec", "selector")}) or ()


def service_ports(service: JsonObject) -> list[Port]:
    """Return the ports that a Service is called at."""
    return [Port.read(each, "port") for _, each in entries_at(service, "spec", "ports")]


def list_target_ports(service: JsonObject) -> set[int] | None:
    """Return the numbers of the ports of pods that a Service leads to; None if one has a name."""
    found: set[int] = set()
    for _, each in entries_at(service, "spec", "ports"):
        target = each.get("targetPort")
        number = each.get("port") if target is None else target
        if not isinstance(number, int):
            return None
        found.add(number)
    return found


class WebhookServers:
    """The Deployments behind the Services that configurations of webhooks lead to."""

    def __init__(self, objects: Sequence[Manifest]) -> None:
        self.services = {each.id.name: each.body for each in objects if each.id.kind == "Service"}
        self.deployments = [each.body for each in objects if each.id.kind == "Deployment"]

    def find_service(self, config: Json) -> JsonObject | None:
        """Return the Service that a clientConfig leads to, if it is among the objects."""
        name = value_at(config, "service", "name")
        return None if name is None else self.services.get(str(name))

    def find_deployment(self, service: JsonObject) -> JsonObject | None:
        """Return the first Deployment whose pods a Service selects."""
        selector = service_selector(service)
        made = ((each, map_at(each, "spec", "template", "metadata", "labels")) for each in self.deployments)
        return next((each for each, labels in made if selector and matches_labels(selector, labels)), None)
