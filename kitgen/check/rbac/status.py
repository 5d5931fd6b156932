"""CRDs whose status no operator beside them may write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kitgen.check.index import below, entries
from kitgen.crds.schema.crd import is_crd
from kitgen.findings import Chapter, Path, Problem, Rule, Severity
from kitgen.objects import Manifest
from kitgen.objects.rbac.access import Access, Holder, Role
from kitgen.objects.rbac.rules import One, Permit
from kitgen.schema.wording import cut
from kitgen.yamlio import JsonObject

STATUS_FORBIDDEN = Rule(
    id="status-forbidden",
    chapter=Chapter.PERMISSION,
    checks=(
        "Where the account of a pod may update the objects of a CRD that has the subresource status, the "
        "account of some pod may update or patch their status too."
    ),
    fix="Grant update and patch on `RESOURCE/status` to the operator, in a rule of its role.",
    why=(
        "With the subresource, an update of an object leaves its status alone: that needs a permission of "
        "its own. Without it the operator does its work and is forbidden to report it: its objects never get "
        "a status, and it tries again and again."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
WRITES = ("update", "patch")


def problems(
    manifests: Sequence[Manifest], accounts: Sequence[Holder], access: Access
) -> Iterator[tuple[Manifest, Problem]]:
    """Yield the rules that let an operator write objects, where nobody may write their status."""
    roles = {
        role.id: role for each in accounts for held in access.of(each) for role in access.parts(held.role)
    }
    for manifest in manifests if roles else ():
        if not is_crd(manifest.body) or not _has_status(manifest.body):
            continue
        group, plural = below(manifest.body, "spec", "group"), below(manifest.body, "spec", "names", "plural")
        if not (isinstance(group, str) and isinstance(plural, str)):
            continue  # schemas tell of it
        if _granting(roles.values(), group, f"{plural}/status"):
            continue
        if granting := _granting(roles.values(), group, plural):
            role, permit = granting
            what = cut(f"{plural}.{group}")[1:-1]
            message = f"found permission to write {what}, and none to write their status"
            hint = f"add {plural}/status with the verbs update and patch"
            if role.manifest:
                yield role.manifest, STATUS_FORBIDDEN(message, _place(permit, plural), hint)


def _has_status(crd: JsonObject) -> bool:
    """Tell whether every version of a CRD has the subresource status, and a status with fields."""
    versions = [each for _, each in entries(crd, "spec", "versions")]
    return bool(versions) and all(
        isinstance(below(each, "subresources", "status"), dict)
        and below(each, "schema", "openAPIV3Schema", "properties", "status", "properties")
        for each in versions
    )


def _granting(roles: Iterable[Role], group: str, resource: str) -> tuple[Role, Permit] | None:
    """Return the first rule that permits to write a resource."""
    asked = [One(verb, group, resource) for verb in WRITES]
    for role in roles:
        for permit in role.permits:
            if any(permit.allows(one) for one in asked):
                return role, permit
    return None


def _place(permit: Permit, plural: str) -> Path:
    if plural in permit.resources:
        return (*permit.path, "resources", [*permit.resources].index(plural))
    return permit.path
