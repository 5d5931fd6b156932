"""The objects of one target, as references look them up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple, TypeAlias

from kitgen.check.context import CheckContext
from kitgen.check.index import TargetIndex
from kitgen.check.references.creators import Creators, Resources
from kitgen.crd.types import plural_of
from kitgen.findings import Path, Problem, is_typo, suggest_word
from kitgen.kube.crds import CrdView
from kitgen.kube.identity import is_namespaced
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import PodView
from kitgen.kube.selectors import LabelSelector, matches_labels
from kitgen.kube.services import service_ports
from kitgen.render.kustomize.field_paths import find_values
from kitgen.text.wording import describe_value, join_words
from kitgen.text.yaml import Json

Found: TypeAlias = tuple[Manifest, Problem]
ALIKE = 0.8
"""How much alike two names are of which one is surely meant to be the other."""
SHORTEST = 4
"""From how many letters on a name with another letter is surely meant to be another one."""
MANY = 100
"""So many pods are enough to tell what is wrong."""
ENOUGH = 30
"""Of pods that are selected: nobody knows what is among more of them."""
FEW = 300
"""Among so many names, one that is alike is worth a look."""
CONFIGURATION = ("ConfigMap", "PersistentVolumeClaim", "Secret")
"""Kinds that an operator creates for pods beside it without being asked."""
ELSEWHERE = "there is one in the namespace"
"""How a hint starts if only the namespace is wrong."""


class ObjectName(NamedTuple):
    """What an object is looked for by."""

    group: str
    kind: str
    namespace: str
    """Empty for a kind without namespaces, or where nobody says it."""
    name: str


class TargetObjects:
    """What there is in a target; an object without a namespace may be in any."""

    def __init__(self, context: CheckContext, target: str) -> None:
        """Look at a target; everything is read on first use."""
        self.context = context
        self.target = target
        self.index: TargetIndex = context.get_index(target)
        self._names: dict[tuple[str, str, str], list[str]] = {}
        self._kinds: dict[tuple[str, str], dict[str, dict[str, Manifest]]] = {}

    def objects_of(self, group: str, *kinds: str) -> list[Manifest]:
        """Return the objects of some kinds."""
        return self.index.objects_of(group, *kinds)

    def find_fields(self, *ways: tuple[str, Iterable[str], str]) -> Iterator[tuple[Manifest, Path, Json]]:
        """Yield what is at fields of objects: by group, kinds and a way such as `spec/ports[]/name`."""
        for group, kinds, way in ways:
            for manifest in self.objects_of(group, *kinds):
                yield from ((manifest, path, value) for path, value in find_values(manifest.body, way))

    def pods_in(self, namespace: str) -> list[PodView]:
        """Return what runs in a namespace, or may do so; some of it, if it is much."""
        found = (each for each in self._running_pods if not namespace or each.namespace in ("", namespace))
        return list(islice(found, MANY))

    @cached_property
    def _running_pods(self) -> list[PodView]:
        return [each for each in self.index.pods if each.manifest.id.kind != "PodTemplate"]

    def pods_matching(self, terms: LabelSelector, namespace: str = "") -> list[PodView]:
        """Return the pods that a selector matches, in a namespace or in all; some, if they are many."""
        asked = (self._pods_by_label.get((each.key, each.values[0]), []) for each in terms if each.is_pair)
        among = min(asked, key=len, default=self._running_pods)
        found = (
            each
            for each in among
            if (not namespace or each.namespace in ("", namespace)) and matches_labels(terms, each.labels)
        )
        return list(islice(found, ENOUGH))

    @cached_property
    def _pods_by_label(self) -> dict[tuple[str, str], list[PodView]]:
        """Return the pods by the pairs of their labels."""
        found: dict[tuple[str, str], list[PodView]] = {}
        for pod in self._running_pods:
            for key, value in pod.labels.items():
                if isinstance(value, str):
                    found.setdefault((key, value), []).append(pod)
        return found

    def services_at(self, port: int) -> list[Manifest]:
        """Return the Services that are called at a port; some of them, if they are many."""
        return self._services_by_port.get(port, [])[:MANY]

    @cached_property
    def _services_by_port(self) -> dict[int, list[Manifest]]:
        found: dict[int, list[Manifest]] = {}
        for service in self.objects_of("", "Service"):
            for number in {port.number for port in service_ports(service.body)}:
                found.setdefault(number, []).append(service)
        return found

    def get(self, group: str, kind: str, namespace: str, name: Json) -> Manifest | None:
        """Return an object that may be the one that is meant."""
        spaces = self._objects_by_name(group, kind).get(name, {}) if isinstance(name, str) else {}
        if not namespace:
            return next(iter(spaces.values()), None)
        return spaces.get(namespace) or spaces.get("")

    def list_names(self, group: str, kind: str, namespace: str) -> list[str]:
        """Return the names of what is, or may be, in a namespace."""
        if (key := (group, kind, namespace)) not in self._names:
            self._names[key] = [
                name
                for name, spaces in self._objects_by_name(group, kind).items()
                if not namespace or namespace in spaces or "" in spaces
            ]
        return self._names[key]

    def _objects_by_name(self, group: str, kind: str) -> dict[str, dict[str, Manifest]]:
        if (group, kind) not in self._kinds:
            found: dict[str, dict[str, Manifest]] = {}
            for each in self.index.objects_of(group, kind):
                identity = each.id
                space = identity.namespace if is_namespaced(group, kind) else ""
                found.setdefault(identity.name, {}).setdefault(space, each)
            self._kinds[group, kind] = found
        return self._kinds[group, kind]

    def hint_for_missing(
        self, named: ObjectName, *, others: bool = True, by: Manifest | None = None
    ) -> str | None:
        """Return a hint if a named object is missing and should exist; None if that is unknown.

        It should be there if one with its name is in another namespace, one is called nearly so, or, with
        `others`, if there are some of its kind and no account here may create it: for a custom resource, or,
        as configuration, by a role of the namespace. Whoever waits for it (`by`) does not create it.
        """
        if not isinstance(name := named.name, str) or not name or self.get(*named):
            return None
        if elsewhere := sorted(self._objects_by_name(named.group, named.kind).get(name, ())):
            return f"{ELSEWHERE} {join_words(elsewhere, say=describe_value)}"
        if not (known := self.list_names(named.group, named.kind, named.namespace)):
            return None
        resources = ((named.group, plural_of(named.kind)),)
        grants = self.creators.find_grants(resources, named.namespace, by)
        is_configuration = not named.group and named.kind in CONFIGURATION
        if is_configuration and (
            any(self.creators.knows_name(each, resources, name, by) for each in grants)
            or self.creators.is_created_by_script(name, by)
        ):
            return None
        few = known if len(known) <= FEW else []
        slips = (f"did you mean {each!r}?" for each in few if len(name) >= SHORTEST and is_typo(name, each))
        if hint := suggest_word(name, few, sure=ALIKE) or next(slips, ""):
            return hint
        doubt = self.hint_for_controller(named.namespace)
        local = is_configuration and any(each.where is not None for each in grants)
        if not others or local or (grants and doubt):
            return None
        return doubt or suggest_word(name, few)

    @cached_property
    def crds(self) -> list[CrdView]:
        """Return the CRDs that the kit declares, and those of the target."""
        own = self.objects_of("apiextensions.k8s.io", "CustomResourceDefinition")
        bodies = (*self.context.crds, *(each.body for each in own))
        found = [self.context.views.crds.get(CrdView, each) for each in bodies]
        return [each for each in found if each.group and each.kind]

    @cached_property
    def creators(self) -> Creators:
        """Return who may create objects."""
        return Creators(self.index, self.context.minors)

    def can_be_created(self, namespace: str, resources: Resources) -> bool:
        """Return whether an account may create one of some resources in a namespace for a custom resource."""
        return bool(self.hint_for_controller(namespace) and self.creators.find_grants(resources, namespace))

    def hint_for_controller(self, namespace: str) -> str:
        """Return the hint that a custom resource may have a controller elsewhere create what is absent."""
        custom = self.creators.find_custom_resource(namespace)
        return f"correct only if {custom.id} creates it" if custom else ""


def find_pod_fields(pod: PodView, *ways: str) -> Iterator[tuple[Path, Json]]:
    """Yield what is at fields of a pod's spec, with their paths in the object."""
    for way in ways:
        yield from ((pod.path_to(*path), value) for path, value in find_values(pod.spec, way))


def format_workloads(pods: Iterable[PodView]) -> str:
    """Name the objects that make pods."""
    return join_words(
        sorted({str(each.manifest.id) for each in pods}), last="and", most=3, say=describe_value
    )
