"""A layer: the objects of a component as Argo CD takes them, which stands over the component's overlay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from kitgen.argocd.annotations import STEP, AnnotatedObject, annotate_object
from kitgen.files.root import CRDS
from kitgen.findings import Cause, CauseKind, Finding, Origin
from kitgen.kit.model import ArgoCd
from kitgen.kube.identity import is_platform_namespace
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.context import RenderContext
from kitgen.render.plan import TargetPlan
from kitgen.render.unit import Unit

CAUSE = Cause(CauseKind.ARGOCD)
ANY = "default"
"""Where objects go that say no namespace."""
NONE: Mapping[str, str] = {}


class OverlayFolder(Struct, frozen=True, kw_only=True):
    """What a folder of the target's overlays holds: a component, or CRDs that are kept apart."""

    name: str
    objects: tuple[Manifest, ...]
    namespace: str = ""
    origin: Origin
    """Where the namespace is said."""
    generated: Mapping[str, str] = NONE
    """Name of a ConfigMap with the hash that kustomize adds last → without it, as patches know it."""


class SyncLayer(Struct, frozen=True, kw_only=True):
    """What is to be laid over a part."""

    part: OverlayFolder
    namespace: Manifest | None
    """One that nothing else makes."""
    dropped: tuple[Manifest, ...]
    """Namespaces that are the platform's."""
    noted: tuple[AnnotatedObject, ...]
    """All objects that are left, the namespace that is added too."""

    @property
    def objects(self) -> tuple[Manifest, ...]:
        """Return what comes to a cluster."""
        return tuple(each.manifest for each in self.noted)

    @property
    def default_namespace(self) -> str:
        """Return the namespace of objects that say none."""
        return self.part.namespace or ANY


class FleetPart(Struct, frozen=True, kw_only=True):
    """What brings a target to many clusters."""

    root: tuple[Manifest, ...]
    """The project and the Application that bring the sets of all targets, the same for each."""
    sets: tuple[Manifest, ...]
    """The AppProject and the ApplicationSet of the target."""
    findings: tuple[Finding, ...] = ()


class SyncedTarget(Struct, frozen=True, kw_only=True):
    """All that Argo CD needs of a target."""

    said: ArgoCd
    layers: tuple[SyncLayer, ...]
    applications: tuple[Manifest, ...]
    """The AppProject, and Applications in order."""
    fleet: FleetPart | None = None
    """What a fleet needs, if the target is in one."""

    @property
    def argocd_objects(self) -> tuple[Manifest, ...]:
        """Return all that Argo CD is told of the target."""
        return (*self.applications, *(self.fleet.sets if self.fleet else ()))


def find_synced_target(plan: TargetPlan) -> SyncedTarget | None:
    """Return what Argo CD needs of a plan, if its target is for it."""
    found = plan.extras.get("argocd")
    return found.made if found and isinstance(found.made, SyncedTarget) else None


def build_overlay_folders(
    units: Iterable[Unit], crds: tuple[Manifest, ...], said: ArgoCd
) -> Iterator[OverlayFolder]:
    """Yield what Argo CD brings, in the order in which a cluster should get it."""
    if crds:
        yield OverlayFolder(name=CRDS, objects=crds, origin=said.origin)
    for unit in units:
        params = unit.params
        generated = {params.to_manifest().id.name: params.config_map} if params else {}
        yield build_overlay_folder(unit.context, unit.final, generated)


def build_overlay_folder(
    context: RenderContext, objects: tuple[Manifest, ...] = (), generated: Mapping[str, str] = NONE
) -> OverlayFolder:
    """Return a component as a part; whoever asks for its name and namespace alone gives no objects."""
    return OverlayFolder(
        name=context.component.name,
        objects=objects,
        namespace=context.namespace,
        origin=context.namespace_origin,
        generated=generated,
    )


def build_sync_layers(some: Sequence[OverlayFolder], said: ArgoCd) -> Iterator[SyncLayer]:
    """Yield the layer of each part; a namespace that nothing makes comes with the first that needs it."""
    whole = [each for part in some for each in part.objects]
    there = {each.id.name for each in whole if each.id.kind == "Namespace"}
    maps = {(each.id.namespace, each.id.name): each.body for each in whole if each.id.kind == "ConfigMap"}
    for index, part in enumerate(some):
        new = part.namespace and part.namespace not in there and not is_platform_namespace(part.namespace)
        source = FieldSource(path=(), cause=CAUSE, origin=part.origin)
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": part.namespace}}
        added = Manifest(body=body, sources=(source,)) if new else None
        there.add(part.namespace)
        kept = [each for each in part.objects if not _is_platform_namespace(each)]
        shift = STEP * index if said.whole else 0
        yield SyncLayer(
            part=part,
            namespace=added,
            dropped=tuple(each for each in part.objects if _is_platform_namespace(each)),
            noted=tuple(
                annotate_object(each, maps, guard=said.guard, shift=shift)
                for each in (*([added] if added else ()), *kept)
            ),
        )


def _is_platform_namespace(manifest: Manifest) -> bool:
    return (manifest.id.group, manifest.id.kind) == ("", "Namespace") and is_platform_namespace(
        manifest.id.name
    )
