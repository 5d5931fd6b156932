"""Write the runbook of a migration as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kitgen.migrate.runbook.model import Manager, Runbook
from kitgen.migrate.runbook.plan import build_environment
from kitgen.text.wording import escape_markdown, escape_unprintable, format_code

WITH = {
    Manager.KUBECTL: "without OLM",
    Manager.OLM: "with OLM",
    Manager.ODH: "with the ODH operator",
    Manager.ARGOCD: "with Argo CD",
}


def as_markdown(runbook: Runbook) -> str:
    """Write a runbook for people."""
    layout = build_environment().overlay(autoescape=False, finalize=None, trim_blocks=True)
    layout.filters |= {
        "prose": escape_markdown,
        "code": format_code,
        "fence": _build_fence,
        "lines": _split_lines,
    }
    facts = {field: getattr(runbook, field) for field in runbook.__struct_fields__}
    return layout.get_template("runbook.md.j2").render(facts, managers=WITH)


def _build_fence(commands: Iterable[str]) -> str:
    """Return what stands around a block of code, however many backquotes are in it."""
    return "`" * max(3, 1 + max((len(run) for each in commands for run in re.findall("`+", each)), default=0))


def _split_lines(text: str) -> list[str]:
    return [*map(escape_unprintable, text.split("\n"))]
