"""Policy rules of roles, and what they permit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

from kitgen.findings import Path
from kitgen.text.values import entries_at
from kitgen.text.wording import text_of
from kitgen.text.yaml import Json, JsonObject

ALL = "*"
WORDS = {
    "manage": ("create", "delete", "get", "list", "patch", "update", "watch"),
    "read": ("get", "list", "watch"),
}
FULL, READ = frozenset(WORDS["manage"]), frozenset(WORDS["read"])
WRITES = ("update", "patch")
"""The verbs that change an object."""


def parse_permission(key: str, verbs: str) -> JsonObject:
    """Turn `group/resource,resource[name]: verbs` into a policy rule."""
    words = dict.fromkeys(verb for word in verbs.split() for verb in WORDS.get(word, (word,)))
    if key.startswith("/"):
        return {"nonResourceURLs": [key], "verbs": list(words)}
    path, _, names = key.rstrip("]").partition("[")
    group, _, resources = path.partition("/")
    rule = {"apiGroups": ["" if group == "core" else group], "resources": resources.split(",")}
    if names:
        rule["resourceNames"] = names.split(",")
    return {**rule, "verbs": list(words)}


def format_verbs(verbs: Iterable[str]) -> str:
    """Write verbs as people do: manage and read where they fit."""
    if (found := {*verbs}) >= FULL:
        return " ".join(("manage", *sorted(found - FULL)))
    return "read" if found == READ else " ".join(sorted(found))


def shorten_verbs(verbs: Iterable[str]) -> list[str]:
    """Return verbs in short: manage for all that is usual, read for what changes nothing, then the others."""
    found = {*verbs}
    for word, some in (("manage", FULL), ("read", READ)):
        if found >= some:
            return [word, *sorted(found - some)]
    return sorted(found)


def matches_rule_value(key: str, wide: str, narrow: str) -> bool:
    """Return whether a word of a rule, which may be a wildcard, covers another one, as in RBAC."""
    if wide == narrow or (wide == ALL and key != "resourceNames"):
        return True
    if key == "resources" and wide.startswith("*/"):
        return narrow.partition("/")[2] == wide[2:]
    return key == "nonResourceURLs" and wide.endswith(ALL) and narrow.startswith(wide[:-1])


Spot: TypeAlias = tuple[str, str, str, str]
"""Group, resource, name of an object and URL: what verbs are for."""


class SinglePermission(NamedTuple):
    """A single permission: one verb for one resource, object or URL."""

    verb: str
    group: str = ""
    resource: str = ""
    name: str = ""
    """Empty for all objects."""
    url: str = ""
    """If it is for one, all the rest but the verb is empty."""

    @property
    def resource_key(self) -> str:
        """Return what the verb is for, in the words of specs."""
        return self.url or format_resource(self.group, self.resource) + (
            f"[{self.name}]" if self.name else ""
        )


def format_resource(group: str, resource: str) -> str:
    """Return what a resource is called in specs: with its group, which for some is core."""
    return f"{group or 'core'}/{resource}"


class Permit(NamedTuple):
    """One rule of a role; every list is as it was written, so that places in it are known."""

    path: Path
    """Where it stands in its object."""
    verbs: Sequence[str] = ()
    groups: Sequence[str] = ()
    resources: Sequence[str] = ()
    names: Sequence[str] = ()
    urls: Sequence[str] = ()

    def allows(self, one: SinglePermission) -> bool:
        """Return whether it permits something by itself."""
        if one.verb not in self.verbs and ALL not in self.verbs:
            return False
        if one.url:
            return _matches_any("nonResourceURLs", self.urls, one.url)
        return (
            self.has_group(one.group)
            and _matches_any("resources", self.resources, one.resource)
            and (not self.names or one.name in self.names)
        )

    def has_group(self, group: str) -> bool:
        """Return whether it is about an API group."""
        return group in self.groups or ALL in self.groups

    @property
    def size(self) -> int:
        """Return how many resources, objects and URLs it is for."""
        return len(self.groups) * len(self.resources) * max(1, len(self.names)) + len(self.urls)

    def expand(self) -> Iterator[Spot]:
        """Yield every single thing that it is for; a rule may have millions."""
        yield from product(self.groups, self.resources, self.names or ("",), ("",))
        yield from product(("",), ("",), ("",), self.urls)


def _matches_any(key: str, have: Collection[str], wanted: str) -> bool:
    return wanted in have or any(matches_rule_value(key, each, wanted) for each in have if ALL in each)


def read_rules(rules: Json, at: Path = ("rules",)) -> tuple[Permit, ...]:
    """Return the rules of a list of any shape."""
    keys = ("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs")
    return tuple(
        Permit((*at, index), *[_read_words(rule.get(key)) for key in keys])
        for index, rule in entries_at(rules)
    )


def _read_words(words: Json) -> list[str]:
    """Return the words of a list; null is an empty one, as servers read it."""
    if not isinstance(words, list):
        return []
    return [each if isinstance(each, str) else "" if each is None else text_of(each) for each in words]
