"""Secrets that service accounts, ingresses and monitors name."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.index import below, entries
from kitgen.check.references.configuration import CONFIGURATION_MISSING, made_secrets
from kitgen.check.references.scene import Found, Named, Scene
from kitgen.findings import Path
from kitgen.objects import Manifest
from kitgen.schema.wording import cut

MONITORS = (("PodMonitor", "podMetricsEndpoints"), ("ServiceMonitor", "endpoints"))
READ: tuple[Path, ...] = (
    ("authorization", "credentials"),
    ("basicAuth", "password"),
    ("basicAuth", "username"),
    ("bearerTokenSecret",),
    ("oauth2", "clientSecret"),
    ("tlsConfig", "ca", "secret"),
    ("tlsConfig", "cert", "secret"),
    ("tlsConfig", "keySecret"),
)
"""What Prometheus takes from Secrets to read an endpoint."""
ISSUED = "cert-manager.io/"
"""How annotations of an Ingress start that has its Secret made."""


def look(scene: Scene) -> Iterator[Found]:
    """Yield names of Secrets that are nearly those of Secrets in the target, or of none."""
    uses = list(_uses(scene))
    made = made_secrets(scene) if uses else {}
    for manifest, path, others in uses:
        name, space = below(manifest.body, *path), manifest.id.namespace
        if not isinstance(name, str) or name in made.get(space, ()):
            continue
        if (hint := scene.missing(Named("", "Secret", space, name), others=others)) is not None:
            message = f"found no Secret {cut(name)} in its namespace"
            yield manifest, CONFIGURATION_MISSING(message, path, hint)


def _uses(scene: Scene) -> Iterator[tuple[Manifest, Path, bool]]:
    """Yield where Secrets are named, and whether one is missed that is called like no other."""
    for account in scene.of("", "ServiceAccount"):
        for field in ("imagePullSecrets", "secrets"):
            for index, _ in entries(account.body, field):
                yield account, (field, index, "name"), False
    for ingress in scene.of("networking.k8s.io", "Ingress"):
        notes = below(ingress.body, "metadata", "annotations")
        if isinstance(notes, dict) and any(key.startswith(ISSUED) for key in notes):
            continue
        for index, _ in entries(ingress.body, "spec", "tls"):
            yield ingress, ("spec", "tls", index, "secretName"), False
    for kind, field in MONITORS:
        for monitor in scene.of("monitoring.coreos.com", kind):
            for index, _ in entries(monitor.body, "spec", field):
                yield from ((monitor, ("spec", field, index, *each, "name"), True) for each in READ)
