"""What changes for administrators: by topic, the worst first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kitgen.compare.change import Risk
from kitgen.compare.objects.difference import safe
from kitgen.compare.report.review_view import View
from kitgen.compare.review.change import Reviewed
from kitgen.compare.upgrade import rules as upgrades
from kitgen.release.notes.changes import only, told_any
from kitgen.release.notes.kinds import STORING
from kitgen.release.notes.model import ChangedImage, Topic, TopicName

IMAGE = re.compile(r"ontainers\[(?P<container>[^\]]*)\]\.image$")
"""How the place of an image ends, whichever list of containers it is in."""
OTHER: TopicName = "fields"
TOPICS: dict[TopicName, tuple[str, ...]] = {
    "permissions": (
        upgrades.UPGRADE_PERMISSION_LOST.id,
        upgrades.UPGRADE_PERMISSION_GAINED.id,
        "access-everybody",
        "permissions-unknown",
        "role-aggregated",
        "account-changed",
        "token-made",
        "permissions-kept",
    ),
    "webhooks": (
        upgrades.UPGRADE_WEBHOOK.id,
        "webhook-added",
        "webhook-changed",
        "webhook-elsewhere",
        "webhook-gone",
        "webhook-weaker",
    ),
    "objects": (
        upgrades.UPGRADE_DATA.id,
        upgrades.UPGRADE_GONE.id,
        upgrades.UPGRADE_NAMESPACE.id,
        upgrades.UPGRADE_RENAMED.id,
        "object-added",
        "object-unused",
    ),
    "network": (
        upgrades.UPGRADE_PORT_GONE.id,
        "address-gone",
        "service-exposed",
        "selection-changed",
        "selection-lost",
        "transport-weaker",
    ),
    "limits": (
        "constraints-changed",
        "namespace-level",
        "pod-weaker",
        "policy-changed",
    ),
    "configuration": (
        "arguments-changed",
        "configuration-changed",
        "resources-changed",
        "secret-changed",
    ),
}
"""Topic → the rules whose changes belong to it; all others are about fields."""
BY_RULE: dict[str, TopicName] = {
    **{rule: topic for topic, listed in TOPICS.items() for rule in listed},
    **dict.fromkeys(STORING, "objects"),
}


def is_image(each: Reviewed) -> bool:
    """Return whether a change is about the image of a container."""
    return bool(IMAGE.search(each.change.path)) and any(hold.differences for hold in each.holds)


def topics_of(changes: Iterable[Reviewed], targets: tuple[str, ...], view: View) -> tuple[Topic, ...]:
    """Return the changes of each topic, the worst topic first."""
    groups: dict[TopicName, list[Reviewed]] = {each: [] for each in (*TOPICS, OTHER)}
    for each in changes:
        groups[BY_RULE.get(each.change.rule.id, OTHER)].append(each)
    found = (_topic(name, some, targets, view) for name, some in groups.items() if some)
    return tuple(sorted(found, key=lambda each: each.risk.rank))


def _topic(name: TopicName, some: list[Reviewed], targets: tuple[str, ...], view: View) -> Topic:
    rest = [each for each in some if each.risk is not Risk.COSMETIC]
    return Topic(
        topic=name,
        risk=min((each.risk for each in some), key=lambda each: each.rank),
        changes=told_any(rest, targets, view),
        cosmetic=len(some) - len(rest),
    )


def images_of(changes: Iterable[Reviewed], targets: tuple[str, ...]) -> tuple[ChangedImage, ...]:
    """Return every image that is another one, with the targets that take it."""
    found: dict[tuple[Risk, str, str, str | None, str | None], dict[str, None]] = {}
    for each in changes:
        for key, scope in _images(each):
            found.setdefault(key, {})[scope] = None
    listed = (
        ChangedImage(
            risk=risk,
            component=component,
            container=container,
            before=before,
            after=after,
            only=only(filter(None, scopes), targets),
        )
        for (risk, component, container, before, after), scopes in found.items()
    )
    return tuple(sorted(listed, key=lambda each: (each.component, each.container, each.only)))


def _images(each: Reviewed) -> Iterator[tuple[tuple[Risk, str, str, str | None, str | None], str]]:
    for hold in each.holds:
        for one in hold.differences:
            if match := IMAGE.search(one.field):
                now, was = (None if side is None else str(side) for side in safe(one))
                yield (each.risk, hold.component, match["container"], was, now), hold.scope
