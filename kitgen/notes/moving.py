"""What to do about kinds that a migration moves: follow it, and remove what is old by hand."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.diff.crds.compare import CRD_MOVED_DECLARED
from kitgen.diff.risk import Risk
from kitgen.model.moves import THEN
from kitgen.notes.commands import delete_crd
from kitgen.notes.kinds import versions
from kitgen.notes.model import Step
from kitgen.notes.steps import Group, Line
from kitgen.review import Reviewed
from kitgen.review.change import Hold

RULE = CRD_MOVED_DECLARED.id


def carry_over(group: Group) -> Iterator[Step]:
    """Yield a step for each migration, before all others: these may lose what it carries."""

    def ways(each: Reviewed, hold: Hold) -> Iterator[Line]:
        was, now = each.change.detail, hold.object.name
        old, new = (", ".join(versions(body)) for body in group.scene.crds[now])
        yield (f"{was} → {now}" if was != now else f"{now}: {old} → {new}"), ()

    for commands, part in _by_migration(group).items():
        told = ", then ".join(f"`{each}`" for each in commands.split(THEN))
        text = (
            f"Carry the resources of these kinds over, phase by phase, as {told} tells. Leave no phase out: "
            "what is not carried over is lost, or stays behind with nobody to look after it."
        )
        yield from (replace(step, risk=Risk.BREAKING.value) for step in part.step(text, ways))


def _by_migration(group: Group) -> dict[str, Group]:
    found: dict[str, list[Reviewed]] = {}
    for each in group.some:
        found.setdefault(each.change.hint, []).append(each)
    return {commands: replace(group, some=tuple(some)) for commands, some in found.items()}


def remove_old(group: Group) -> Iterator[Step]:
    """Yield that old CRDs stay until somebody removes them."""

    def old(each: Reviewed, hold: Hold) -> Iterator[Line]:
        if (was := each.change.detail) != hold.object.name:
            yield was, (delete_crd(was),)

    text = (
        "Delete these CRDs by hand, once no resource of them is left and a backup is there. Until then, "
        "nothing may prune them."
    )
    yield from group.step(text, old)
