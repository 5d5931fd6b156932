"""What serves webhooks: the Deployments behind the Services that their configurations lead to."""

from __future__ import annotations

from collections.abc import Sequence

from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import Json, JsonObject


class WebhookServers:
    """The Deployments behind the Services among some objects."""

    def __init__(self, objects: Sequence[Manifest]) -> None:
        self.services = {each.id.name: each.body for each in objects if each.id.kind == "Service"}
        self.deployments = [each.body for each in objects if each.id.kind == "Deployment"]

    def service(self, config: Json) -> JsonObject | None:
        """Return the Service that a clientConfig leads to, if it is among the objects."""
        name = _at(config, "service", "name")
        return None if name is None else self.services.get(str(name))

    def deployment(self, service: JsonObject) -> JsonObject | None:
        """Return the first Deployment whose pods a Service selects."""
        return next((each for each in self.deployments if _selects(service, each)), None)


def ports_of(service: JsonObject) -> list[JsonObject]:
    """Return the ports of a Service that may be anybody's."""
    ports = _at(service, "spec", "ports")
    return [each for each in ports if isinstance(each, dict)] if isinstance(ports, list) else []


def _selects(service: JsonObject, deployment: JsonObject) -> bool:
    selector = _at(service, "spec", "selector")
    labels = _at(deployment, "spec", "template", "metadata", "labels")
    if not isinstance(selector, dict) or not isinstance(labels, dict):
        return False
    return bool(selector) and all(labels.get(key) == value for key, value in selector.items())


def _at(body: Json, *path: str) -> Json:
    """Return what is at a place of an object that may be anybody's; None if nothing is."""
    for step in path:
        body = body.get(step) if isinstance(body, dict) else None
    return body
