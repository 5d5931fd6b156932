"""Rules that several modules here find."""

from __future__ import annotations

from kitgen.findings import Chapter, Rule

REFERENCE_MISSING = Rule(
    id="reference-missing",
    chapter=Chapter.REFERENCE,
    checks="Every component, version, release, image, account, role, port and field in a spec is there.",
    fix="Take the name that the hint offers, or add what is missing.",
)
