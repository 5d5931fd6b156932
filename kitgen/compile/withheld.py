"""Permissions that a target withholds, taken from the roles of a component."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.compile.context import Context
from kitgen.compile.made import Made
from kitgen.compile.withholding import KEEP, Index, grants, left_of, missing
from kitgen.findings import By, Cause, Chapter, Finding, Rule, near_or_known
from kitgen.model import Withheld
from kitgen.objects import Manifest, Move, Source
from kitgen.objects.rbac.rules import permission
from kitgen.yamlio import Json, JsonObject

WITHHOLD_NOTHING = Rule(
    id="withhold-nothing",
    chapter=Chapter.TARGET,
    checks=(
        "What a target withholds is granted by a role of the component, and not by a rule from which it "
        "cannot be taken: by way of a `*` that cannot be written out, or for every name."
    ),
    fix="Name what the role grants, or remove it.",
)

WITHHELD = Cause(By.SETTING, "withhold")
KINDS = ("ClusterRole", "Role")
Step: TypeAlias = tuple[JsonObject, Source]
"""A permission that is taken away, and what to say of it."""
Part: TypeAlias = tuple[JsonObject, tuple[Source, ...]]
"""A rule, and what was taken from it."""


def withhold(context: Context, objects: list[Manifest]) -> Made[list[Manifest]]:
    """Take from roles what the target withholds, and say why; what nobody grants is a finding."""
    if not context.settings.withheld:
        return Made(objects)
    roles = [each for each in objects if each.id.kind in KINDS and _is_sound(each.body.get("rules"))]
    places = {id(each) for each in roles}
    found = [each for withheld in context.settings.withheld for each in _problems(context, withheld, roles)]
    made = [_without(context, each) if id(each) in places else each for each in objects]
    return Made(made, tuple(found))


def _is_sound(rules: Json) -> bool:
    """Tell whether rules have the shape of some; what has another one is for the schemas to tell."""
    return isinstance(rules, list) and all(
        isinstance(rule, dict)
        and all(
            isinstance(words, list) and all(isinstance(word, str) for word in words)
            for words in rule.values()
        )
        for rule in rules
    )


def taken(withheld: Withheld) -> Iterator[tuple[str, JsonObject]]:
    """Yield what is withheld by its key: a rule, with the names that it is not withheld for."""
    for key, verbs in withheld.permissions.items():
        yield key, {**permission(key, verbs), **({KEEP: withheld.keep} if withheld.keep else {})}


def _is_for(context: Context, withheld: Withheld, role: Manifest) -> bool:
    return withheld.role in ("", role.id.name) or context.name(withheld.role) == role.id.name


def _without(context: Context, role: Manifest) -> Manifest:
    """Take from a role what is withheld; rules keep their sources where they end up."""
    index: Index[Step] = Index()
    for withheld in (each for each in context.settings.withheld if _is_for(context, each, role)):
        for key, gone in taken(withheld):
            at = withheld.origin.at("permissions", key)
            why = Source(path=("rules",), cause=WITHHELD, origin=at, why=withheld.why)
            index.add(gone, (gone, why))
    rules: list[JsonObject] = []
    places: list[int | None] = []
    sources: list[Source] = []
    for rule in role.body["rules"]:
        left, lost = _parted(rule, index.near(rule))
        places.append(len(rules) if left else None)
        for part, whys in left:
            sources += [replace(why, path=("rules", len(rules))) for why in whys]
            rules.append(part)
        sources += [replace(why, partial=True) for why in lost]
    if not sources:
        return role
    return role.moved([Move(("rules",), tuple(places))]).with_({**role.body, "rules": rules}, *sources)


def _parted(rule: JsonObject, steps: Iterable[Step]) -> tuple[list[Part], list[Source]]:
    """Return what is left of a rule, each part with what made it so, and what took parts away whole."""
    parts: list[Part] = [(rule, ())]
    lost = []
    for gone, why in steps:
        found: list[Part] = []
        for part, whys in parts:
            left = left_of(part, gone)
            if not left:
                lost.append(why)
            elif left == [part]:
                found.append((part, whys))
            else:
                found += [(left[0], (*whys, why)), *((each, (why,)) for each in left[1:])]
        parts = found
    return parts, lost


def _problems(context: Context, withheld: Withheld, roles: list[Manifest]) -> Iterator[Finding]:
    """Yield a finding for what is withheld and not granted, or granted so that it cannot be taken away."""
    chosen = [each for each in roles if _is_for(context, withheld, each)]
    if not chosen and withheld.role:
        known = [each.id.name.removeprefix(context.component.prefix) for each in roles]
        message = f"found no role {withheld.role!r} to withhold from"
        hint = near_or_known(withheld.role, known)
        yield WITHHOLD_NOTHING(message, hint=hint).at(withheld.origin.at("role"))
        return
    index: Index[tuple[Manifest, JsonObject]] = Index()
    for role in chosen:
        for rule in role.body["rules"]:
            index.add(rule, (role, rule))
    for key, gone in taken(withheld):
        at = withheld.origin.at("permissions", key)
        if withheld.keep and "resources" not in gone:
            message = f"found names to keep, which {key!r} has not"
            yield WITHHOLD_NOTHING(message, hint="withhold it by itself").at(withheld.origin.at("keep"))
        granting = [each for each in index.near(gone) if grants(each[1], gone)]
        for what in missing(gone, [rule for _, rule in granting]):
            yield WITHHOLD_NOTHING(f"found {what}, which no role grants", hint="remove it").at(at)
        wide = {role.id.name: rule for role, rule in reversed(granting) if _is_too_wide(rule, gone)}
        for name, rule in wide.items():
            how = "for every name" if "resourceNames" in gone and not rule.get("resourceNames") else "by '*'"
            message = f"found {key!r}, which {name} grants {how}, so that it is not withheld"
            hint = "write out what the role grants, or name another role"
            yield WITHHOLD_NOTHING(message, hint=hint).at(at)


def _is_too_wide(rule: JsonObject, gone: JsonObject) -> bool:
    """Tell whether a rule still grants what was taken from it, by way of something wider."""
    return any(grants(each, gone) for each in left_of(rule, gone))
