"""The table of the rules that rank changes of objects."""

from __future__ import annotations

from kitgen.compare.change import ChangeRule, Risk
from kitgen.compare.review import rules


def rank_table() -> str:
    """Return every rule with its risk, why it has it and who feels it, the worst first."""
    own = [each for each in vars(rules).values() if isinstance(each, ChangeRule)]
    rows = [(each.risk, each.id, each.reason, each.felt_by) for each in own]
    rows += [
        (risk, f"[`{name}`](rules.md#{name})", why, who) for name, (risk, why, who) in rules.UPGRADES.items()
    ]
    lines = ["| risk | rule | why | felt by |", "|---|---|---|---|"]
    for risk in Risk:
        for _, name, why, who in sorted(row for row in rows if row[0] is risk):
            called = name if name.startswith("[") else f"`{name}`"
            lines.append(f"| {risk.value} | {called} | {why} | {who} |")
    return "\n".join([*lines, ""])
