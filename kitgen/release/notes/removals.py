"""What to do about all that leaves, moves or is refused: CRDs and their versions, objects, permissions.

Two tables have the advice for each rule: before the upgrade, and after it. Kinds that a migration moves
follow it, and what is old is removed by hand. Names in commands come from anybody's manifests, so they are
quoted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from json import dumps
from shlex import quote

from msgspec.structs import replace

from kitgen.compare.change import Risk
from kitgen.compare.review.change import ChangeLocation, ReviewedChange
from kitgen.compare.upgrade import rules as upgrades
from kitgen.kit.model.moves import THEN
from kitgen.kube.identity import ObjectId
from kitgen.kube.rbac.access import ACCOUNT
from kitgen.release.notes.kinds import Crds, former_name_of, get_storage_version, kind_of, list_crd_versions
from kitgen.release.notes.model import UpgradeStep
from kitgen.release.notes.steps import Advice, ChangeGroup, Line
from kitgen.report.text import format_object_name
from kitgen.text.values import group_pairs


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


def storage_version_command(crd: str, versions: Sequence[str], wanted: str) -> str:
    """Return what has a CRD store objects in one of its versions, which are given in their order."""
    steps = [
        {"op": "replace", "path": f"/spec/versions/{at}/storage", "value": each == wanted}
        for at, each in enumerate(versions)
    ]
    return f"kubectl patch crd {quote(crd)} --type=json -p {quote(dumps(steps, separators=(',', ':')))}"


def delete_crd_command(name: str) -> str:
    """Return what deletes a CRD."""
    return f"kubectl delete crd {quote(name)}"


RULE = "crd-moved-declared"
ROLES = frozenset({"ClusterRole", "Role"})
NAME, NAMESPACE = ("metadata", "name"), ("metadata", "namespace")
OTHERS = "if nothing prunes them: what they run or grant stays otherwise."


def build_migration_steps(group: ChangeGroup) -> Iterator[UpgradeStep]:
    """Yield a step for each migration, before all others: these may lose what it carries."""
    found = group_pairs((each.change.hint, each) for each in group.some)
    for commands, some in found.items():
        told = ", then ".join(f"`{each}`" for each in commands.split(THEN))
        text = (
            f"Carry the resources of these kinds over, phase by phase, as {told} tells. Leave no phase out: "
            "what is not carried over is lost, or stays behind with nobody to look after it."
        )
        for step in replace(group, some=tuple(some)).build_steps(text, _list_moves):
            yield replace(step, risk=Risk.BREAKING)


def _list_moves(each: ReviewedChange, hold: ChangeLocation, crds: Crds) -> Iterator[Line]:
    was, now = each.change.detail, hold.object.name
    yield (f"{was} → {now}" if was != now else f"{now}: {_format_versions(now, crds)}"), ()


def _format_versions(name: str, crds: Crds) -> str:
    was, now = crds[name]
    return f"{', '.join(list_crd_versions(was))} → {', '.join(list_crd_versions(now))}"


def build_storage_steps(every: ChangeGroup) -> Iterator[UpgradeStep]:
    """Yield how to get rid of a stored version: by a version that both have, or without.

    Where a migration does that, it tells how.
    """
    if not (standing := tuple(each for each in every.some if not each.change.accepted)):
        return
    group = replace(every, some=standing)
    olm = ", and OLM the upgrade" if group.context.has_olm_changes(group.some) else ""
    refused = f"The API server refuses the new CRD until then{olm}."
    yield from group.build_steps(
        "Have these CRDs store objects in a version that stays, and write every object again, so that "
        f"`status.storedVersions` names no version that goes. {refused}",
        _list_kept_versions,
    )
    yield from group.build_steps(
        "Save the objects of these CRDs, delete the CRDs, and write the objects anew afterwards: the two "
        "releases have no version in common. Or go by way of a release that has both, if there is one. "
        f"{refused}",
        _list_lost_versions,
    )


def _list_kept_versions(_: ReviewedChange, hold: ChangeLocation, crds: Crds) -> Iterator[Line]:
    name, (old, new) = hold.object.name, crds[hold.object.name]
    if stay := [each for each in list_crd_versions(old) if each in list_crd_versions(new)]:
        wanted = later if (later := get_storage_version(new)) in stay else stay[-1]
        commands = (
            storage_version_command(name, list_crd_versions(old), str(wanted)),
            *migrate_commands(name, [str(wanted)]),
        )
        yield f"{name}: {get_storage_version(old)} goes, {', '.join(stay)} stays", commands


def _list_lost_versions(_: ReviewedChange, hold: ChangeLocation, crds: Crds) -> Iterator[Line]:
    name = hold.object.name
    if not {*list_crd_versions(crds[name][0])} & {*list_crd_versions(crds[name][1])}:
        yield f"{name}: {_format_versions(name, crds)}", (save_command(name), delete_crd_command(name))


def _list_objects(_: ReviewedChange, hold: ChangeLocation, _crds: Crds) -> Iterator[Line]:
    yield str(hold.object), ()


def _list_crds_to_save(_: ReviewedChange, hold: ChangeLocation, crds: Crds) -> Iterator[Line]:
    was, now = former_name_of(hold.object.name, crds), hold.object.name
    yield (now if was == now else f"{was} → {now}"), (save_command(was),)


def _list_crds_to_recreate(_: ReviewedChange, hold: ChangeLocation, _crds: Crds) -> Iterator[Line]:
    yield hold.object.name, (save_command(hold.object.name), delete_crd_command(hold.object.name))


def _list_former_crds(_: ReviewedChange, hold: ChangeLocation, crds: Crds) -> Iterator[Line]:
    name = former_name_of(hold.object.name, crds)
    yield name, (delete_crd_command(name),)


def _list_moved_crds(each: ReviewedChange, hold: ChangeLocation, _crds: Crds) -> Iterator[Line]:
    if (was := each.change.detail) != hold.object.name:
        yield was, (delete_crd_command(was),)


def _list_served_versions(_: ReviewedChange, hold: ChangeLocation, crds: Crds) -> Iterator[Line]:
    yield f"{kind_of(hold.object.name, crds)}: {_format_versions(hold.object.name, crds)}", ()


def _list_objects_to_delete(each: ReviewedChange, hold: ChangeLocation, _crds: Crds) -> Iterator[Line]:
    what = filter(None, (format_object_name(hold.object), each.change.path))
    yield ": ".join(what), (delete_command(hold.object),)


def _list_fields(each: ReviewedChange, hold: ChangeLocation, _crds: Crds) -> Iterator[Line]:
    yield f"{hold.object} {each.change.path}".strip(), ()


def _list_addresses(each: ReviewedChange, hold: ChangeLocation, _crds: Crds) -> Iterator[Line]:
    yield f"{hold.object}: {each.change.message.removeprefix('found ')}", ()


def _list_permission_holders(_: ReviewedChange, hold: ChangeLocation, _crds: Crds) -> Iterator[Line]:
    """People, and whoever is bound to a role, may need what their operators do not."""
    if hold.permitted and hold.permitted.holder.kind != ACCOUNT:
        yield str(hold.permitted.holder), ()


def _list_roles(_: ReviewedChange, hold: ChangeLocation, _crds: Crds) -> Iterator[Line]:
    if hold.object.kind in ROLES:
        yield str(hold.object), ()


def _list_renamed_roles(_: ReviewedChange, hold: ChangeLocation, _crds: Crds) -> Iterator[Line]:
    for one in hold.differences:
        if hold.object.kind in ROLES and one.path == NAME:
            yield f"{hold.object.kind}/{one.right} → {hold.object.name}", ()


def _list_renamed_objects(_: ReviewedChange, hold: ChangeLocation, _crds: Crds) -> Iterator[Line]:
    """What has another name or namespace stays behind under the old one."""
    for one in hold.differences:
        if one.path in (NAME, NAMESPACE) and isinstance(one.right, str):
            now, moved = one.object, one.path == NAMESPACE
            space, name = (one.right, now.name) if moved else (now.namespace, one.right)
            was = ObjectId(now.group, now.kind, space, name)
            yield format_object_name(was), (delete_command(was),)


def _list_crds_to_rewrite(_: ReviewedChange, hold: ChangeLocation, crds: Crds) -> Iterator[Line]:
    was, now = (get_storage_version(each) for each in crds[hold.object.name])
    if was in list_crd_versions(crds[hold.object.name][1]):  # what is written anew is stored anew
        yield f"{hold.object.name}: {was} → {now}", migrate_commands(hold.object.name, [now or ""])


SERVED = ("Move manifests and clients to a version that is still served.", _list_served_versions)
ADDRESS = ("Point callers elsewhere: they find nothing at the old address or port.", _list_addresses)
BEFORE: dict[str, Advice] = {
    RULE: build_migration_steps,
    "crd-removed": (
        "Save the objects of these CRDs, which leave. Whoever deletes a CRD deletes all of its objects.",
        _list_crds_to_save,
    ),
    upgrades.UPGRADE_DATA.id: (
        "Save what these hold. It is deleted with them where something prunes.",
        _list_objects,
    ),
    "crd-moved": (
        "Save the objects of these kinds, which move to another API group, and write them anew in the new "
        "group afterwards: none is carried over.",
        _list_crds_to_save,
    ),
    "stored-version-removed": build_storage_steps,
    "version-removed": SERVED,
    "version-unserved": SERVED,
    "scope-changed": (
        "Save the objects of these CRDs, and delete the CRDs: the API server lets none change its scope.",
        _list_crds_to_recreate,
    ),
    upgrades.UPGRADE_IMMUTABLE.id: (
        "Delete these objects, which come back with the upgrade: the API server lets no update change the "
        "fields that change.",
        _list_objects_to_delete,
    ),
    upgrades.UPGRADE_VERSION_BACK.id: (
        "Save what must not be lost: these go back to an older version, which rarely reads what the newer "
        "one wrote.",
        _list_fields,
    ),
    upgrades.UPGRADE_PERMISSION_LOST.id: (
        "Make sure that these no longer need what they lose (see Permissions), or grant it yourself.",
        _list_permission_holders,
    ),
    upgrades.UPGRADE_GONE.id: (
        "Bind whoever you bound to these roles to others: the roles leave.",
        _list_roles,
    ),
    upgrades.UPGRADE_RENAMED.id: (
        "Bind whoever you bound to these roles anew: they have other names.",
        _list_renamed_roles,
    ),
    "address-gone": ADDRESS,
    upgrades.UPGRADE_PORT_GONE.id: ADDRESS,
    upgrades.UPGRADE_WEBHOOK.id: (
        "Expect requests that these webhooks look at to fail until the services behind them answer.",
        _list_objects,
    ),
    upgrades.UPGRADE_PERMISSION_GAINED.id: (
        "Apply the release as somebody who holds all that its roles newly grant, or who may escalate. The "
        "API server refuses the roles otherwise.",
        None,
    ),
}
"""Rule → what to do before the upgrade; the order is that of the steps of one risk."""
LEFT_BEHIND = (
    f"Delete these objects, which have another name or namespace now, {OTHERS}",
    _list_renamed_objects,
)
GONE_CRDS = ("Delete these CRDs once their objects are saved, if nothing prunes them.", _list_former_crds)
AFTER: dict[str, Advice] = {
    RULE: (
        "Delete these CRDs by hand, once no resource of them is left and a backup is there. Until then, "
        "nothing may prune them.",
        _list_moved_crds,
    ),
    "storage-moved": (
        "Write every object of these CRDs again, so that all are stored in the new version.",
        _list_crds_to_rewrite,
    ),
    upgrades.UPGRADE_NAMESPACE.id: LEFT_BEHIND,
    upgrades.UPGRADE_RENAMED.id: LEFT_BEHIND,
    upgrades.UPGRADE_GONE.id: (
        f"Delete these objects, which are no longer part of the release, {OTHERS}",
        _list_objects_to_delete,
    ),
    "crd-removed": GONE_CRDS,
    "crd-moved": GONE_CRDS,
}
"""Rule → what to do after the upgrade."""
