"""Enough is enough: with so many errors nobody reads on, and looking for more takes time and space."""

from __future__ import annotations

from kitgen.findings.finding import Finding
from kitgen.findings.origin import Origin
from kitgen.findings.registry import Chapter, Rule

MAX_ERRORS = 1_000
"""How many errors are looked for in one thing, such as a file, an object or a set of objects."""
MAX_PLACES = 10_000
"""At how many places of objects errors are looked for; one line of a spec may be wrong at many."""
MAX_FINDINGS = 10_000
"""How many errors and warnings together; a program that reads them has to hold them all."""

FINDINGS_LIMIT = Rule(
    id="findings-limit",
    chapter=Chapter.SCHEMA,
    checks=(
        f"What is checked together has at most {MAX_ERRORS:,} errors, at {MAX_PLACES:,} places, and "
        f"{MAX_FINDINGS:,} findings. What comes behind is not looked at."
    ),
    fix="Fix those that are shown, and check again.",
)


def too_many(file: str, what: str = f"{MAX_ERRORS} errors") -> Finding:
    """Say that there are more errors, and that they were not looked for."""
    message = f"found more than {what}, and the rest was not looked at"
    return FINDINGS_LIMIT(message, hint="fix these and check again").at(Origin(file))


def too_many_findings(file: str) -> Finding:
    """Say that there are more errors and warnings than anybody reads."""
    return too_many(file, f"{MAX_FINDINGS} errors and warnings")
