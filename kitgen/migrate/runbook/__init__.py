"""The runbook of a migration: what people do, phase by phase, to bring a cluster through it.

In: a migration, what a target brings in each phase, and what looks after the target on a cluster. Out: steps
with commands, what they put at risk, how to go back, what must hold before the next phase, and what no tool
can do. The text is in templates: `phase.j2` and `overview.j2` have the steps, `commands.j2` the commands, and
`runbook.md.j2` the layout. It must not read other files or run programs.
"""
