"""What to do before an upgrade and after it, as the changes ask for it, the worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from kitgen.check.upgrade import rules as upgrades
from kitgen.diff.risk import Risk
from kitgen.notes.commands import delete_command, migrate_commands, save_command, squeezed
from kitgen.notes.kinds import STATUS, Crds, is_schema, kind, stored, versions
from kitgen.notes.model import Image, Step
from kitgen.notes.telling import only
from kitgen.objects import ObjectId
from kitgen.objects.rbac.access import ACCOUNT
from kitgen.review import Reviewed, rules

ROLES = frozenset({"ClusterRole", "Role"})
CRD = "CustomResourceDefinition"


class Scene(Struct, frozen=True, kw_only=True):
    """What steps are told from, besides the changes."""

    release: str
    targets: tuple[str, ...]
    crds: Crds
    bundled: frozenset[tuple[str, str]] = frozenset()
    """Targets, each with the component that OLM installs there."""
    alone: str = ""
    """The target, where there is only one."""

    def by_olm(self, each: Reviewed) -> bool:
        """Tell whether a change is in what OLM installs."""
        return any((hold.scope or self.alone, hold.component) in self.bundled for hold in each.holds)


class Group(Struct, frozen=True, kw_only=True):
    """Changes of one rule in the same targets."""

    some: tuple[Reviewed, ...]
    only: tuple[str, ...]
    scene: Scene

    def step(self, text: str, items: Iterable[str] = (), commands: Iterable[str] = ()) -> Step:
        """Return what to do about them."""
        return Step(
            risk=min((each.risk for each in self.some), key=lambda each: each.rank).value,
            rule=self.some[0].change.rule.id,
            text=text,
            items=tuple(dict.fromkeys(items)),
            commands=tuple(dict.fromkeys(commands)),
            only=self.only,
        )

    @property
    def objects(self) -> tuple[ObjectId, ...]:
        """Return the objects, each once."""
        return tuple(dict.fromkeys(name for each in self.some for name in each.objects))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the objects."""
        return tuple(dict.fromkeys(each.name for each in self.objects))


Steps: TypeAlias = Callable[[Group], Iterator[Step]]


def _crd_removed(group: Group) -> Iterator[Step]:
    yield group.step(
        "Save the objects of these CRDs, which leave: with a CRD, all of its objects are deleted.",
        group.names,
        map(save_command, group.names),
    )


def _crd_moved(group: Group) -> Iterator[Step]:
    yield group.step(
        "Save the objects of these kinds, which move to another API group: none is carried over. Write "
        "them anew in the new group after the upgrade.",
        (f"{each.change.object}: {each.change.message}" for each in group.some),
    )


def _data(group: Group) -> Iterator[Step]:
    yield group.step("Save what these hold: it goes with them where something prunes.", squeezed(group.objects))


def _stored(group: Group) -> Iterator[Step]:
    """Say how to get rid of a stored version: by a version that both have, or without."""
    crds = group.scene.crds
    kept = {name: [v for v in versions(crds[name][0]) if v in versions(crds[name][1])] for name in group.names}
    olm = any(map(group.scene.by_olm, group.some))
    refused = "The API server refuses the new CRD until then" + (", and OLM the upgrade." if olm else ".")
    if some := [name for name in group.names if kept[name]]:
        yield group.step(
            f"Write every object of these CRDs again in a version that stays, so that `status.storedVersions` "
            f"names no version that goes. {refused}",
            (f"{name}: {stored(crds[name][0])} goes, {kept[name][-1]} stays" for name in some),
            (command for name in some for command in migrate_commands(name, kept[name])),
        )
    if some := [name for name in group.names if not kept[name]]:
        yield group.step(
            f"Save the objects of these CRDs, delete the CRDs, and write the objects anew after the upgrade: "
            f"both releases have no version in common. Or go by way of a release that has both. {refused}",
            (f"{name}: {_way(name, crds)}" for name in some),
            (command for name in some for command in (save_command(name), f"kubectl delete crd {name}")),
        )


def _way(name: str, crds: Crds) -> str:
    was, now = crds[name]
    return f"{', '.join(versions(was))} → {', '.join(versions(now))}"


