"""Look at the permissions of every target, and at what its webhooks are asked for."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.context import Context, Hit
from kitgen.check.rbac import aggregation, authors, bindings, dangers, hooks, names, readers, status
from kitgen.objects.rbac.access import Access


def check(context: Context) -> Iterator[Hit]:
    """Yield what a reviewer should see of roles, bindings and rules of webhooks, and what they lack."""
    apis = names.Known(context)
    for target, manifests in context.targets.items():
        yield from (Hit(target, *each) for each in hooks.problems(manifests, apis))
        access = Access(manifests)
        if not (access.roles or access.held):
            continue
        into = access.aggregated()
        for role in access.roles.values():
            if role.manifest is None:
                continue
            wide = dangers.is_wide(access, role.id, into)
            for problem in dangers.problems(role.permits, wide=wide):
                yield Hit(target, role.manifest, problem)
            for problem in names.problems(role, apis):
                yield Hit(target, role.manifest, problem)
        yield from (Hit(target, *each) for each in bindings.problems(access))
        yield from (Hit(target, *each) for each in aggregation.problems(access))
        accounts = readers.accounts(context.index(target), access)
        if not readers.is_loose(context.index(target), access, accounts):
            yield from (Hit(target, *each) for each in readers.problems(manifests, accounts, access))
            yield from (Hit(target, *each) for each in status.problems(manifests, accounts, access))
        yield from (Hit(target, *each) for each in authors.problems(accounts, access, into))
