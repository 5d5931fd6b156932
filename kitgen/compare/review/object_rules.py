"""What the rules of upgrades and of security say of two states of one object."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.security import baseline, restricted
from kitgen.check.security.baseline import Reason
from kitgen.compare.review.change import PlaceRanking, rank_problem
from kitgen.compare.upgrade.immutable import check_immutable_fields
from kitgen.compare.upgrade.services import check_service_ports
from kitgen.compare.upgrade.values import list_named_pods
from kitgen.compare.upgrade.versions import check_downgrades
from kitgen.kube.pods import ContainerView, PodView
from kitgen.text.wording import join_words, quote_text
from kitgen.text.yaml import JsonObject

MOST = 3


def rank_object_changes(
    old: JsonObject, new: JsonObject, minor: int, *, kept: bool
) -> Iterator[PlaceRanking]:
    """Yield what is to be said of an object that is still there, under the name that it had or another."""
    yield from map(rank_problem, check_immutable_fields(old, new, (minor,)) if kept else ())
    yield from map(rank_problem, (*check_downgrades(old, new), *check_service_ports(old, new)))
    yield from _rank_pods(old, new, minor)


def _rank_pods(old: JsonObject, new: JsonObject, minor: int) -> Iterator[PlaceRanking]:
    """Yield what pods do that the Pod Security Standards warn of, and did not do before."""
    known = dict(list_named_pods(old))
    for name, pod in list_named_pods(new):
        if name in known or not name:
            yield from _rank_weaker_pod(known.get(name), pod, minor)


def describe_pod_violations(body: JsonObject, minor: int) -> str:
    """Write what a new object's pods do that even the level baseline forbids; nothing if they do not."""
    for _, pod in list_named_pods(body):
        if said := [each.said for each in baseline.check_baseline(pod, _sort_containers(pod), minor)]:
            return join_words(said, last="and", most=MOST)
    return ""


def _sort_containers(pod: PodView) -> list[ContainerView]:
    return sorted(pod.containers, key=lambda each: each.kind != "initContainers")


def _rank_weaker_pod(was: PodView | None, now: PodView, minor: int) -> Iterator[PlaceRanking]:
    before, after = _collect_reasons(was, minor) if was else {}, _collect_reasons(now, minor)
    gone = {part for part, _ in before} - {part for part, _ in after}
    renamed = {_drop_container_name(*each) for each in before if each[0] in gone}
    told = set()
    for (part, said), each in after.items():
        if (
            (part, said) not in before
            and _drop_container_name(part, said) not in renamed
            and said not in told
        ):
            told.add(said)
            yield PlaceRanking("pod-weaker", f"found {said}", each.path)


def _drop_container_name(part: str, said: str) -> str:
    """Return what is said of a container without its name, which it may have changed."""
    return said.replace(quote_text(part), "")


def _collect_reasons(pod: PodView, minor: int) -> dict[tuple[str, str], Reason]:
    """Return what the standards warn of, by container and what is said of it; of the pod, by no container."""
    found: dict[tuple[str, str], Reason] = {}
    for name, some in (("", ()), *((part.name, (part,)) for part in _sort_containers(pod))):
        for each in (
            *baseline.check_baseline(pod, some, minor),
            *restricted.check_restricted(pod, some, minor),
        ):
            if ("", each.said) not in found:
                found[name, each.said] = each
    return found
