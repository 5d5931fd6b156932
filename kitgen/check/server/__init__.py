"""Validate objects of Kubernetes' own kinds as an API server does beyond their schemas.

In: one object at a time. Out: problems. Each module has a table, `RULES`: by the short name of a type, such
as `apps/v1.DeploymentSpec`, constraints on its fields, and validators of several fields together;
`constraints` and `repetition` are the vocabulary, and `walk` applies the rules. Nothing here may look at a
second object.
"""