def _version_removed(group: Group) -> Iterator[Step]:
    crds = group.scene.crds
    yield group.step(
        "Move manifests and clients to a version that is still served.",
        (f"{kind(name, crds)} ({name}): {_way(name, crds)}" for name in group.names),
    )


def _scope(group: Group) -> Iterator[Step]:
    yield group.step(
        "Save the objects of these CRDs, and delete the CRDs: the API server lets none change its scope.",
        group.names,
        (command for name in group.names for command in (save_command(name), f"kubectl delete crd {name}")),
    )


def _immutable(group: Group) -> Iterator[Step]:
    yield group.step(
        "Delete these objects, which come back with the upgrade: the API server lets some of their fields "
        "never change.",
        (f"{name}: {each.change.path}" for each in group.some for name in squeezed(each.objects)),
        map(delete_command, group.objects),
    )


def _webhook(group: Group) -> Iterator[Step]:
    yield group.step(
        "Expect requests to fail that these webhooks look at, until the services behind them answer.",
        squeezed(group.objects),
    )


def _address(group: Group) -> Iterator[Step]:
    yield group.step(
        "Lead callers elsewhere: they find nothing at the old address.",
        (f"{name}: {each.change.message}" for each in group.some for name in squeezed(each.objects)),
    )


def _lost(group: Group) -> Iterator[Step]:
    """People and whoever is bound to a role may need what their operators do not."""
    held = (hold.permitted.holder for each in group.some for hold in each.holds if hold.permitted)
    if people := [str(each) for each in held if each.kind != ACCOUNT]:
        yield group.step("Make sure that these no longer need what they lose, or grant it by a role of your own.", people)


def _gained(group: Group) -> Iterator[Step]:
    yield group.step(
        "Apply the release as somebody who holds all that its roles newly grant, or who may escalate: the API "
        "server refuses the roles otherwise."
    )


def _back(group: Group) -> Iterator[Step]:
    yield group.step(
        "Save what must not be lost: these go back to an older version, which rarely reads what the newer "
        "one wrote.",
        (f"{name}: {each.change.message}" for each in group.some for name in squeezed(each.objects)),
    )


def _rebind(group: Group) -> Iterator[Step]:
    if roles := [each for each in group.objects if each.kind in ROLES]:
        yield group.step("Bind whoever you bound to these roles to others: they leave.", squeezed(roles))


def _renamed_roles(group: Group) -> Iterator[Step]:
    some = [each for each in group.some if any(name.kind in ROLES for name in each.objects)]
    if some:
        yield group.step(
            "Bind whoever you bound to these roles anew: they have other names.",
            (f"{name}: {each.change.message}" for each in some for name in squeezed(each.objects)),
        )


def _left(group: Group) -> Iterator[Step]:
    yield group.step(
        "Delete what is no longer part of the release, if nothing prunes it.",
        squeezed(group.objects),
        map(delete_command, group.objects),
    )


def _gone_crds(group: Group) -> Iterator[Step]:
    yield group.step(
        "Delete these CRDs once their objects are saved, if nothing prunes them.",
        group.names,
        (f"kubectl delete crd {name}" for name in group.names),
    )


def _former(group: Group) -> Iterator[Step]:
    """What has another name or namespace stays behind under the old one."""
    old = [
        ObjectId(
            name.group,
            name.kind,
            str(one.right) if one.path[-1] == "namespace" else name.namespace,
            str(one.right) if one.path[-1] == "name" else name.name,
        )
        for each in group.some
        for hold in each.holds
        for one in hold.differences
        for name in (one.object,)
        if one.path[:1] == ("metadata",)
    ]
    if old:
        yield group.step(
            "Delete what stays behind under its old name, if nothing prunes it.",
            squeezed(old, places=True),
            map(delete_command, old),
        )


def _storage(group: Group) -> Iterator[Step]:
    crds = group.scene.crds
    yield group.step(
        "Write every object of these CRDs again, so that all are stored in the new version.",
        (f"{name}: {stored(crds[name][0])} → {stored(crds[name][1])}" for name in group.names),
        (command for name in group.names for command in migrate_commands(name, [stored(crds[name][1]) or ""])),
    )


