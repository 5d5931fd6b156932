"""What a target says of Argo CD → model."""

from __future__ import annotations

from kitgen.findings import Origin
from kitgen.model import ArgoCd, Automated, Destination
from kitgen.model.argocd import HERE
from kitgen.yamlio import JsonObject


def build_argocd(data: JsonObject, origin: Origin) -> ArgoCd:
    """Build what Argo CD is told from data that fits its schema."""
    automated = data.get("sync", {}).get("automated")
    return ArgoCd(
        repository=data["repository"],
        revision=data.get("revision", "HEAD"),
        folder=data.get("folder", ""),
        destination=Destination(**data.get("destination", {"server": HERE})),
        project=data.get("project", ""),
        namespace=data.get("namespace", "argocd"),
        whole=data.get("applications") == "target",
        automated=None
        if automated is None
        else Automated(prune=automated.get("prune", False), self_heal=automated.get("selfHeal", False)),
        guard=data.get("guard", True),
        origin=origin,
    )
