"""Migrations of kinds to another API group or version: phases, resources, rules and the runbook.

In: a migration of the kit, or exported objects. Out: objects of each phase, converted resources, findings and
a runbook. It must not connect to a cluster.
"""