BEFORE: dict[str, Steps] = {
    "crd-removed": _crd_removed,
    upgrades.UPGRADE_DATA.id: _data,
    "crd-moved": _crd_moved,
    "stored-version-removed": _stored,
    "version-removed": _version_removed,
    "version-unserved": _version_removed,
    "scope-changed": _scope,
    upgrades.UPGRADE_IMMUTABLE.id: _immutable,
    upgrades.UPGRADE_VERSION_BACK.id: _back,
    upgrades.UPGRADE_PERMISSION_LOST.id: _lost,
    upgrades.UPGRADE_GONE.id: _rebind,
    upgrades.UPGRADE_RENAMED.id: _renamed_roles,
    rules.ADDRESS_GONE.id: _address,
    upgrades.UPGRADE_PORT_GONE.id: _address,
    upgrades.UPGRADE_WEBHOOK.id: _webhook,
    upgrades.UPGRADE_PERMISSION_GAINED.id: _gained,
}
"""Rule → what to do before the upgrade; the order is that of the steps of one risk."""
AFTER: dict[str, Steps] = {
    "storage-moved": _storage,
    upgrades.UPGRADE_NAMESPACE.id: _former,
    upgrades.UPGRADE_RENAMED.id: _former,
    upgrades.UPGRADE_GONE.id: _left,
    "crd-removed": _gone_crds,
}


def steps_of(changes: Sequence[Reviewed], table: dict[str, Steps], scene: Scene) -> list[Step]:
    """Return what changes ask for, the worst first."""
    found: list[Step] = []
    for rule, make in table.items():
        groups: dict[tuple[str, ...], list[Reviewed]] = {}
        for each in changes:
            if each.change.rule.id == rule and each.risk is not Risk.COSMETIC:
                groups.setdefault(only(each.scopes, scene.targets), []).append(each)
        for reach in sorted(groups, key=lambda one: (bool(one), one)):
            found += make(Group(some=tuple(groups[reach]), only=reach, scene=scene))
    return sorted(found, key=lambda each: Risk(each.risk).rank)


def manifests_step(changes: Sequence[Reviewed], scene: Scene) -> Iterator[Step]:
    """Yield that manifests of users no longer fit, by the kinds that they are of."""
    broken = [
        each
        for each in changes
        if is_schema(each)
        and each.risk is Risk.BREAKING
        and each.change.versions
        and any(not place.path.startswith(STATUS) for place in each.change.places)
    ]
    if not broken:
        return
    names = dict.fromkeys(place.object for each in broken for place in each.change.places)
    group = Group(some=tuple(broken), only=only((s for e in broken for s in e.scopes), scene.targets), scene=scene)
    olm = (
        " OLM holds the upgrade back while one on the cluster does not fit."
        if any(map(scene.by_olm, broken))
        else ""
    )
    yield group.step(
        f"Bring manifests of these kinds in line with what is told to users below.{olm}",
        sorted({kind(name, scene.crds) for name in names}),
        (f"kitgen crd validate --release {scene.release} MANIFESTS",),
    )


def images_step(images: Iterable[Image], targets: tuple[str, ...]) -> Iterator[Step]:
    """Yield that images come from elsewhere, which clusters must be let to or have mirrored."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for each in images:
        if each.risk == Risk.SECURITY.value and each.after:
            groups.setdefault(each.only, []).append(each.after)
    for reach, found in groups.items():
        yield Step(
            risk=Risk.SECURITY.value,
            rule=rules.IMAGE_SOURCE.id,
            text="Let clusters pull these images, or mirror them: they come from elsewhere than before.",
            items=tuple(dict.fromkeys(found)),
            only=reach,
        )


def large_step(large: Sequence[str]) -> Iterator[Step]:
    """Yield that some CRDs are too large for the annotation that `kubectl apply` writes."""
    if large:
        yield Step(
            risk=Risk.BEHAVIOUR.value,
            rule="size-apply",
            text="Apply these CRDs with `kubectl apply --server-side`, or with the option ServerSideApply=true of "
            "Argo CD: they have no room in the annotation that is written otherwise.",
            items=tuple(large),
        )
