"""What changes for administrators: by topic, the worst first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from kitgen.compare.change import Risk
from kitgen.compare.objects.difference import redact_sides
from kitgen.compare.report.review_view import View
from kitgen.compare.review.change import ReviewedChange
from kitgen.compare.upgrade import rules as upgrades
from kitgen.release.notes.changes import find_worst_risk, group_object_changes, select_targets, sort_by_risk
from kitgen.release.notes.kinds import STORING
from kitgen.release.notes.model import ChangedImage, Topic, TopicName
from kitgen.text.patterns import compile_late
from kitgen.text.values import group_pairs

IMAGE = compile_late(r"ontainers\[(?P<container>[^\]]*)\]\.image$")
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


def is_image_change(each: ReviewedChange) -> bool:
    """Return whether a change is about the image of a container."""
    return bool(IMAGE.search(each.change.path)) and any(hold.differences for hold in each.holds)


def group_by_topic(
    changes: Iterable[ReviewedChange], targets: tuple[str, ...], view: View
) -> tuple[Topic, ...]:
    """Return the changes of each topic, the worst topic first."""
    found = group_pairs((BY_RULE.get(each.change.rule.id, OTHER), each) for each in changes)
    return sort_by_risk(
        _build_topic(name, found[name], targets, view) for name in (*TOPICS, OTHER) if name in found
    )


def _build_topic(name: TopicName, some: list[ReviewedChange], targets: tuple[str, ...], view: View) -> Topic:
    rest = [each for each in some if each.risk is not Risk.COSMETIC]
    return Topic(
        topic=name,
        risk=find_worst_risk(some),
        changes=group_object_changes(rest, targets, view),
        cosmetic=len(some) - len(rest),
    )


def list_changed_images(
    changes: Iterable[ReviewedChange], targets: tuple[str, ...]
) -> tuple[ChangedImage, ...]:
    """Return every image that is another one, with the targets that take it."""
    found = group_pairs(pair for each in changes for pair in _list_images(each))
    listed = (
        replace(image, only=select_targets(filter(None, scopes), targets)) for image, scopes in found.items()
    )
    return tuple(sorted(listed, key=lambda each: (each.component, each.container, each.only)))


def _list_images(each: ReviewedChange) -> Iterator[tuple[ChangedImage, str]]:
    """Yield images with the targets that they are in."""
    for hold in each.holds:
        for one in hold.differences:
            if match := IMAGE.search(one.field):
                now, was = (None if side is None else str(side) for side in redact_sides(one))
                yield (
                    ChangedImage(
                        risk=each.risk,
                        component=hold.component,
                        container=match["container"],
                        before=was,
                        after=now,
                    ),
                    hold.scope,
                )
