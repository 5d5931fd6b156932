"""Find which account of a target may create an absent object, and what could trigger that."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple, TypeAlias

from kitgen.check.index import TargetIndex
from kitgen.check.schemas.catalog import is_kubernetes_group
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import PodView
from kitgen.kube.rbac.access import ACCOUNT, BUNDLED, RbacSubject
from kitgen.kube.rbac.rules import Permit, SinglePermission
from kitgen.text.patterns import compile_late

LONGEST = 100_000
"""Of a text that is looked at."""
MAKE_NOTHING: dict[str, tuple[str, ...]] = {
    "argoproj.io": ("AppProject",),
    "cert-manager.io": ("Certificate", "ClusterIssuer", "Issuer"),
    "config.openshift.io": (),
    "console.openshift.io": (),
    "datasciencecluster.opendatahub.io": (),
    "dscinitialization.opendatahub.io": (),
    "gateway.networking.k8s.io": (),
    "image.openshift.io": ("ImageStream", "ImageStreamTag"),
    "kueue.x-k8s.io": (),
    "monitoring.coreos.com": ("PodMonitor", "Probe", "PrometheusRule", "ScrapeConfig", "ServiceMonitor"),
    "operators.coreos.com": ("OperatorGroup",),
    "quota.openshift.io": (),
    "route.openshift.io": (),
    "scorecard.operatorframework.io": (),
    "security.openshift.io": (),
    "snapshot.storage.k8s.io": (),
}
"""Group → the kinds for which nobody makes pods, or other objects that have names here; all if empty."""
ELECTION = frozenset({"configmaps", "endpoints", "events", "leases"})
"""Resources of a role for the election of a leader, which creates nothing that others need."""
PODS = (
    *(("", each) for each in ("pods", "replicationcontrollers")),
    *(("apps", each) for each in ("daemonsets", "deployments", "replicasets", "statefulsets")),
    *(("batch", each) for each in ("cronjobs", "jobs")),
)
"""Groups and resources of which one is enough to bring pods."""
MANY = 20
"""Of how many accounts and pods it is worth to ask."""
SERVICES = (("", "services"),)
ACCOUNTS = (("", "serviceaccounts"),)
NAME = compile_late(r"[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?")
Resources: TypeAlias = tuple[tuple[str, str], ...]
"""Groups and resources of which one may be created."""


class CreatorGrant(NamedTuple):
    """What one role lets an account do."""

    account: RbacSubject
    where: str | None
    """The namespace that it holds in, empty where nobody says it; None for all of the cluster."""
    permits: tuple[Permit, ...]

    def can_create(self, resources: Resources, namespace: str) -> bool:
        """Return whether it permits to create one of some resources in a namespace."""
        here = not self.where or not namespace or self.where == namespace
        return here and any(
            each.allows(SinglePermission("create", *resource))
            for each in self.permits
            for resource in resources
        )


class Creators:
    """The accounts of a target that may create objects, and the custom resources that they may do it for."""

    def __init__(self, index: TargetIndex, minors: tuple[int, ...]) -> None:
        """Resolve the roles and bindings of a target."""
        self._access = index.access
        self._running: dict[str, list[PodView]] = {}
        for pod in index.pods:
            self._running.setdefault(pod.service_account, []).append(pod)
        accounts = [
            RbacSubject(ACCOUNT, each.id.namespace, each.id.name) for each in index.objects_of("", ACCOUNT)
        ]
        self._here: dict[str, set[str]] = {}
        runners = [RbacSubject(ACCOUNT, pod.namespace, pod.service_account) for pod in index.pods]
        for holder in (*accounts, *runners):
            self._here.setdefault(holder.name, set()).add(holder.namespace)
        known = {*accounts, *(each for each in self._access.held if self._is_known_account(each))}
        self._grants = [grant for each in sorted(known) for grant in self._list_grants(each)]
        self._creating: dict[tuple[Resources, str], list[CreatorGrant]] = {}
        self._custom: dict[str, Manifest] = {}
        for each in index.manifests:
            if not is_kubernetes_group(each.id.group, minors) and not _creates_no_objects(each):
                self._custom.setdefault(each.id.namespace, each)

    def find_custom_resource(self, namespace: str) -> Manifest | None:
        """Return a custom resource for which a controller may create objects in a namespace."""
        if not namespace:
            return next(iter(self._custom.values()), None)
        return self._custom.get(namespace) or self._custom.get("")

    def find_grants(
        self, resources: Resources, namespace: str, by: Manifest | None = None
    ) -> list[CreatorGrant]:
        """Return some accounts that may create one of some resources, except those that wait for it.

        That is whoever runs only in the pods of `by`, which wait for it, or gets a role through it.
        """
        if (key := (resources, namespace)) not in self._creating:
            self._creating[key] = [each for each in self._grants if each.can_create(*key)]
        free = (each for each in self._creating[key] if self._is_independent_of(each.account, by, resources))
        return list(islice(free, MANY))

    def knows_name(self, grant: CreatorGrant, resources: Resources, name: str, by: Manifest | None) -> bool:
        """Return whether an account knows the name of an object: by a rule, a command or a variable."""
        if any((grant.account, resource, name) in self._named_objects for _, resource in resources):
            return True
        return any(self._runs_as_account(pod, grant.account) for pod, _ in self._find_mentions(name, by))

    def is_created_by_script(self, name: str, by: Manifest | None) -> bool:
        """Return whether a command of a pod creates an object of that name, as far as its text shows."""
        return any("create" in text for _, text in self._find_mentions(name, by))

    def _find_mentions(self, name: str, by: Manifest | None) -> Iterator[tuple[PodView, str]]:
        """Yield some of the pods whose containers mention a name, with the text."""
        return (
            each for each in islice(self._texts_by_word.get(name, ()), MANY) if each[0].manifest is not by
        )

    @cached_property
    def _texts_by_word(self) -> dict[str, list[tuple[PodView, str]]]:
        found: dict[str, list[tuple[PodView, str]]] = {}
        for pods in self._running.values():
            for pod in pods:
                for text in list_container_texts(pod):
                    for word in dict.fromkeys(NAME.findall(text)):
                        found.setdefault(word, []).append((pod, text))
        return found

    @cached_property
    def _named_objects(self) -> frozenset[tuple[RbacSubject, str, str]]:
        """Return the objects that rules name: account, resource and name."""
        return frozenset(
            (grant.account, resource, name)
            for grant in self._grants
            for permit in grant.permits
            for name in permit.names
            for resource in permit.resources
        )

    def _is_known_account(self, holder: RbacSubject) -> bool:
        """Return whether an account is among the objects; one without a namespace may be in any."""
        if holder.kind != ACCOUNT:
            return False
        if any(
            (each.binding.id.group, each.binding.id.kind) == BUNDLED for each in self._access.held[holder]
        ):
            return True
        spaces = self._here.get(holder.name, set())
        return not spaces.isdisjoint(("", holder.namespace)) or bool(spaces and not holder.namespace)

    def _runs_as_account(self, pod: PodView, account: RbacSubject) -> bool:
        """Return whether a pod runs as an account."""
        here = account.namespace == pod.namespace or not account.namespace or not pod.namespace
        return here and pod.service_account == account.name

    def _list_grants(self, account: RbacSubject) -> Iterator[CreatorGrant]:
        for held in self._access.roles_of(account):
            permits = self._access.rules_of(held.role)
            words = {each.partition("/")[0] for permit in permits for each in permit.resources}
            if not words & {"events", "leases"} or not words <= ELECTION:
                yield CreatorGrant(account, held.where, permits)

    def _is_independent_of(self, account: RbacSubject, by: Manifest | None, resources: Resources) -> bool:
        """Return whether an account can work without what another object waits for."""
        if by is None:
            return True
        if by.id.group == RBAC:
            return not any(each.binding is by for each in self._access.roles_of(account))
        running = (pod for pod in self._running.get(account.name, ()) if self._runs_as_account(pod, account))
        pods = list(islice(running, 2))
        # A pod without an account is perhaps meant to run as one that no pod runs as.
        return any(pod.manifest is not by for pod in pods) or (not pods and resources != ACCOUNTS)


def list_container_texts(pod: PodView) -> Iterator[str]:
    """Yield the commands, arguments and variables of the containers of a pod."""
    for container in pod.containers:
        values = [each.get("value") for _, each in container.variables]
        words = [
            *(each for each in values if isinstance(each, str)),
            *(word for _, word in container.arguments),
        ]
        yield "\n".join(word[:LONGEST] for word in words)


def _creates_no_objects(each: Manifest) -> bool:
    kinds = MAKE_NOTHING.get(each.id.group)
    return kinds is not None and (not kinds or each.id.kind in kinds)
