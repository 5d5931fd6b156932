"""The DataScienceCluster: how the ODH operator is asked to install the components."""

from __future__ import annotations

from kitgen.compile.resolve import settle
from kitgen.findings import Cause, Kind, Path
from kitgen.model import Component, ManagementState, Settings, Target
from kitgen.objects import Manifest, Source
from kitgen.yamlio import JsonObject

CAUSE = Cause(Kind.CLUSTER)


def data_science_cluster(target: Target, components: list[Component]) -> Manifest | None:
    """Return the resource, if the target has one; what somebody else runs (Unmanaged) is left out."""
    cluster = target.data_science_cluster
    if cluster is None:
        return None
    built = {component.name: component for component in components}
    states: JsonObject = {}
    sources = [Source(path=(), cause=CAUSE, origin=cluster.origin)]
    for key, name in sorted(cluster.components.items()):
        if name not in built:
            continue
        settings = settle(target, built[name])
        state = settings.state or ManagementState.MANAGED
        if state is not ManagementState.UNMANAGED:
            states[key] = {"managementState": str(state)}
            path: Path = ("spec", "components", key)
            at = cluster.origin.at("components", key)
            sources.append(Source(path=path, cause=CAUSE, origin=at))
            path = (*path, "managementState")
            sources.append(_state_source(path, settings))
    body = {
        "apiVersion": "datasciencecluster.opendatahub.io/v1",
        "kind": "DataScienceCluster",
        "metadata": {"name": cluster.name},
        "spec": {"components": states},
    }
    return Manifest(body=body, sources=tuple(sources))


def _state_source(path: Path, settings: Settings) -> Source:
    if settings.state is not None:
        return Source(path=path, cause=Cause(Kind.SETTING, "managementState"), origin=settings.origin)
    why = "what a target renders is managed unless it says otherwise"
    return Source(path=path, cause=CAUSE, origin=settings.origin, why=why, default=True)
