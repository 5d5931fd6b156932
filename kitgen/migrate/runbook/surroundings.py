"""What to know of OLM, the ODH operator and Argo CD while kinds move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.migrate.runbook.kinds import MovingKind
from kitgen.migrate.runbook.managers import Argo, MigrationSite, Olm
from kitgen.migrate.runbook.model import Manager, Surrounding


def surroundings_of(place: MigrationSite, kinds: Sequence[MovingKind]) -> Iterator[Surrounding]:
    """Yield what to know of whatever looks after the target."""
    if place.olm:
        yield Surrounding(by=Manager.OLM, title="OLM", notes=tuple(_olm(place.olm, kinds)))
    if place.odh:
        yield Surrounding(by=Manager.ODH, title="The ODH operator", notes=tuple(_odh(place)))
    if place.argocd:
        yield Surrounding(by=Manager.ARGOCD, title="Argo CD", notes=tuple(_argocd(place.argocd, kinds)))


def _olm(olm: Olm, kinds: Sequence[MovingKind]) -> Iterator[str]:
    yield (
        f"The Subscription {olm.package} in {olm.namespace} has to say Manual from the first change on. "
        "Every step that stands above an approval is done before it."
    )
    yield (
        "OLM never deletes a CRD. One that leaves the bundle stays on the cluster with all that is in it, "
        "and belongs to no operator any more. So do the roles that OLM made for it."
    )
    yield (
        "Of a CRD that is in the bundle and on the cluster, OLM holds existing resources to the new schema. "
        "If one does not fit, the InstallPlan fails."
    )
    yield (
        "An InstallPlan fails, too, if storedVersions of a CRD on the cluster has a version that the CRD in "
        "the bundle lacks."
    )
    yield (
        "Roles and webhooks come from the bundle. What a phase adds to them counts only if the bundle of the "
        "release has it; apply by hand what the steps name, and nothing else of the folder."
    )
    if any(not each.within for each in kinds):
        yield "Nothing asks before OLM drops an API that resources still use."


def _odh(place: MigrationSite) -> Iterator[str]:
    odh = place.odh
    assert odh is not None  # the caller has looked
    named = f"{odh.key} in the DataScienceCluster {odh.cluster}"
    where = named if odh.key else "set DSC to the DataScienceCluster, and COMPONENT to its key there"
    yield (
        "The ODH operator brings the manifests of the release that it was built with. It undoes what others "
        "change in them, replicas too."
    )
    yield (
        f"The component is stopped by managementState Removed, and started by Managed: {where}. "
        "Removed does not delete CRDs, and the resources in them stay."
    )
    yield "CRDs that leave its manifests stay on the cluster, too: its garbage collection leaves them out."
    yield (
        "While both groups are served, both CRDs belong into the manifests of the component, and into the "
        "bundle of the ODH operator where that holds CRDs."
    )
    yield "Roles have to be on the cluster before the operator that needs them starts."


def _argocd(argocd: Argo, kinds: Sequence[MovingKind]) -> Iterator[str]:
    state = "by itself" if argocd.automated else "when somebody asks for it"
    yield (
        f"Argo CD syncs this target {state}, from {argocd.namespace}. It is paused during the whole "
        "migration."
    )
    yield (
        "With pruning, Argo CD deletes a CRD that leaves the tree, and all resources and pods go with it. "
        "The old CRDs need Prune=false one release before they are dropped: the phases put it there."
    )
    yield (
        "Resources of old kinds that Argo CD itself syncs from Git are pruned with their children once Git "
        "has the new kind. Change Git only after they were deleted without their children."
    )
    for each in kinds:
        old, new = (f"{side.api_version.rpartition('/')[0]}_{side.kind}" for side in (each.old, each.new))
        if old != new:
            yield (
                "Health checks and ignored differences go by group and kind: "
                f"resource.customizations.*.{old} in argocd-cm becomes {new}, and group and kind under "
                "ignoreDifferences and in the lists of an AppProject change with it."
            )
