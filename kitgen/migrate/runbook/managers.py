"""What manages a target on a cluster: its operator, OLM, the ODH operator, Argo CD."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from kitgen.crd.definition import is_crd
from kitgen.kit.model import Target
from kitgen.kit.model.migration import Migration
from kitgen.kube.manifest import Manifest
from kitgen.render.plan import TargetPlan
from kitgen.render.unit import Unit
from kitgen.text.yaml import JsonObject


class OperatorDeployment(Struct, frozen=True, kw_only=True):
    """A Deployment that serves the kinds."""

    namespace: str
    name: str
    replicas: int
    selector: str


class Olm(Struct, frozen=True, kw_only=True):
    """The package that OLM installs, and the Subscription for it."""

    package: str
    namespace: str
    bundles: Mapping[str, str]
    """Release → what a catalog calls its bundle."""
    besides: Mapping[str, tuple[str, ...]]
    """Release → components of the target that are not in the bundle."""


class Odh(Struct, frozen=True, kw_only=True):
    """The resource through which the ODH operator runs the component."""

    cluster: str
    """Its name; empty if the target has none."""
    key: str
    """What the component is called in it; empty if it is not there."""
    keys: Mapping[str, tuple[str, ...]]
    """Release → what all components of the target are called in it."""


class Argo(Struct, frozen=True, kw_only=True):
    """The Applications of the target."""

    namespace: str
    applications: tuple[str, ...]
    automated: bool


class MigrationSite(Struct, frozen=True, kw_only=True):
    """Where a migration takes place."""

    target: Target
    versions: Mapping[str, str]
    """Release → version of the component."""
    operators: Mapping[str, tuple[OperatorDeployment, ...]]
    """Release → its Deployments."""
    declared: Mapping[str, str]
    """CRD of the release after → the component and version that declares it."""
    olm: Olm | None = None
    odh: Odh | None = None
    argocd: Argo | None = None


def build_migration_site(
    migration: Migration, target: Target, plans: Mapping[str, TargetPlan]
) -> MigrationSite:
    """Return what looks after a target, as its plans for each release have it."""
    units = {name: [*_find_serving_units(migration, plan)] for name, plan in plans.items()}
    return MigrationSite(
        target=target,
        versions={
            name: target.component_versions(plan.release)[migration.component] for name, plan in plans.items()
        },
        operators={name: tuple(_list_operators(some)) for name, some in units.items()},
        declared=dict(_list_declared_crds(plans[migration.after])),
        olm=_find_olm_package(target, plans, units),
        odh=_find_odh_resource(migration, target, plans, [unit for some in units.values() for unit in some]),
        argocd=_find_applications(plans.values()),
    )


def _list_declared_crds(plan: TargetPlan) -> Iterator[tuple[str, str]]:
    """Yield the name of every CRD of a release, and the component and version that declares it."""
    carried = [(each.component, each.crds) for each in plan.bundled]
    for component, crds in (*carried, *((each.context.component, each.crds) for each in plan.bases.values())):
        yield from ((crd.id.name, f"{component.name}@{component.version}") for crd in crds)


def _find_serving_units(migration: Migration, plan: TargetPlan) -> Iterator[Unit]:
    """Yield the components of a target that serve the kinds, or carry what does."""
    kinds = {(side.group, side.kind) for each in migration.kinds for side in (each.before, each.after)}
    for unit in plan.units:
        crds = (each.body["spec"] for each in unit.final if is_crd(each.body))
        has = any((spec["group"], spec["names"]["kind"]) in kinds for spec in crds)
        if has or unit.context.component.name == migration.component:
            yield unit


def _list_operators(units: Iterable[Unit]) -> Iterator[OperatorDeployment]:
    for each in (one for unit in units for one in unit.final if one.id.kind == "Deployment"):
        spec: JsonObject = each.body["spec"]
        labels: JsonObject = (spec.get("selector") or {}).get("matchLabels") or {}
        yield OperatorDeployment(
            namespace=each.id.namespace,
            name=each.id.name,
            replicas=spec.get("replicas", 1),
            selector=",".join(f"{key}={value}" for key, value in sorted(labels.items())),
        )


def _find_olm_package(
    target: Target, plans: Mapping[str, TargetPlan], units: Mapping[str, list[Unit]]
) -> Olm | None:
    """Return the package, if it is one of a component that serves the kinds."""
    said = target.bundle
    names = {unit.context.component.name for some in units.values() for unit in some}
    if said is None or said.component not in names:
        return None
    apart = (each for plan in plans.values() for each in _list_extra_objects(plan, "olm"))
    found = next((each.id.namespace for each in apart if each.id.kind == "Subscription"), "")
    homes = (unit.context for some in units.values() for unit in some)
    home = next(each.namespace for each in homes if each.component.name == said.component)
    packed = {name: plan.extras["olm"].manifests for name, plan in plans.items() if "olm" in plan.extras}
    bundles = {
        name: each.id.name
        for name, some in packed.items()
        for each in some
        if each.id.kind == "ClusterServiceVersion"
    }
    besides = {
        name: tuple(each for unit in plan.units if (each := unit.context.component.name) != said.component)
        for name, plan in plans.items()
    }
    return Olm(package=said.package, namespace=found or home, bundles=bundles, besides=besides)


def _list_extra_objects(plan: TargetPlan, output: str) -> tuple[Manifest, ...]:
    """Return what comes to a cluster for an output, apart from the objects of the target."""
    return plan.extras[output].apart.objects if output in plan.extras else ()


def _find_odh_resource(
    migration: Migration, target: Target, plans: Mapping[str, TargetPlan], units: Iterable[Unit]
) -> Odh | None:
    cluster = target.data_science_cluster
    if cluster is None and not any(unit.context.settings.export for unit in units):
        return None
    keys = cluster.components.items() if cluster else ()
    key = next((key for key, name in keys if name == migration.component), "")
    shown = {
        name: plan.cluster.body["spec"]["components"] if plan.cluster else () for name, plan in plans.items()
    }
    return Odh(
        cluster=cluster.name if cluster else "",
        key=key,
        keys={name: tuple(some) for name, some in shown.items()},
    )


def _find_applications(plans: Iterable[TargetPlan]) -> Argo | None:
    """Return the Applications of all releases; those of a fleet have names that only clusters know."""
    some = [plan for plan in plans if "argocd" in plan.extras]
    said = some[0].target.argocd if some else None
    if said is None:
        return None
    names = [
        each.id.name
        for plan in some
        for each in _list_extra_objects(plan, "argocd")
        if each.id.kind == "Application"
    ]
    return Argo(
        namespace=said.namespace,
        applications=tuple(dict.fromkeys(names)),
        automated=said.automated is not None,
    )
