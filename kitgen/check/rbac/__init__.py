"""Check permissions: dangerous ones, ones granted too widely, and ones that are missing.

In: roles, bindings and webhooks of a target. Out: problems. Operators need many of these permissions, so most
are warnings, one per role and rule, for a reviewer to judge and for the kit to accept with a reason.
"""
