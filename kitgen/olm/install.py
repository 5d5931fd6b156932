"""The other way to install: OLM is told which package it is to take, from which catalog."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, Origin, make_problem
from kitgen.kit.model import Install
from kitgen.kube.identity import FOR_ALL, is_platform_namespace
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.olm.bundle import Package
from kitgen.olm.csv_parts import make_computed_source, make_verbatim_source
from kitgen.text.yaml import JsonObject

OPERATORS = "operators.coreos.com"


def check_install(package: Package, install: Install) -> Iterator[Finding]:
    """Yield what keeps OLM from installing a bundle as a target has it."""
    namespace = install.namespace or package.unit.context.namespace
    modes = package.settings.install_modes
    if install.watches and is_platform_namespace(namespace):
        yield make_problem(
            "install-mode",
            f"found namespaces to watch from {namespace}, whose OperatorGroup is the platform's",
            hint="install it in another namespace",
        ).to_finding(install.origin.at("watches"))
        return
    watched = _list_watched_namespaces(package, install, namespace)
    for mode in _list_required_modes(watched, namespace):
        if mode not in modes and (not is_platform_namespace(namespace) or namespace in FOR_ALL):
            where = ", ".join(watched) or "all namespaces"
            yield make_problem(
                "install-mode",
                f"found {', '.join(modes)}, expected {mode} too to watch {where} from {namespace}",
                hint="say under install which namespaces it watches, or where else it goes",
            ).to_finding(package.settings.origin.at("installModes"))


def _list_watched_namespaces(package: Package, install: Install, namespace: str) -> tuple[str, ...]:
    """Return the namespaces that an operator is to look after; none stands for all."""
    if namespace in FOR_ALL or (not install.watches and "AllNamespaces" in package.settings.install_modes):
        return ()
    return install.watches or (namespace,)


def _list_required_modes(watched: tuple[str, ...], namespace: str) -> Iterator[str]:
    """Yield the install modes that OLM asks for of an operator that looks after some namespaces."""
    if not watched:
        yield "AllNamespaces"
    if namespace in watched:
        yield "OwnNamespace"
    if len(watched) > 1:
        yield "MultiNamespace"
    elif watched and namespace not in watched:
        yield "SingleNamespace"


def build_install_objects(package: Package, install: Install) -> tuple[Manifest, ...]:
    """Return the Subscription, and what it needs that the platform does not have."""
    namespace = install.namespace or package.unit.context.namespace
    origin = install.origin.at("namespace") if install.namespace else package.unit.context.namespace_origin
    objects = []
    if not is_platform_namespace(namespace):
        # An OperatorGroup without namespaces is for all of them.
        watched = _list_watched_namespaces(package, install, namespace)
        spec: JsonObject = {"targetNamespaces": list(watched)} if watched else {}
        group = (f"{OPERATORS}/v1", "OperatorGroup", package.settings.package, namespace, spec)
        whole = _build_manifest("v1", "Namespace", namespace, "", {}, make_computed_source(origin))
        objects += [whole, _build_manifest(*group, make_computed_source(origin))]
    if install.catalog.image:
        objects.append(_build_catalog_source(install, package))
    return (*objects, _build_subscription(package, install, namespace, origin))


def _build_manifest(
    api: str, kind: str, name: str, namespace: str, spec: JsonObject, *sources: FieldSource
) -> Manifest:
    meta: JsonObject = {"name": name} | ({"namespace": namespace} if namespace else {})
    body: JsonObject = {"apiVersion": api, "kind": kind, "metadata": meta}
    return Manifest(body={**body, "spec": spec} if spec else body, sources=sources)


def _build_catalog_source(install: Install, package: Package) -> Manifest:
    catalog, origin = install.catalog, install.origin.at("catalog")
    image = package.unit.context.renames.get(catalog.image, catalog.image)
    spec = {"sourceType": "grpc", "image": image, "displayName": package.settings.package}
    api = f"{OPERATORS}/v1alpha1"
    sources = (make_computed_source(origin), make_verbatim_source(origin.at("image"), "spec", "image"))
    return _build_manifest(api, "CatalogSource", catalog.name, catalog.namespace, spec, *sources)


def _build_subscription(package: Package, install: Install, namespace: str, origin: Origin) -> Manifest:
    spec: JsonObject = {
        "name": package.settings.package,
        "channel": install.channel or package.settings.channels[0],
        "installPlanApproval": install.approval,
        "source": install.catalog.name,
        "sourceNamespace": install.catalog.namespace,
        "startingCSV": package.name,
    }
    at = install.origin
    return _build_manifest(
        f"{OPERATORS}/v1alpha1",
        "Subscription",
        package.settings.package,
        namespace,
        spec,
        make_computed_source(at),
        make_verbatim_source(
            at.at("channel") if install.channel else package.settings.origin.at("channels"), "spec", "channel"
        ),
        make_verbatim_source(at.at("approval"), "spec", "installPlanApproval"),
        make_computed_source(package.release.origin.at("release"), "spec", "startingCSV"),
        make_computed_source(origin, "metadata", "namespace"),
    )
