"""Labels of access roles in a real tree: those of audiences, those that all roles have, and the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from kitgen.render.expressions import THE_ROLE
from kitgen.text.yaml import Json, JsonObject

TRUE = "true"


def plain_labels(before: JsonObject, aggregates: JsonObject) -> set[str]:
    """Return the labels that an older spec says as such, though they have the value of an audience's."""
    known = {each["label"] for each in (*aggregates.values(), *_aggregates(before).values())}
    found = [before.get("labels") or {}, *(each.get("labels") or {} for each in _resources(before))]
    return {key for labels in found for key, text in labels.items() if text == TRUE} - known


def audience_labels(labels: JsonObject, plain: Collection[str]) -> set[str]:
    """Return those labels of a role by which other roles may take it in."""
    return {key for key, text in labels.items() if text == TRUE and key not in plain and key.split() == [key]}


def other_labels(labels: JsonObject, joined: Collection[str], called: str) -> JsonObject:
    """Return the other labels; what a role is called is an expression in them."""
    return {key: text.replace(called, THE_ROLE) for key, text in labels.items() if key not in joined}


def common_labels(before: JsonObject, found: Sequence[JsonObject]) -> JsonObject:
    """Return the labels that are said once for all pairs of roles.

    Those of the older spec stay if half of the pairs have them, or all have the key.
    """
    said: JsonObject = before.get("labels") or {}
    if not found:
        return dict(said)
    apart = {pair for each in _resources(before) for pair in (each.get("labels") or {}).items()}
    counts = Counter(pair for labels in found for pair in labels.items())
    keys = Counter(key for labels in found for key in labels)
    made: JsonObject = {}
    for (key, text), count in sorted(counts.items()):
        if said.get(key) == text:
            if 2 * count >= len(found) or keys[key] == len(found):
                made[key] = text
        elif count == len(found) and (key, text) not in apart:
            made[key] = text
    return made


def with_others(before: JsonObject, aggregates: JsonObject, used: Collection[str]) -> JsonObject:
    """Return all audiences: also those whose role is none of the component's, by the labels that are used.

    An audience of the older spec that nobody was of stays, since no tree could show it.
    """
    made = dict(aggregates)
    labels = {each["label"] for each in made.values()}
    members = {name for each in _resources(before) for name in _members(each)}
    for name, each in _aggregates(before).items():
        label = each["label"]
        idle = "role" not in each and name not in members
        if name not in made and label not in labels and (label in used or idle):
            made[name] = {"label": label}
            labels.add(label)
    for label in sorted({*used} - labels):
        short = label.rpartition("/")[2]
        made[label if not short or short in made else short] = {"label": label}
    return made


def _members(resource: JsonObject) -> Iterable[str]:
    return f"{resource.get('editors', '')} {resource.get('viewers', '')}".split()


def _resources(before: JsonObject) -> Iterable[JsonObject]:
    found: Json = before.get("resources")
    return found.values() if isinstance(found, dict) else ()


def _aggregates(before: JsonObject) -> JsonObject:
    """Return the audiences of an older spec; a feature may say a part of one alone."""
    found: Json = before.get("aggregates") or {}
    return {name: each for name, each in found.items() if isinstance(each, dict) and "label" in each}
