"""What an API server requires of objects of Kubernetes' own kinds beyond their schemas.

Each module is a chapter with a table, `RULES`: by the short name of a type of Kubernetes, such as
`apps/v1.DeploymentSpec`, constraints on its fields, and functions for what several fields say together. The
vocabulary of the tables stands in `constraints`. `walk` takes objects apart by the definitions of types, and
applies their rules. Nothing here knows a second object.
"""
