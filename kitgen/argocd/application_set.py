"""The ApplicationSet of a target, for all clusters of the fleet that get it, and what brings all of these.

A cluster is in the first wave whose labels it has. Each wave is a generator, or several where labels of
earlier waves have to be left out, so no cluster comes twice. Argo CD syncs step by step: the components of a
wave in order, then those of the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from kitgen.argocd.applications import SAID, synced_folder_of
from kitgen.argocd.fleet.steps import COMPONENT_LABEL, WAVE_LABEL
from kitgen.argocd.ignored_fields import IgnoredField
from kitgen.argocd.layers import FleetPart, SyncLayer
from kitgen.argocd.manifests import (
    PROJECT_WAVE,
    Said,
    build_application_spec,
    build_manifest,
    build_project_spec,
)
from kitgen.files.root import ARGOCD, FLEET, OVERLAYS, SETS
from kitgen.findings import Finding, Path, make_problem
from kitgen.kit.model import ArgoCd, Fleet, FleetTarget, FleetWave, Target
from kitgen.kit.model.argocd import HERE, TARGET_LABEL
from kitgen.kube.manifest import Manifest
from kitgen.kube.names import is_qualified_name
from kitgen.kube.selectors import (
    MAX_SELECTORS,
    LabelSelector,
    intersect_selectors,
    subtract_selectors,
    write_selector,
)
from kitgen.text.wording import quote_text
from kitgen.text.yaml import JsonObject

Waves: TypeAlias = Sequence[tuple[FleetWave, list[LabelSelector]]]
"""Waves, with what selects the clusters of each."""


def build_fleet_part(kit: str, fleet: Fleet, target: Target, some: Sequence[SyncLayer]) -> FleetPart | None:
    """Return what the fleet needs of a target, if it has the target."""
    here = next((each for each in fleet.targets if each.name == target.name), None)
    said = target.argocd
    if here is None or said is None or not some:
        return None
    name = f"{kit}-{FLEET}-{target.name}"
    waves = _select_waves(fleet, here)
    root = tuple(build_fleet_root(kit, fleet))
    if (wrong := tuple(_check_application_set(fleet, target.name, waves, some))) or waves is None:
        return FleetPart(root=root, sets=(), findings=wrong)
    project = build_manifest(
        "AppProject",
        name,
        fleet.namespace,
        PROJECT_WAVE,
        build_project_spec(said.repository, {"server": "*"}, some),
        [((), said.origin), (("spec", "sourceRepos", 0), said.origin.at("repository"))],
    )
    return FleetPart(
        root=root, sets=(project, _build_application_set(kit, name, fleet, target.name, said, some, waves))
    )


def _check_application_set(
    fleet: Fleet, target: str, waves: Waves | None, some: Sequence[SyncLayer]
) -> Iterator[Finding]:
    """Yield why no set can be made."""
    if waves is None:
        yield make_problem(
            "fleet-size",
            f"found more than {MAX_SELECTORS} selectors for {target}",
            hint="a label with one value for each wave needs one selector a wave",
        ).to_finding(fleet.origin.at("waves"))
    names = {"target": [target], "component": [layer.part.name for layer in some]}
    for what, name in ((what, each) for what, found in names.items() for each in found):
        if not is_qualified_name(name):
            yield make_problem(
                "fleet-name",
                (
                    f"found the {what} {quote_text(name)}, expected a name that fits a label, of 63 "
                    "characters at most"
                ),
                hint=f"or take {target} out of the fleet",
            ).to_finding(fleet.origin)


def _select_waves(fleet: Fleet, here: FleetTarget) -> Waves | None:
    """Return the waves that can have clusters of a target; None if too many selectors are needed."""
    earlier: list[LabelSelector] = []
    waves: list[tuple[FleetWave, list[LabelSelector]]] = []
    for wave in fleet.waves:
        own = intersect_selectors(here.clusters, wave.clusters)
        found = [] if own is None else subtract_selectors(own, earlier)
        if found is None or sum(len(each) for _, each in waves) + len(found) > MAX_SELECTORS:
            return None
        waves += [(wave, found)] if found else []
        earlier.append(wave.clusters)
    return waves


def _build_application_set(
    kit: str,
    name: str,
    fleet: Fleet,
    target: str,
    said: ArgoCd,
    some: Sequence[SyncLayer],
    waves: Waves,
) -> Manifest:
    template, found = _build_template(kit, name, target, said, some)
    parts = [] if said.whole else [layer.part.name for layer in some]
    steps = [_build_step(wave, part) for wave, _ in waves for part in (parts or [""])]
    spec: JsonObject = {
        "goTemplate": True,
        "goTemplateOptions": ["missingkey=error"],
        "generators": [
            _build_generator(wave, each, [] if said.whole else some)
            for wave, found in waves
            for each in found
        ],
        "strategy": {"type": "RollingSync", "rollingSync": {"steps": steps}},
        **({"syncPolicy": {"preserveResourcesOnDeletion": True}} if fleet.keep else {}),
        "template": template,
    }
    at: Path = ("spec", "template")
    told = [((), fleet.origin), (("spec", "strategy"), fleet.origin.at("waves")), (at, said.origin)]
    told += [((*at, *path), said.origin.at(key)) for key, path in SAID if key != "destination"]
    return build_manifest(
        "ApplicationSet", name, fleet.namespace, 0, spec, told, found, (*at, "spec", "ignoreDifferences")
    )


def _build_generator(wave: FleetWave, selector: LabelSelector, some: Sequence[SyncLayer]) -> JsonObject:
    """Return what goes through clusters, and through components where each is an Application."""
    clusters: JsonObject = {"clusters": {"selector": write_selector(selector), "values": {"wave": wave.name}}}
    if not some:
        return clusters
    elements = [{"component": each.part.name, "namespace": each.default_namespace} for each in some]
    return {"matrix": {"generators": [clusters, {"list": {"elements": elements}}]}}


def _build_step(wave: FleetWave, part: str) -> JsonObject:
    labels = {WAVE_LABEL: wave.name, **({COMPONENT_LABEL: part} if part else {})}
    wanted = [{"key": key, "operator": "In", "values": [value]} for key, value in labels.items()]
    return {"matchExpressions": wanted, **({} if wave.at_once is None else {"maxUpdate": wave.at_once})}


def _build_template(
    kit: str, project: str, target: str, said: ArgoCd, some: Sequence[SyncLayer]
) -> tuple[JsonObject, list[IgnoredField]]:
    """Return what each Application is made from, and the fields that it leaves to others."""
    part, home = ("", some[0].default_namespace) if said.whole else ("{{ .component }}", "{{ .namespace }}")
    path = "/".join(filter(None, (synced_folder_of(target, said), part)))
    source: JsonObject = {"repoURL": said.repository, "targetRevision": said.revision, "path": path}
    destination: JsonObject = {"server": "{{ .server }}", "namespace": home}
    spec, found = build_application_spec(project, source, destination, said.automated, some)
    name = "-".join(filter(None, ("{{ .nameNormalized }}", kit, target, part)))
    labels = {TARGET_LABEL: target, WAVE_LABEL: "{{ .values.wave }}"}
    labels |= {COMPONENT_LABEL: part} if part else {}
    return {"metadata": {"name": name, "labels": labels}, "spec": spec}, found


def build_fleet_root(kit: str, fleet: Fleet) -> Iterator[Manifest]:
    """Yield the project and the Application that bring the sets of all targets to where Argo CD runs."""
    name, here = f"{kit}-{FLEET}", {"server": HERE, "namespace": fleet.namespace}
    permits: JsonObject = {
        "description": "The sets of Applications that make the fleet, and their projects",
        "sourceRepos": [fleet.repository],
        "destinations": [here],
        "clusterResourceWhitelist": [],
        "namespaceResourceWhitelist": [
            {"group": "argoproj.io", "kind": kind} for kind in ("AppProject", "ApplicationSet")
        ],
    }
    told: list[Said] = [((), fleet.origin)]
    yield build_manifest("AppProject", name, fleet.namespace, PROJECT_WAVE, permits, told)
    path = "/".join(filter(None, (fleet.folder, OVERLAYS, ARGOCD, FLEET, SETS)))
    source: JsonObject = {"repoURL": fleet.repository, "targetRevision": fleet.revision, "path": path}
    spec, _ = build_application_spec(name, source, here, fleet.automated)
    yield build_manifest("Application", name, fleet.namespace, 0, spec, told)
