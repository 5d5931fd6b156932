"""Put a bundle together: the ClusterServiceVersion, and the objects that go beside it.

What a release says of its bundle: name and version, its place among the others, its day.

What a component has and its bundle cannot: OLM puts all objects into one namespace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import Finding, Origin, Path, Problem, make_problem
from kitgen.kit.model import BundleSettings, ListedKind, Listing, Release, WebhookOwner
from kitgen.kube.identity import is_namespaced
from kitgen.kube.manifest import Manifest
from kitgen.olm.csv_parts import (
    CsvPart,
    build_manifest,
    join_parts,
    make_computed_source,
    make_verbatim_source,
    select_sources,
)
from kitgen.olm.listing import (
    NOTES,
    build_annotation_parts,
    build_examples,
    build_owned_crds,
    build_related_images,
    build_required_crds,
    build_spec_parts,
)
from kitgen.olm.permissions import OperatorPermissions, build_permissions, find_permissions
from kitgen.olm.webhooks import CONFIGURATIONS, CRD, build_webhook_definitions, check_dropped_fields
from kitgen.render.context import ComputedValue
from kitgen.render.image_names import rename_images
from kitgen.render.plan import TargetPlan
from kitgen.render.unit import Unit
from kitgen.text.yaml import JsonObject


def build_release_parts(release: Release, package: str, minor: int | None) -> Iterator[tuple[Path, CsvPart]]:
    """Yield what follows from the release; the minor is the oldest that it is for, if the bundle says it."""
    at = release.origin.at
    created = f"{release.date}T00:00:00Z" if release.date else ""
    replaces = f"{package}.{release.replaces}" if release.replaces else ""
    oldest = make_computed_source(at("kubernetes") if release.minors else release.origin)
    yield from (
        (("metadata", "name"), CsvPart(f"{package}.{release.name}", (make_computed_source(at("release")),))),
        (("metadata", "namespace"), CsvPart("placeholder")),
        ((*NOTES, "createdAt"), CsvPart(created, (make_computed_source(at("date")),))),
        ((*NOTES, "olm.skipRange"), CsvPart(release.skip_range, (make_computed_source(at("skipRange")),))),
        (
            ("spec", "version"),
            CsvPart(release.name.removeprefix("v"), (make_computed_source(at("release")),)),
        ),
        (("spec", "minKubeVersion"), CsvPart("" if minor is None else f"1.{minor}.0", (oldest,))),
        (("spec", "replaces"), CsvPart(replaces, (make_computed_source(at("replaces")),))),
        (
            ("spec", "skips"),
            CsvPart([f"{package}.{each}" for each in release.skips], (make_computed_source(at("skips")),)),
        ),
    )


def check_namespaces(objects: Iterable[Manifest], namespace: str) -> Iterator[Finding]:
    """Yield objects that are meant for another namespace than that of the operator."""
    for each in objects:
        name = each.id
        if name.namespace in ("", namespace) or not is_namespaced(name.group, name.kind):
            continue
        yield make_problem(
            "bundle-elsewhere",
            f"found {name.kind}/{name.name} in {name.namespace}, which OLM would put into {namespace}",
            hint="turn off the feature that has it under settings of the bundle",
        ).to_finding(each.find_origin(("metadata", "namespace")))


API_VERSION, KIND = "operators.coreos.com/v1alpha1", "ClusterServiceVersion"
INSTALL = ("spec", "install", "spec")
SUGGESTED = "operatorframework.io/suggested-namespace"
MODES = ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")
FIRST_OPENSHIFT = 13
"""OpenShift 4.N has the minor N + 13 of Kubernetes."""


class Package(Struct, frozen=True, kw_only=True):
    """An OLM bundle: what is in it, and what its metadata says."""

    settings: BundleSettings
    unit: Unit
    release: Release
    version: str
    """Without a leading v, as OLM has it."""
    csv: Manifest
    objects: tuple[Manifest, ...]
    """Those beside the ClusterServiceVersion, without a namespace."""
    examples: tuple[tuple[Origin, JsonObject], ...]
    """Objects that consoles offer, and the files that have them."""
    openshift: str
    """The versions that it is for; empty if it says none."""
    findings: tuple[Finding, ...]

    @property
    def name(self) -> str:
        """Return what a catalog calls the bundle."""
        return self.csv.id.name

    @property
    def manifests(self) -> tuple[Manifest, ...]:
        """Return all objects of the bundle."""
        return (self.csv, *self.objects)


def package_of(plan: TargetPlan) -> Package | None:
    """Return the bundle of a plan, if its target makes one."""
    found = plan.extras.get("olm")
    return found.made if found and isinstance(found.made, Package) else None


def build_package(
    settings: BundleSettings,
    unit: Unit,
    release: Release,
    minors: Sequence[int],
    crds: Sequence[Manifest],
    outside: Sequence[Manifest] = (),
) -> Package:
    """Make the bundle of a component as a target compiles it; the CRDs are all that the release knows.

    Those outside are the component's too, and the target has them elsewhere.
    """
    final = (*unit.final, *outside)
    listing, of_listing = _compute_listing(unit)
    hooks, of_hooks = _build_webhooks(final, settings)
    needed, of_needed = build_required_crds(settings, crds)
    granted = find_permissions(final, _collect_accounts(final), unit.context.namespace)
    beside = tuple(_select_extra_objects(final, granted))
    apis = _collect_listed_kinds(unit)
    kinds = tuple(build_owned_crds([each for each in beside if each.id.kind == CRD], apis))
    renames = unit.context.renames
    text, shown = build_examples(apis, [each.value["kind"] for each in kinds], renames)
    namespace = CsvPart(unit.context.namespace, (make_verbatim_source(unit.context.namespace_origin),))
    images = build_related_images(unit)
    places = (
        *build_release_parts(release, settings.package, min(minors) if settings.min_kube_version else None),
        ((*NOTES, "alm-examples"), CsvPart(text)),
        ((*NOTES, SUGGESTED), namespace),
        ((*NOTES, "containerImage"), CsvPart(images.value[0]["image"] if images.value else "")),
        *build_annotation_parts(listing),
        *build_spec_parts(listing, settings.package),
        (("spec", "installModes"), _build_install_modes(settings)),
        (("spec", "install", "strategy"), CsvPart("deployment")),
        ((*INSTALL, "deployments"), join_parts(map(_build_deployment, _select_deployments(final)))),
        ((*INSTALL, "clusterPermissions"), build_permissions(granted.cluster)),
        ((*INSTALL, "permissions"), build_permissions(granted.own)),
        (("spec", "relatedImages"), images),
        (("spec", "webhookdefinitions"), join_parts(hooks)),
        (("spec", "customresourcedefinitions", "owned"), join_parts(kinds)),
        (("spec", "customresourcedefinitions", "required"), join_parts(needed)),
    )
    csv = build_manifest(settings.origin, {"apiVersion": API_VERSION, "kind": KIND}, places)
    misplaced = check_namespaces(
        (each for each in final if each.id.kind != "Namespace"), unit.context.namespace
    )
    return Package(
        settings=replace(settings, scorecard=renames.get(settings.scorecard, settings.scorecard)),
        unit=unit,
        release=release,
        version=release.name.removeprefix("v"),
        # What a listing says of images is no part of the component, so nothing renamed it before.
        csv=Manifest(body=rename_images(csv.body, renames), sources=csv.sources),
        objects=beside,
        examples=shown,
        openshift=_format_openshift_range(settings, minors),
        findings=(*unit.findings, *of_listing, *misplaced, *of_hooks, *of_needed),
    )


def _format_openshift_range(settings: BundleSettings, minors: Sequence[int]) -> str:
    if settings.openshift is None:
        return ""
    return settings.openshift or (f"v4.{min(minors) - FIRST_OPENSHIFT}" if minors else "")


def _compute_listing(unit: Unit) -> ComputedValue[Listing]:
    """Return the listing of a component; without one nobody would know what the bundle is."""
    component = unit.context.component
    if component.listing is not None:
        return ComputedValue(component.listing)
    message = f"found no listing of {component.name} {component.version}, expected one for its bundle"
    return ComputedValue(
        Listing(origin=component.origin, said={}),
        (make_problem("bundle-listing", message).to_finding(component.origin),),
    )


def _collect_listed_kinds(unit: Unit) -> dict[str, ListedKind]:
    """Return how the kinds of a component, and of all that it carries, are shown."""
    listings = [each.listing for each in (*unit.with_crds, unit.context.component) if each.listing]
    return {kind: api for each in listings for kind, api in each.apis.items()}


def _build_webhooks(
    final: Sequence[Manifest], settings: BundleSettings
) -> ComputedValue[tuple[CsvPart, ...]]:
    """Return the webhooks that OLM is to make, and what it cannot do of them."""
    if settings.webhooks is not WebhookOwner.OLM:
        return ComputedValue(())
    hooks = tuple(build_webhook_definitions(final))
    found = (*hooks, *(check_dropped_fields(final) if hooks else ()))
    wrong = tuple(
        replace(each, path=()).to_finding(manifest.find_origin(each.path))
        for manifest, each in found
        if isinstance(each, Problem)
    )
    return ComputedValue(tuple(each for _, each in hooks if isinstance(each, CsvPart)), wrong)


def _select_deployments(final: Sequence[Manifest]) -> list[Manifest]:
    return [each for each in final if each.id.kind == "Deployment"]


def _collect_accounts(final: Sequence[Manifest]) -> set[str]:
    pods = (each.body["spec"]["template"]["spec"] for each in _select_deployments(final))
    return {each.get("serviceAccountName", "default") for each in pods}


def _select_extra_objects(final: Sequence[Manifest], granted: OperatorPermissions) -> Iterator[Manifest]:
    """Yield the objects that the ClusterServiceVersion does not stand for, and that OLM does not make."""
    dropped = {"Deployment", "Namespace", *CONFIGURATIONS}
    for each in final:
        if id(each) not in granted.taken and each.id.kind not in dropped:
            yield _drop_namespace(granted.trimmed.get(id(each), each))


def _drop_namespace(manifest: Manifest) -> Manifest:
    """Return an object without its namespace: OLM puts it where the operator goes."""
    name = manifest.id
    if not name.namespace or not is_namespaced(name.group, name.kind):
        return manifest
    meta = {key: value for key, value in manifest.body["metadata"].items() if key != "namespace"}
    return Manifest(body={**manifest.body, "metadata": meta}, sources=manifest.sources)


def _build_deployment(manifest: Manifest) -> CsvPart:
    meta, spec = manifest.body["metadata"], manifest.body["spec"]
    value: JsonObject = {"name": manifest.id.name, "spec": spec}
    value |= {"label": meta["labels"]} if "labels" in meta else {}
    sources = (
        *manifest.sources[:1],
        *(
            replace(each, path=("name", *each.path))
            for each in select_sources(manifest, "metadata", "name")[-1:]
        ),
        *(
            replace(each, path=("label", *each.path))
            for each in select_sources(manifest, "metadata", "labels")
        ),
        *CsvPart(spec, select_sources(manifest, "spec")).sources_at("spec"),
    )
    return CsvPart(value, sources)


def _build_install_modes(settings: BundleSettings) -> CsvPart:
    modes = [{"type": each, "supported": each in settings.install_modes} for each in MODES]
    return CsvPart(modes, (make_computed_source(settings.origin.at("installModes")),))
