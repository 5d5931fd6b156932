"""The table of families and their inverses: one row per key of a component's spec.

A new family is a module with a `FAMILY`, its row here and its part of schemas/component.json; its inverse is
the module beside it. Reading the table imports neither, so rendering loads no inverse.
"""

from __future__ import annotations

from functools import cache
from pkgutil import resolve_name
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kitgen.render.family import Family
    from kitgen.render.inverse import Inverse


class FamilyRow(NamedTuple):
    """A key of specs, and who reads and writes what stands there, by name."""

    key: str
    family: str
    """Empty for what families do not make: CRDs, and the ConfigMap that kustomize generates."""
    inverse: str = ""
    """Empty if an import finds what stands there in another way."""
    turn: int = 0
    """When the inverse takes objects: first what others refer to, and what is recognised for sure."""
    kinds: tuple[str, ...] = ()
    """Kinds of the objects that it makes, where it is the first key to look at for them."""


ROWS = (
    FamilyRow("crds", "", "objects_inverse:CRDS", 1),
    FamilyRow("namespace", "objects:NAMESPACES"),
    FamilyRow("serviceAccount", "accounts:FAMILY", "accounts_inverse:INVERSE", 2),
    FamilyRow(
        "serviceAccounts", "accounts:MORE_ACCOUNTS", "accounts_inverse:MORE_ACCOUNTS", 3, ("ServiceAccount",)
    ),
    FamilyRow("leaderElection", "roles:ELECTIONS", "roles_inverse:ELECTIONS", 4),
    FamilyRow("roles", "roles:FAMILY", "roles_inverse:INVERSE", 6, ("Role", "ClusterRole")),
    FamilyRow("accessRoles", "access_roles:FAMILY", "access_roles_inverse:INVERSE", 5),
    FamilyRow(
        "bindings", "bindings:FAMILY", "bindings_inverse:INVERSE", 7, ("RoleBinding", "ClusterRoleBinding")
    ),
    FamilyRow("config", "config:FAMILY", "config_inverse:INVERSE", 8),
    FamilyRow("services", "services:FAMILY", "services_inverse:INVERSE", 10, ("Service",)),
    FamilyRow("deployment", "deployment:FAMILY", "deployment_inverse:INVERSE", 11, ("Deployment",)),
    FamilyRow("objects", "objects:FAMILY", "objects_inverse:INVERSE", 13),
    FamilyRow(
        "webhooks",
        "webhooks:FAMILY",
        "webhooks_inverse:INVERSE",
        9,
        ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
    ),
    FamilyRow("params", "", "params_inverse:INVERSE", 12),
)
"""In the order in which a cluster should get them: who, what they may, what they run, who calls it."""


@cache
def keys_by_kind() -> dict[str, str]:
    """Return the key of a component's spec that makes objects of each kind; `objects` takes all others."""
    return {kind: row.key for row in ROWS for kind in row.kinds}


@cache
def get_families() -> dict[str, Family]:
    """Return the families by their keys."""
    return {row.key: resolve_name(f"{__package__}.{row.family}") for row in ROWS if row.family}


@cache
def get_inverses() -> dict[str, Inverse]:
    """Return the inverses by their keys, in the order of their turns."""
    rows = sorted((row for row in ROWS if row.inverse), key=lambda row: row.turn)
    return {row.key: resolve_name(f"{__package__}.{row.inverse}") for row in rows}
