"""Print the page of a rule: its severity, its explanation and how a kit can configure it."""

from __future__ import annotations

from textwrap import fill

from kitgen.findings import Rule, Severity

WIDTH = 88


def render_rule_page(rule: Rule) -> str:
    """Write what a rule is about, what comes of breaking it, how to fix it and how to live with it."""
    parts = [f"{rule.id}: {rule.severity.value} ({rule.chapter.value})", rule.checks]
    if rule.why:
        parts.append(f"What comes of it: {rule.why}")
    parts += [f"To fix it: {rule.fix}", describe_rule_settings(rule)]
    return (
        "\n\n".join(fill(part, WIDTH, break_long_words=False, break_on_hyphens=False) for part in parts)
        + "\n"
    )


def describe_rule_settings(rule: Rule) -> str:
    """Describe how a kit may configure a rule instead."""
    grade = f"`rules: {{{rule.id}: error}}` in kit.yaml makes it an error"
    if not rule.exceptable:
        return (
            "It has no exceptions." if rule.severity is Severity.ERROR else f"{grade}; it has no exceptions."
        )
    off = f"`rules: {{{rule.id}: ignore}}` switches it off"
    other = (
        grade
        if rule.severity is not Severity.ERROR
        else f"`rules: {{{rule.id}: warning}}` in kit.yaml makes it a warning"
    )
    return (
        f"{other}, and {off}. To accept it in one place, add an exception there with the rule, the file, the "
        "pointer that the finding names and a reason; `expires` says until when."
    )
