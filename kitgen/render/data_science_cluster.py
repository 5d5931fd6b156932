"""The DataScienceCluster, which asks the ODH operator to install the components."""

from __future__ import annotations

from msgspec.structs import replace

from kitgen.findings import Cause, CauseKind, Path
from kitgen.kit.model import ManagementState
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.placement import Placement
from kitgen.text.yaml import JsonObject

CAUSE, SAID = Cause(CauseKind.CLUSTER), Cause(CauseKind.SETTING, "managementState")
DEFAULT = "what a target renders is managed unless it says otherwise"


def build_data_science_cluster(placement: Placement) -> Manifest | None:
    """Return the resource, if the target has one; what somebody else runs (Unmanaged) is left out."""
    if (cluster := placement.target.data_science_cluster) is None:
        return None
    built = {component.name: component for component in placement.components}
    states: JsonObject = {}
    sources = [FieldSource(path=(), cause=CAUSE, origin=cluster.origin)]
    for key, name in sorted(item for item in cluster.components.items() if item[1] in built):
        settings = placement.settings_for(built[name])
        if (state := settings.state or ManagementState.MANAGED) is not ManagementState.UNMANAGED:
            states[key] = {"managementState": str(state)}
            path: Path = ("spec", "components", key)
            said = FieldSource(path=(*path, "managementState"), cause=SAID, origin=settings.origin)
            sources += (
                FieldSource(path=path, cause=CAUSE, origin=cluster.origin.at("components", key)),
                said if settings.state else replace(said, cause=CAUSE, why=DEFAULT, default=True),
            )
    return Manifest(
        body={
            "apiVersion": "datasciencecluster.opendatahub.io/v1",
            "kind": "DataScienceCluster",
            "metadata": {"name": cluster.name},
            "spec": {"components": states},
        },
        sources=tuple(sources),
    )
