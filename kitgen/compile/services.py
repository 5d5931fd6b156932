"""Family of Services in front of the operator's pods."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.context import Context
from kitgen.compile.layers import fold, source
from kitgen.objects import Manifest
from kitgen.yamlio import Json, JsonObject


def services(context: Context) -> Iterator[Manifest]:
    """Make each Service; its selector comes from the label rules."""
    for item in context.part.services:
        folded = fold(item.layers)
        data = folded.data
        meta: JsonObject = {"name": context.name(item.name)}
        if data.get("annotations"):
            meta["annotations"] = data["annotations"]
        spec: JsonObject = {"ports": _ports(data["ports"])}
        if data.get("selector"):
            spec["selector"] = data["selector"]
        if data.get("type"):
            spec["type"] = data["type"]
        body = {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}
        yield Manifest(body=body, sources=(source(folded.touches[0], (), "services"),))


def _ports(ports: Json) -> list[Json]:
    if isinstance(ports, list):
        return ports
    return [
        {"name": name, "port": number, "protocol": "TCP", "targetPort": name}
        for name, number in ports.items()
    ]
