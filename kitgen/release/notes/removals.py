"""What to do about all that leaves, moves or is refused: CRDs and their versions, objects, permissions.

Commands that notes tell people to run; names come from anybody's manifests, so they are quoted.

What to do about kinds that a migration moves: follow it, and remove what is old by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from json import dumps
from shlex import quote

from msgspec.structs import replace

from kitgen.compare.change import Risk
from kitgen.compare.review.change import Hold, Reviewed
from kitgen.compare.upgrade import rules as upgrades
from kitgen.kit.model.moves import THEN
from kitgen.kube.identity import ObjectId
from kitgen.kube.rbac.access import ACCOUNT
from kitgen.release.notes.kinds import Crds, former, kind, stored, versions
from kitgen.release.notes.model import UpgradeStep
from kitgen.release.notes.steps import ChangeGroup, Line, Steps
from kitgen.report.text import object_name


def save_command(crd: str) -> str:
    """Return what saves all objects of a CRD."""
    return f"kubectl get {quote(crd)} --all-namespaces -o yaml > {quote(f'{crd}.yaml')}"


def delete_command(name: ObjectId) -> str:
    """Return what deletes an object."""
    resource = f"{name.kind.lower()}.{name.group}" if name.group else name.kind.lower()
    space = f" -n {quote(name.namespace)}" if name.namespace else ""
    return f"kubectl delete {quote(f'{resource}/{name.name}')}{space}"


def migrate_commands(crd: str, kept: Sequence[str]) -> Iterator[str]:
    """Yield what writes all objects of a CRD again, and forgets the versions that they were stored in."""
    yield f"kubectl get {quote(crd)} --all-namespaces -o yaml | kubectl replace -f -"
    patch = dumps({"status": {"storedVersions": [*kept]}}, separators=(",", ":"))
    yield f"kubectl patch crd {quote(crd)} --subresource=status --type=merge -p {quote(patch)}"


def store_command(crd: str, versions: Sequence[str], wanted: str) -> str:
    """Return what has a CRD store objects in one of its versions, which are given in their order."""
    steps = [
        {"op": "replace", "path": f"/spec/versions/{at}/storage", "value": each == wanted}
        for at, each in enumerate(versions)
    ]
    return f"kubectl patch crd {quote(crd)} --type=json -p {quote(dumps(steps, separators=(',', ':')))}"


def delete_crd(name: str) -> str:
    """Return what deletes a CRD."""
    return f"kubectl delete crd {quote(name)}"


RULE = "crd-moved-declared"


def carry_over(group: ChangeGroup) -> Iterator[UpgradeStep]:
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
        yield from (replace(step, risk=Risk.BREAKING) for step in part.step(text, ways))


def _by_migration(group: ChangeGroup) -> dict[str, ChangeGroup]:
    found: dict[str, list[Reviewed]] = {}
    for each in group.some:
        found.setdefault(each.change.hint, []).append(each)
    return {commands: replace(group, some=tuple(some)) for commands, some in found.items()}


def remove_old(group: ChangeGroup) -> Iterator[UpgradeStep]:
    """Yield that old CRDs stay until somebody removes them."""

    def old(each: Reviewed, hold: Hold) -> Iterator[Line]:
        if (was := each.change.detail) != hold.object.name:
            yield was, (delete_crd(was),)

    text = (
        "Delete these CRDs by hand, once no resource of them is left and a backup is there. Until then, "
        "nothing may prune them."
    )
    yield from group.step(text, old)


ROLES = frozenset({"ClusterRole", "Role"})
NAME, NAMESPACE = ("metadata", "name"), ("metadata", "namespace")
OTHERS = "if nothing prunes them: what they run or grant stays otherwise."


def _crd_removed(group: ChangeGroup) -> Iterator[UpgradeStep]:
    text = "Save the objects of these CRDs, which leave. Whoever deletes a CRD deletes all of its objects."
    yield from group.step(text, lambda _, hold: _one(hold.object.name, save_command(hold.object.name)))


def _one(line: str, *commands: str) -> Iterator[Line]:
    yield line, commands


def _crd_moved(group: ChangeGroup) -> Iterator[UpgradeStep]:
    text = (
        "Save the objects of these kinds, which move to another API group, and write them anew in the new "
        "group afterwards: none is carried over."
    )
    crds = group.scene.crds

    def old(_: Reviewed, hold: Hold) -> Iterator[Line]:
        was = former(hold.object.name, crds)
        yield f"{was} → {hold.object.name}", (save_command(was),)

    yield from group.step(text, old)


def _data(group: ChangeGroup) -> Iterator[UpgradeStep]:
    text = "Save what these hold. It is deleted with them where something prunes."
    yield from group.step(text, lambda _, hold: _one(str(hold.object)))


def _stored(every: ChangeGroup) -> Iterator[UpgradeStep]:
    """Say how to get rid of a stored version: by a version that both have, or without.

    Where a migration does that, it tells how.
    """
    standing = tuple(each for each in every.some if not each.change.accepted)
    if not standing:
        return
    group = replace(every, some=standing)
    crds = group.scene.crds
    olm = group.scene.by_olm(group.some)
    refused = "The API server refuses the new CRD until then" + (", and OLM the upgrade." if olm else ".")

    def kept(_: Reviewed, hold: Hold) -> Iterator[Line]:
        name, (old, new) = hold.object.name, crds[hold.object.name]
        if stay := [each for each in versions(old) if each in versions(new)]:
            wanted = later if (later := stored(new)) in stay else stay[-1]
            store = store_command(name, versions(old), str(wanted))
            commands = (store, *migrate_commands(name, [str(wanted)]))
            yield f"{name}: {stored(old)} goes, {', '.join(stay)} stays", commands

    def lost(_: Reviewed, hold: Hold) -> Iterator[Line]:
        name = hold.object.name
        if not {*versions(crds[name][0])} & {*versions(crds[name][1])}:
            yield f"{name}: {_way(name, crds)}", (save_command(name), delete_crd(name))

    yield from group.step(
        "Have these CRDs store objects in a version that stays, and write every object again, so that "
        f"`status.storedVersions` names no version that goes. {refused}",
        kept,
    )
    yield from group.step(
        "Save the objects of these CRDs, delete the CRDs, and write the objects anew afterwards: the two "
        "releases have no version in common. Or go by way of a release that has both, if there is one. "
        f"{refused}",
        lost,
    )


def _way(name: str, crds: Crds) -> str:
    was, now = crds[name]
    return f"{', '.join(versions(was))} → {', '.join(versions(now))}"


def _version_removed(group: ChangeGroup) -> Iterator[UpgradeStep]:
    crds = group.scene.crds
    yield from group.step(
        "Move manifests and clients to a version that is still served.",
        lambda _, hold: _one(f"{kind(hold.object.name, crds)}: {_way(hold.object.name, crds)}"),
    )


def _scope(group: ChangeGroup) -> Iterator[UpgradeStep]:
    yield from group.step(
        "Save the objects of these CRDs, and delete the CRDs: the API server lets none change its scope.",
        lambda _, hold: _one(hold.object.name, save_command(hold.object.name), delete_crd(hold.object.name)),
    )


def _immutable(group: ChangeGroup) -> Iterator[UpgradeStep]:
    yield from group.step(
        "Delete these objects, which come back with the upgrade: the API server lets no update change the "
        "fields that change.",
        lambda each, hold: _one(
            f"{object_name(hold.object)}: {each.change.path}", delete_command(hold.object)
        ),
    )


def _webhook(group: ChangeGroup) -> Iterator[UpgradeStep]:
    yield from group.step(
        "Expect requests that these webhooks look at to fail until the services behind them answer.",
        lambda _, hold: _one(str(hold.object)),
    )


def _address(group: ChangeGroup) -> Iterator[UpgradeStep]:
    yield from group.step(
        "Point callers elsewhere: they find nothing at the old address or port.",
        lambda each, hold: _one(f"{hold.object}: {each.change.message.removeprefix('found ')}"),
    )


def _lost(group: ChangeGroup) -> Iterator[UpgradeStep]:
    """People, and whoever is bound to a role, may need what their operators do not."""

    def people(_: Reviewed, hold: Hold) -> Iterator[Line]:
        if hold.permitted and hold.permitted.holder.kind != ACCOUNT:
            yield str(hold.permitted.holder), ()

    text = "Make sure that these no longer need what they lose (see Permissions), or grant it yourself."
    yield from group.step(text, people)


def _gained(group: ChangeGroup) -> Iterator[UpgradeStep]:
    yield from group.step(
        "Apply the release as somebody who holds all that its roles newly grant, or who may escalate. The "
        "API server refuses the roles otherwise."
    )


def _back(group: ChangeGroup) -> Iterator[UpgradeStep]:
    yield from group.step(
        "Save what must not be lost: these go back to an older version, which rarely reads what the newer "
        "one wrote.",
        lambda each, hold: _one(f"{hold.object} {each.change.path}".strip()),
    )


def _rebind(group: ChangeGroup) -> Iterator[UpgradeStep]:
    yield from group.step("Bind whoever you bound to these roles to others: the roles leave.", _roles)


def _renamed(group: ChangeGroup) -> Iterator[UpgradeStep]:
    def names(_: Reviewed, hold: Hold) -> Iterator[Line]:
        for one in hold.differences:
            if hold.object.kind in ROLES and one.path == NAME:
                yield f"{hold.object.kind}/{one.right} → {hold.object.name}", ()

    yield from group.step("Bind whoever you bound to these roles anew: they have other names.", names)


def _roles(_: Reviewed, hold: Hold) -> Iterator[Line]:
    if hold.object.kind in ROLES:
        yield str(hold.object), ()


def _left(group: ChangeGroup) -> Iterator[UpgradeStep]:
    yield from group.step(
        f"Delete these objects, which are no longer part of the release, {OTHERS}",
        lambda _, hold: _one(object_name(hold.object), delete_command(hold.object)),
    )


def _gone_crds(group: ChangeGroup) -> Iterator[UpgradeStep]:
    def old(_: Reviewed, hold: Hold) -> Iterator[Line]:
        name = former(hold.object.name, group.scene.crds)
        yield name, (delete_crd(name),)

    yield from group.step("Delete these CRDs once their objects are saved, if nothing prunes them.", old)


def _former(group: ChangeGroup) -> Iterator[UpgradeStep]:
    """What has another name or namespace stays behind under the old one."""

    def old(_: Reviewed, hold: Hold) -> Iterator[Line]:
        for one in hold.differences:
            if one.path in (NAME, NAMESPACE) and isinstance(one.right, str):
                now, moved = one.object, one.path == NAMESPACE
                space, name = (one.right, now.name) if moved else (now.namespace, one.right)
                was = ObjectId(now.group, now.kind, space, name)
                yield object_name(was), (delete_command(was),)

    yield from group.step(f"Delete these objects, which have another name or namespace now, {OTHERS}", old)


def _storage(group: ChangeGroup) -> Iterator[UpgradeStep]:
    crds = group.scene.crds

    def moved(_: Reviewed, hold: Hold) -> Iterator[Line]:
        was, now = (stored(each) for each in crds[hold.object.name])
        if was in versions(crds[hold.object.name][1]):  # what is written anew is stored anew
            yield f"{hold.object.name}: {was} → {now}", migrate_commands(hold.object.name, [now or ""])

    text = "Write every object of these CRDs again, so that all are stored in the new version."
    yield from group.step(text, moved)


BEFORE: dict[str, Steps] = {
    RULE: carry_over,
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
    upgrades.UPGRADE_RENAMED.id: _renamed,
    "address-gone": _address,
    upgrades.UPGRADE_PORT_GONE.id: _address,
    upgrades.UPGRADE_WEBHOOK.id: _webhook,
    upgrades.UPGRADE_PERMISSION_GAINED.id: _gained,
}
"""Rule → what to do before the upgrade; the order is that of the steps of one risk."""
AFTER: dict[str, Steps] = {
    RULE: remove_old,
    "storage-moved": _storage,
    upgrades.UPGRADE_NAMESPACE.id: _former,
    upgrades.UPGRADE_RENAMED.id: _former,
    upgrades.UPGRADE_GONE.id: _left,
    "crd-removed": _gone_crds,
    "crd-moved": _gone_crds,
}
