"""Hold what is for Argo CD to what it would do with it."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.argocd.rules.applications import list_applications
from kitgen.argocd.rules.waves import check_waves
from kitgen.check.context import CheckContext, CheckHit


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield waves that come too early."""
    yield from check_waves(context, list_applications(context))
