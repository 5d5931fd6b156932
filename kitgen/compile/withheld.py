"""Permissions that a target withholds, taken from the roles of a component."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.compile.context import Context
from kitgen.compile.made import Made
from kitgen.compile.withholding import grants, left_of, missing, permission, takes_from
from kitgen.findings import By, Cause, Chapter, Finding, Origin, Rule, near
from kitgen.model import Withheld
from kitgen.objects import Manifest, Move, Source
from kitgen.yamlio import Json, JsonObject

WITHHOLD_NOTHING = Rule(
    id="withhold-nothing",
    chapter=Chapter.TARGET,
    checks=(
        "What a target withholds is granted by a role of the component, and not by a rule from which it "
        "cannot be taken: by way of a `*`, or for every name."
    ),
    fix="Name what the role grants, or remove it.",
)

WITHHELD = Cause(By.SETTING, "withhold")
KINDS = ("ClusterRole", "Role")


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


def _is_for(context: Context, withheld: Withheld, role: Manifest) -> bool:
    return withheld.role in ("", role.id.name) or context.name(withheld.role) == role.id.name


def _without(context: Context, role: Manifest) -> Manifest:
    for withheld in (each for each in context.settings.withheld if _is_for(context, each, role)):
        for key, verbs in withheld.permissions.items():
            at = withheld.origin.at("permissions", key)
            source = Source(path=("rules",), cause=WITHHELD, origin=at, why=withheld.why)
            role = _taken(role, permission(key, verbs), source)
    return role


def _taken(role: Manifest, gone: JsonObject, why: Source) -> Manifest:
    """Take one permission from a role; rules keep their sources where they end up."""
    rules: list[JsonObject] = []
    places: list[int | None] = []
    sources = []
    for rule in role.body["rules"]:
        left, first = left_of(rule, gone), len(rules)
        places.append(first if left else None)
        if takes_from(gone, rule):
            new = range(first, first + len(left))
            sources += [replace(why, path=("rules", at)) for at in new] or [replace(why, partial=True)]
        rules += left
    if not sources:
        return role
    return role.moved([Move(("rules",), tuple(places))]).with_({**role.body, "rules": rules}, *sources)


def _problems(context: Context, withheld: Withheld, roles: list[Manifest]) -> Iterator[Finding]:
    """Yield a finding for what is withheld and not granted, or granted so that it cannot be taken away."""
    chosen = [each for each in roles if _is_for(context, withheld, each)]
    if not chosen and withheld.role:
        known = [each.id.name.removeprefix(context.component.prefix) for each in roles]
        message = f"found no role {withheld.role!r} to withhold from"
        hint = near(withheld.role, known) or (f"known are {', '.join(known)}" if known else "there is none")
        yield WITHHOLD_NOTHING(message, hint=hint).at(withheld.origin.at("role"))
        return
    rules: list[JsonObject] = [rule for each in chosen for rule in each.body["rules"]]
    for key, verbs in withheld.permissions.items():
        gone, at = permission(key, verbs), withheld.origin.at("permissions", key)
        for what in missing(gone, rules):
            yield WITHHOLD_NOTHING(f"found {what}, which no role grants", hint="remove it").at(at)
        for role in chosen:
            yield from _too_wide(role, key, gone, at)


def _too_wide(role: Manifest, key: str, gone: JsonObject, at: Origin) -> Iterator[Finding]:
    """Yield a finding if a role still grants what was taken from it, by way of something wider."""
    for rule in role.body["rules"]:
        if any(grants(each, gone) for each in left_of(rule, gone)):
            how = "for every name" if "resourceNames" in gone and not rule.get("resourceNames") else "by '*'"
            message = f"found {key!r}, which {role.id.name} grants {how}, so that it is not withheld"
            yield WITHHOLD_NOTHING(message, hint="write out what the role grants, or name another role").at(
                at
            )
            return
