"""RBAC: rules of roles, the default roles of Kubernetes, and which subjects hold which roles.

In: roles and bindings of any shape. Out: permissions per subject and namespace, and comparisons of them.
"""
