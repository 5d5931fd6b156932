"""The registry: every rule, what it checks and how to fix what it finds.

`python -m kitgen.check` writes the page about them.
"""

from __future__ import annotations

from kitgen.check import rules_config, rules_crds, rules_input, rules_kit, rules_objects
from kitgen.check.rule import Family, Rule

RULES: dict[str, Rule] = {
    rule.id: rule
    for part in (rules_input, rules_kit, rules_config, rules_crds, rules_objects)
    for rule in part.RULES
}

ABOUT = {
    Family.FILE: "No path leaves the kit, nothing is read without bounds, only kitgen's own files change.",
    Family.YAML: "Every file is read strictly, because readers of YAML disagree about what they forgive.",
    Family.SPEC: "Specs are held against the JSON Schemas of kitgen; `kitgen schema NAME` prints one.",
    Family.REFERENCE: "Names in one spec lead to another, and orders come to an end.",
    Family.TARGET: "A setting, a patch, a parameter or an expression must do what it says.",
    Family.CONFIG: "Values are held against the config.yaml of the component.",
    Family.CRD: (
        "Declarations expand to CRDs that an API server takes. Real CRDs are held against the same rules "
        "before they are imported."
    ),
    Family.EXCEPTION: "A breaking change of a CRD may be excepted, with a reason, as long as it is there.",
    Family.SCHEMA: (
        "Every object is held against the schema of its kind, and unknown fields are refused. For the kinds "
        "of Kubernetes that is its own schema in each minor of the range that the kit declares; a custom "
        "resource is held to its CRD as the API server does it."
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
                lines += ["", f"### {rule.id}", "", said, "", f"*To fix it:* {rule.fix}"]
    return "\n".join(lines) + "\n"
