"""Family of the operator's service account."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.context import Context
from kitgen.compile.family import Family
from kitgen.objects import Manifest


def service_account(context: Context) -> Iterator[Manifest]:
    """Make the operator's ServiceAccount, unless more is said of it among the others."""
    others = {item.name for item in context.part["serviceAccounts"]}
    for item in context.part["serviceAccount"]:
        body = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": context.name(item.name)}}
        if item.name not in others:
            yield Manifest(body=body, sources=tuple(context.account_sources(())))


FAMILY = Family(key="serviceAccount", objects=service_account)
