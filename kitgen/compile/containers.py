"""Names of containers: what settings and families may lead to."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Chapter, Finding, Origin, Rule, near
from kitgen.model import Component, Part

CONTAINER_UNKNOWN = Rule(
    id="container-unknown",
    chapter=Chapter.TARGET,
    title="a container that the component lacks",
    checks="Resources, webhooks and the mount of the configuration name containers that are there.",
    fix="Take the name that the hint offers, or turn on the feature that brings the container.",
)


def container_names(part: Part) -> list[str]:
    """Return the names of the containers that a part's Deployment has."""
    layers = part.layers("deployment")
    return list(dict.fromkeys(name for layer in layers for name in layer.data.get("containers", {})))


def unknown_container(component: Component, part: Part, name: str, origin: Origin) -> Iterator[Finding]:
    """Yield a finding when no container has the name."""
    known = container_names(part)
    if name not in known:
        message = f"{component.name} {component.version} has no container {name!r}"
        hint = near(name, known) or (f"known are {', '.join(known)}" if known else "it has none")
        yield CONTAINER_UNKNOWN(message, hint=hint).at(origin)
