"""The runbook of a migration: what people do, phase by phase, to migrate a cluster.

In: a migration, the objects of each phase, and what manages the target on a cluster. Out: steps with
commands, risks, rollback and conditions for the next phase. The text is in the templates `phase.j2`,
`overview.j2`, `commands.j2` and `runbook.md.j2`. It must not read other files or run programs.
"""
