"""The registry: every rule, what it checks and how to mend what it finds.

`python -m kitgen.check` writes the page about them.
"""

from __future__ import annotations

from kitgen.check import rules_input, rules_objects
from kitgen.check.rule import Family, Rule

RULES: dict[str, Rule] = {rule.id: rule for rule in (*rules_input.RULES, *rules_objects.RULES)}

ABOUT = {
    Family.YAML: "Every file is read strictly, because readers of YAML disagree about what they forgive.",
    Family.SPEC: "Specs are held against the JSON Schemas of kitgen; `kitgen schema NAME` prints one.",
    Family.SCHEMA: (
        "Every object is held against the schema of its kind, and unknown fields are refused. For the kinds "
        "of Kubernetes that is its own schema in each minor of the range that the kit declares."
    ),
    Family.IDENTITY: "A cluster refuses these objects, or one of them silently replaces the other.",
    Family.IMAGE: "What a container runs should be said, not left to the day on which it is pulled.",
}


def document() -> str:
    """Write the page about all rules, in Markdown."""
    lines = [
        "# Rules",
        "",
        "Generated from `kitgen/check/rules.py` with `python -m kitgen.check > docs/rules.md`.",
        "An error blocks a write and fails the command; a warning does neither.",
    ]
    for family in Family:
        lines += ["", f"## {family.value}", "", ABOUT[family]]
        for rule in RULES.values():
            if rule.family is family:
                said = f"**{rule.title}** ({rule.severity.value}). {rule.checks}"
                lines += ["", f"### {rule.id}", "", said, "", f"*To mend it:* {rule.mend}"]
    return "\n".join(lines) + "\n"
