"""Secrets that service accounts and ingresses name."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.index import below, entries
from kitgen.check.references.configuration import CONFIGURATION_MISSING, made_secrets
from kitgen.check.references.scene import Found, Named, Scene
from kitgen.findings import Path
from kitgen.objects import Manifest
from kitgen.schema.wording import cut

ISSUED = "cert-manager.io/"
"""How annotations of an Ingress start that has its Secret made."""


def look(scene: Scene) -> Iterator[Found]:
    """Yield names of Secrets that are nearly those of Secrets in the target."""
    uses = list(_uses(scene))
    made = made_secrets(scene) if uses else {}
    for manifest, path in uses:
        name, space = below(manifest.body, *path), manifest.id.namespace
        if not isinstance(name, str) or name in made.get(space, ()):
            continue
        if (hint := scene.missing(Named("", "Secret", space, name), others=False)) is not None:
            message = f"found no Secret {cut(name)} in its namespace"
            yield manifest, CONFIGURATION_MISSING(message, path, hint)


def _uses(scene: Scene) -> Iterator[tuple[Manifest, Path]]:
    for account in scene.of("", "ServiceAccount"):
        for field in ("imagePullSecrets", "secrets"):
            for index, _ in entries(account.body, field):
                yield account, (field, index, "name")
    for ingress in scene.of("networking.k8s.io", "Ingress"):
        notes = below(ingress.body, "metadata", "annotations")
        if isinstance(notes, dict) and any(key.startswith(ISSUED) for key in notes):
            continue
        for index, _ in entries(ingress.body, "spec", "tls"):
            yield ingress, ("spec", "tls", index, "secretName")
