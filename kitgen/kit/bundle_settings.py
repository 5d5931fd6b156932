"""What specs say of OLM bundles without effect: annotations that are computed, kinds that no CRD has."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.files.tree import SETTING_UNUSED
from kitgen.findings import Finding, near
from kitgen.kit.model import Component, Kit, Target

PREFIX = "operators.operatorframework.io.bundle."
OPENSHIFT = "com.redhat.openshift.versions"
"""The annotation of a bundle that says which versions of OpenShift it is for."""
METADATA = (PREFIX, "operators.operatorframework.io.test.")
"""How annotations of a bundle start that say what the bundle is."""
COMPUTED = {
    "alm-examples": "the examples of apis",
    "containerImage": "the containers",
    "createdAt": "the date of the release",
    "olm.skipRange": "the release",
    "operatorframework.io/suggested-namespace": "the namespace of the component",
    **dict.fromkeys(("capabilities", "categories", "repository", "support"), "the key of that name"),
    "description": "summary",
}
"""Annotations of a ClusterServiceVersion that no listing says as such, and where they come from."""


def computed_of_target(target: Target) -> Iterator[Finding]:
    """Yield annotations of a bundle that follow from something else."""
    said = target.bundle
    for key in said.annotations if said else ():
        if said and (key == OPENSHIFT or key.startswith(METADATA)):
            hint = "say openshift instead" if key == OPENSHIFT else "remove it"
            yield SETTING_UNUSED(f"found the annotation {key!r}, which is computed", hint=hint).at(
                said.origin.at("annotations", key)
            )


def unused_in_listing(kit: Kit, component: Component) -> Iterator[Finding]:
    """Yield what a listing says that no bundle has."""
    listing = component.listing
    if listing is None:
        return
    for key in listing.said.get("annotations", {}):
        if key in COMPUTED:
            yield SETTING_UNUSED(
                f"found the annotation {key!r}, which comes from {COMPUTED[key]}", hint="remove it"
            ).at(listing.origin.at("annotations", key))
    kinds = {data["names"]["kind"]: "" for each in kit.every_component for _, data in each.crds}
    for kind, api in listing.apis.items():
        if kind not in kinds:
            hint = near(kind, list(kinds)) or "remove it"
            yield SETTING_UNUSED(f"found the kind {kind!r}, which no CRD of the kit has", hint=hint).at(
                api.origin
            )
