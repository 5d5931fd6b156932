"""Check the permissions of every target."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.context import CheckContext, Hit
from kitgen.check.index import TargetIndex
from kitgen.check.rbac import bindings, crd_access, dangers, names
from kitgen.findings import Problem
from kitgen.kube.manifest import Manifest


def check(context: CheckContext) -> Iterator[Hit]:
    """Yield what a reviewer should see of roles and bindings, and what they lack."""
    apis = names.KnownApis(context)
    for target in context.targets:
        access = context.index(target).access
        if access.roles or access.held:
            yield from (Hit(target, *each) for each in _of_access(context.index(target), apis))


def _of_access(index: TargetIndex, apis: names.KnownApis) -> Iterator[tuple[Manifest, Problem]]:
    access = index.access
    into = access.aggregated()
    for role in access.roles.values():
        if role.manifest is not None:
            wide = dangers.is_wide(access, role.id, into)
            for wrong in (*dangers.problems(role.permits, wide=wide), *names.problems(role, apis)):
                yield role.manifest, wrong
    yield from bindings.problems(access)
    accounts = crd_access.accounts(index, access)
    if not crd_access.is_loose(index, access, accounts):
        yield from crd_access.problems(index.manifests, accounts, access)
