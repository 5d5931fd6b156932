"""Migrations of kinds to another API group or version: phases, resources, rules and the runbook."""
