"""The table of the rules that rank changes of objects."""

from __future__ import annotations

from kitgen.compare.change import About, Risk, load_change_rules


def rank_table() -> str:
    """Return every rule with its risk, why it has it and who feels it, the worst first."""
    known = load_change_rules().values()
    rows = [(each.risk, each.id, each.reason, each.felt_by) for each in known if each.about is About.OBJECT]
    rows += [
        (each.risk, f"[`{each.id}`](rules.md#{each.id})", each.reason, each.felt_by)
        for each in known
        if each.about is About.UPGRADE
    ]
    lines = ["| risk | rule | why | felt by |", "|---|---|---|---|"]
    for risk in Risk:
        for _, name, why, who in sorted(row for row in rows if row[0] is risk):
            called = name if name.startswith("[") else f"`{name}`"
            lines.append(f"| {risk.value} | {called} | {why} | {who} |")
    return "\n".join([*lines, ""])
