"""Data of a migration that fits its schema → model."""

from __future__ import annotations

from msgspec import UNSET

from kitgen.findings import Finding, Origin
from kitgen.load.ranges import read_range
from kitgen.model.migration import (
    DroppedKind,
    KindName,
    Migration,
    MovedField,
    MovedKey,
    MovedKind,
    OwnStep,
    Phase,
    Policy,
    StepPlace,
    Way,
)
from kitgen.yamlio import JsonObject


def built(data: JsonObject, origin: Origin) -> tuple[Migration, list[Finding]]:
    """Return a migration, and what is wrong with its range of minors."""
    span, wrong = read_range(data["kubernetes"], origin.at("kubernetes"))
    kinds = tuple(_kind(each, origin.at("kinds", index)) for index, each in enumerate(data["kinds"]))
    keys = tuple(
        MovedKey(
            key=each["key"],
            policy=Policy(each["policy"]),
            to=each.get("to", ""),
            reason=each["reason"],
            origin=origin.at("keys", index),
        )
        for index, each in enumerate(data.get("keys", ()))
    )
    made = Migration(
        name=data["migration"],
        about=data["about"],
        way=Way(data["path"]),
        targets=tuple(data["targets"]),
        component=data["component"],
        minors=span,
        kinds=kinds,
        drops=tuple(
            DroppedKind(
                kind=KindName(*each["kind"].split("/")),
                reason=each["reason"],
                origin=origin.at("drops", index),
            )
            for index, each in enumerate(data.get("drops", ()))
        ),
        keys=keys,
        steps=tuple(
            _step(each, origin.at("steps", index)) for index, each in enumerate(data.get("steps", ()))
        ),
        before=data["before"],
        both=data.get("both", ""),
        after=data["after"],
        origin=origin,
    )
    return made, wrong


def _kind(data: JsonObject, origin: Origin) -> MovedKind:
    before, after = (KindName(*data[side].split("/")) for side in ("from", "to"))
    fields = tuple(
        MovedField(
            field=steps_of(each["from"]),
            to=steps_of(each["to"]) if "to" in each else (),
            lost=each.get("lost", ""),
            default=each.get("default", UNSET),
            origin=origin.at("fields", index),
        )
        for index, each in enumerate(data.get("fields", ()))
    )
    return MovedKind(before=before, after=after, fields=fields, origin=origin)


def _step(data: JsonObject, origin: Origin) -> OwnStep:
    return OwnStep(
        phase=Phase(data["phase"]),
        place=StepPlace(data.get("place", StepPlace.LAST)),
        title=data["title"],
        why=data.get("why", ""),
        commands=tuple(data.get("commands", ())),
        origin=origin,
    )


def steps_of(field: str) -> tuple[str, ...]:
    """Return the steps of a field such as `spec.items[].name`; `[]` is a step of its own."""
    return tuple(step for part in field.split(".") for step in part.replace("[]", ".[]").split("."))
