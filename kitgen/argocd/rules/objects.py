"""Hold what is for Argo CD to what it would do with it."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.argocd.rules import owners, paths, projects, waves
from kitgen.argocd.rules.applications import GROUP, applications
from kitgen.check.context import CheckContext, Hit


def check(context: CheckContext) -> Iterator[Hit]:
    """Yield what is wrong with Applications, their projects, their sets and their waves."""
    apps = applications(context)
    yield from waves.look(context, apps)
    if any(context.index(target).of(GROUP, "ApplicationSet") for target in context.targets):
        from kitgen.argocd.rules import application_sets as sets  # few have one, and it takes a parser

        yield from sets.look(context)
    if apps:
        yield from paths.look(context, apps)
        yield from projects.look(context, apps)
        yield from owners.look(context, apps)
