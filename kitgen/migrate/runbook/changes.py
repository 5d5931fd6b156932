"""What the objects of a phase have that those of the phase before have not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from kitgen.kit.model.migration import Migration
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.migrate.phases.admission import BINDING, GROUP, POLICY, WEBHOOKS
from kitgen.migrate.phases.objects import PhaseMade
from kitgen.migrate.runbook.kinds import KindSide, MovingKind
from kitgen.render.overlays.files import file_names

CRD, NAMESPACE = "CustomResourceDefinition", "Namespace"


class Changing(Struct, frozen=True, kw_only=True):
    """A phase, and the one before it."""

    made: PhaseMade
    earlier: PhaseMade | None
    added: tuple[ObjectId, ...]
    changed: tuple[ObjectId, ...]
    gone: tuple[ObjectId, ...]

    @property
    def is_release(self) -> bool:
        """Tell whether the phase brings another release than the one before."""
        return self.earlier is not None and self.earlier.release != self.made.release

    def files(self, some: Iterable[ObjectId], *, earlier: bool = False) -> list[str]:
        """Return the files of objects in the folder of the phase, or of the one before."""
        made = self.earlier if earlier and self.earlier else self.made
        names = file_names({each.id: each for each in made.objects})
        return [names[each] for each in some]


def changing(made: PhaseMade, earlier: PhaseMade | None) -> Changing:
    """Compare a phase with the one before it; the first one changes nothing."""
    new = {each.id: each.body for each in made.objects}
    old = {each.id: each.body for each in earlier.objects} if earlier else new
    return Changing(
        made=made,
        earlier=earlier,
        added=tuple(each for each in new if each not in old),
        changed=tuple(each for each in new if each in old and new[each] != old[each]),
        gone=tuple(each for each in old if each not in new),
    )


def in_words(found: Changing) -> tuple[str, ...]:
    """Say what changes, an object a line."""
    return tuple(_lines(found))


def _lines(found: Changing) -> Iterator[str]:
    for word, some in (("adds", found.added), ("changes", found.changed), ("no longer has", found.gone)):
        yield from (f"{word} {_name(each)}" for each in some)


def _name(each: ObjectId) -> str:
    return f"{each} in {each.namespace}" if each.namespace else str(each)


def by_hand(
    migration: Migration, some: Iterable[ObjectId], kinds: Iterable[MovingKind], dropped: Iterable[KindSide]
) -> list[ObjectId]:
    """Return the objects that no installer brings: CRDs that move or go, the policy, the mover's role."""
    crds = {name for each in kinds for name in (each.old.crd, each.new.crd)} | {each.crd for each in dropped}
    own = {("ClusterRole", role_name(migration))}
    own |= {(kind, policy_name(migration)) for kind in (POLICY, BINDING)}
    own |= {(CRD, name) for name in crds}
    return [each for each in some if (each.kind, each.name) in own]


def leftovers(found: Changing) -> list[ObjectId]:
    """Return what leaves the tree and may be deleted; what holds other things is left to people."""
    return _movable(found.gone)


def additions(found: Changing) -> list[ObjectId]:
    """Return what the phase adds and may be deleted on the way back, webhooks and the like first."""
    return _movable(found.added)[::-1]


def _movable(some: Iterable[ObjectId]) -> list[ObjectId]:
    return [each for each in some if each.kind not in (CRD, NAMESPACE)]


def new_crds(found: Changing) -> list[Manifest]:
    """Return the CRDs that the phase adds."""
    added = {*found.added}
    return [each for each in found.made.objects if each.id in added and each.id.kind == CRD]


def deployments(found: Changing) -> list[ObjectId]:
    """Return the Deployments that the phase adds or changes."""
    return [each for each in (*found.added, *found.changed) if each.kind == "Deployment"]


def has_policy(migration: Migration, made: PhaseMade) -> bool:
    """Tell whether a phase refuses new resources of old kinds."""
    wanted = (GROUP, POLICY, policy_name(migration))
    return any((each.id.group, each.id.kind, each.id.name) == wanted for each in made.objects)


def policy_name(migration: Migration) -> str:
    """Return what the policy that refuses them is called, and its binding."""
    return f"{migration.name}-old-kinds"


def role_name(migration: Migration) -> str:
    """Return what the role of those is called who carry resources over."""
    return f"{migration.name}-migration"


def webhooks(made: PhaseMade, kinds: Iterable[MovingKind]) -> list[ObjectId]:
    """Return the webhook configurations that servers ask about the kinds."""
    groups = {side.api_version.rpartition("/")[0] for each in kinds for side in (each.old, each.new)}
    return [each.id for each in made.objects if each.id.kind in WEBHOOKS and _asks(each, groups)]


def _asks(each: Manifest, groups: set[str]) -> bool:
    rules = (rule for hook in each.body.get("webhooks") or () for rule in hook.get("rules") or ())
    return any(groups & {*(rule.get("apiGroups") or ())} for rule in rules)
