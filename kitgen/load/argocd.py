"""What a target says of Argo CD → model."""

from __future__ import annotations

from kitgen.findings import Origin
from kitgen.model import ArgoCd, Automated, Destination
from kitgen.model.argocd import HERE
from kitgen.yamlio import JsonObject


def build_argocd(data: JsonObject, origin: Origin) -> ArgoCd:
    """Build what Argo CD is told from data that fits its schema."""
    return ArgoCd(
        repository=data["repository"],
        revision=data.get("revision", "HEAD"),
        folder=data.get("folder", ""),
        destination=Destination(**data.get("destination", {"server": HERE})),
        says_destination="destination" in data,
        project=data.get("project", ""),
        namespace=data.get("namespace", "argocd"),
        whole=data.get("applications") == "target",
        automated=build_automated(data),
        guard=data.get("guard", True),
        origin=origin,
    )


def build_automated(data: JsonObject) -> Automated | None:
    """Build what Argo CD does without being asked, if it does anything."""
    said = data.get("sync", {}).get("automated")
    if said is None:
        return None
    return Automated(prune=said.get("prune", False), self_heal=said.get("selfHeal", False))
