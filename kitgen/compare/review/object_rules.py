"""What the rules of upgrades and of security say of two states of one object."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.security import baseline, restricted
from kitgen.check.security.baseline import Reason
from kitgen.compare.review.change import PlaceRanking, by_upgrade
from kitgen.compare.upgrade.immutable import unchangeable
from kitgen.compare.upgrade.services import ports_gone
from kitgen.compare.upgrade.values import pods_in
from kitgen.compare.upgrade.versions import versions_back
from kitgen.kube.pods import ContainerView, PodView
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import JsonObject

MOST = 3


def judgements(old: JsonObject, new: JsonObject, minor: int, *, kept: bool) -> Iterator[PlaceRanking]:
    """Yield what is to be said of an object that is still there, under the name that it had or another."""
    yield from map(by_upgrade, unchangeable(old, new, (minor,)) if kept else ())
    yield from map(by_upgrade, (*versions_back(old, new), *ports_gone(old, new)))
    yield from _pods(old, new, minor)


def _pods(old: JsonObject, new: JsonObject, minor: int) -> Iterator[PlaceRanking]:
    """Yield what pods do that the Pod Security Standards warn of, and did not do before."""
    known = dict(pods_in(old))
    for name, pod in pods_in(new):
        if name in known or not name:
            yield from _weaker(known.get(name), pod, minor)


def dangers(body: JsonObject, minor: int) -> str:
    """Write what a new object's pods do that even the level baseline forbids; nothing if they do not."""
    for _, pod in pods_in(body):
        if said := [each.said for each in baseline.reasons(pod, _ordered(pod), minor)]:
            return choice(said, last="and", most=MOST)
    return ""


def _ordered(pod: PodView) -> list[ContainerView]:
    return sorted(pod.containers, key=lambda each: each.kind != "initContainers")


def _weaker(was: PodView | None, now: PodView, minor: int) -> Iterator[PlaceRanking]:
    before, after = _reasons(was, minor) if was else {}, _reasons(now, minor)
    gone = {part for part, _ in before} - {part for part, _ in after}
    renamed = {_unnamed(*each) for each in before if each[0] in gone}
    told = set()
    for (part, said), each in after.items():
        if (part, said) not in before and _unnamed(part, said) not in renamed and said not in told:
            told.add(said)
            yield PlaceRanking("pod-weaker", f"found {said}", each.path)


def _unnamed(part: str, said: str) -> str:
    """Return what is said of a container without its name, which it may have changed."""
    return said.replace(cut(part), "")


def _reasons(pod: PodView, minor: int) -> dict[tuple[str, str], Reason]:
    """Return what the standards warn of, by container and what is said of it; of the pod, by no container."""
    found: dict[tuple[str, str], Reason] = {}
    for name, some in (("", ()), *((part.name, (part,)) for part in _ordered(pod))):
        for each in (*baseline.reasons(pod, some, minor), *restricted.reasons(pod, some, minor)):
            if ("", each.said) not in found:
                found[name, each.said] = each
    return found
