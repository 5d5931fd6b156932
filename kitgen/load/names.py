"""Names of APIs in specs: what roles permit and webhooks are for must be there."""

from __future__ import annotations

from kitgen.findings import Finding
from kitgen.load.apis import apis_of
from kitgen.load.permissions import check_permissions
from kitgen.load.webhooks import check_webhooks
from kitgen.model import Kit


def check_names(kit: Kit) -> list[Finding]:
    """Return a finding for every name of an API that leads nowhere, in every component and feature."""
    apis = apis_of(kit)
    findings: list[Finding] = []
    for component in (each for versions in kit.components.values() for each in versions.values()):
        for part in (component.part, *(feature.part for feature in component.features.values())):
            findings += check_permissions(part, apis)
            findings += check_webhooks(component, part, apis)
    return findings
