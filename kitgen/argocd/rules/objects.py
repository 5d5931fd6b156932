"""Hold what is for Argo CD to what it would do with it."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.argocd.rules.applications import list_applications
from kitgen.argocd.rules.owners import check_owners
from kitgen.argocd.rules.waves import check_waves
from kitgen.check.context import CheckContext, CheckHit


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield waves that come too early, and targets that take objects from one another."""
    apps = list_applications(context)
    yield from check_waves(context, apps)
    yield from check_owners(context, apps)
