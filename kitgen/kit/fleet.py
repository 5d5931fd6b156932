"""Build the model of the fleet in kit.yaml, and validate its references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from kitgen.findings import Finding, Origin, make_problem, suggest_or_list
from kitgen.kit.model import (
    ArgoCd,
    Fleet,
    FleetTarget,
    FleetWave,
    Kit,
    Target,
)
from kitgen.kit.model.argocd import EVERYWHERE, SECRET_TYPE, TARGET_LABEL
from kitgen.kit.target import build_automated
from kitgen.kube.names import is_qualified_name
from kitgen.kube.selectors import (
    LabelOperator,
    LabelSelector,
    Requirement,
    intersect_selectors,
    subtract_selectors,
)
from kitgen.text.wording import join_words, quote_text
from kitgen.text.yaml import Json, JsonObject


def build_fleet(data: JsonObject, origin: Origin, targets: Mapping[str, Target]) -> Fleet:
    """Build the fleet from data that fits its schema; what it does not say is as in its first target."""
    ready = [each.name for each in targets.values() if each.argocd]
    said: JsonObject = data.get("targets") or {name: {"clusters": {TARGET_LABEL: name}} for name in ready}
    first = next((found for name in said if name in targets and (found := targets[name].argocd)), None)
    usual = first or ArgoCd(repository="", origin=origin)
    waves = data.get("waves", [{"name": EVERYWHERE}])
    return Fleet(
        targets=tuple(
            FleetTarget(
                name=name,
                clusters=build_selector(each["clusters"]),
                origin=origin.at("targets", name) if "targets" in data else origin,
            )
            for name, each in said.items()
        ),
        waves=tuple(
            FleetWave(
                name=each["name"],
                clusters=build_selector(each.get("clusters", {})),
                at_once=each.get("atOnce"),
                origin=origin.at("waves", index),
            )
            for index, each in enumerate(waves)
        ),
        leaves_others=data.get("others") == "leave",
        repository=data.get("repository", usual.repository),
        revision=data.get("revision", usual.revision),
        folder=data.get("folder", usual.folder),
        namespace=data.get("namespace", usual.namespace),
        says_namespace="namespace" in data,
        keep=data.get("removal") != "delete",
        automated=build_automated(data),
        origin=origin,
    )


def build_selector(data: JsonObject) -> LabelSelector:
    """Build a selector from labels, each with what it has to be."""
    return tuple(_build_requirement(key, value) for key, value in data.items())


def _build_requirement(key: str, value: Json) -> Requirement:
    match value:
        case bool():
            return Requirement(key, LabelOperator.EXISTS if value else LabelOperator.ABSENT)
        case dict():
            return Requirement(key, LabelOperator.NOT_IN, _to_tuple(value["not"]))
        case _:
            return Requirement(key, LabelOperator.IN, _to_tuple(value))


def _to_tuple(value: Json) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def check_fleet(kit: Kit, *, complete: bool) -> Iterator[Finding]:
    """Yield targets that no fleet can bring, waves that take nothing, and labels that two targets share.

    With specs missing because they are broken (not complete), nothing is said of targets.
    """
    if kit.fleet is None:
        return
    if complete:
        yield from _check_targets(kit.fleet, kit.targets)
    yield from _check_labels(kit.fleet)
    yield from _check_waves(kit.fleet)
    yield from (
        make_problem(
            "fleet-overlap",
            f"found labels that a cluster can have beside those of {one.name}, expected others",
            hint=f"say not in one of them, or use the label {TARGET_LABEL} with the name of each target",
        ).to_finding(other.origin.at("clusters"))
        for one, other in combinations(kit.fleet.targets, 2)
        if intersect_selectors(one.clusters, other.clusters) is not None
    )


def _check_labels(fleet: Fleet) -> Iterator[Finding]:
    parts: tuple[FleetTarget | FleetWave, ...] = (*fleet.targets, *fleet.waves)
    for part in parts:
        for key in (each.key for each in part.clusters):
            if key == SECRET_TYPE or not is_qualified_name(key):
                said = (
                    "which Argo CD sets itself" if key == SECRET_TYPE else "which Kubernetes takes for none"
                )
                yield make_problem(
                    "fleet-label", f"found the label {quote_text(key)}, {said}", hint="use another one"
                ).to_finding(part.origin.at("clusters", key))


def _check_targets(fleet: Fleet, targets: Mapping[str, Target]) -> Iterator[Finding]:
    if not fleet.targets:
        yield make_problem(
            "fleet-target",
            "found a fleet, but no target says argocd",
            hint="add argocd to the targets that the fleet is to bring",
        ).to_finding(fleet.origin)
    for each in fleet.targets:
        if each.name not in targets:
            yield make_problem(
                "fleet-target",
                f"found no target {each.name!r}",
                hint=suggest_or_list(each.name, list(targets)),
            ).to_finding(each.origin)
        elif targets[each.name].argocd is None:
            yield make_problem(
                "fleet-target",
                f"found the target {each.name!r}, which says no argocd",
                hint=f"add argocd to targets/{each.name}.yaml, or take it out of the fleet",
            ).to_finding(each.origin)
    named = (targets[each.name].argocd for each in fleet.targets if each.name in targets)
    if len(spaces := {said.namespace for said in named if said}) > 1 and not fleet.says_namespace:
        yield make_problem(
            "fleet-target",
            f"found targets for Argo CD in the namespaces {join_words(sorted(spaces), last='and')}",
            hint="say under fleet in which namespace the fleet is to be",
        ).to_finding(fleet.origin)


def _check_waves(fleet: Fleet) -> Iterator[Finding]:
    names: dict[str, FleetWave] = {}
    earlier: list[LabelSelector] = []
    for each in fleet.waves:
        if names.setdefault(each.name, each) is not each:
            yield make_problem(
                "fleet-wave",
                f"found a second wave {each.name!r}, expected another name",
                hint=f"the first is {names[each.name].origin}",
            ).to_finding(each.origin.at("name"))
        elif subtract_selectors(each.clusters, earlier) == []:  # None is too many to tell, and told later
            yield make_problem(
                "fleet-wave",
                f"found no cluster for the wave {each.name!r}: earlier waves take all that it could have",
                hint="put it before them, or remove it",
            ).to_finding(each.origin)
        elif fleet.targets and all(
            intersect_selectors(one.clusters, each.clusters) is None for one in fleet.targets
        ):
            yield make_problem(
                "fleet-wave",
                f"found no cluster for the wave {each.name!r}: its labels are those of no target",
                hint="choose labels that clusters of a target can have",
            ).to_finding(each.origin)
        earlier.append(each.clusters)
    if fleet.waves[-1].clusters:
        yield make_problem(
            "fleet-wave",
            f"found labels for the last wave {fleet.waves[-1].name!r}, expected it to take what is left",
            hint="remove its clusters, or add a wave without clusters after it",
        ).to_finding(fleet.waves[-1].origin.at("clusters"))
