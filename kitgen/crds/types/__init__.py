"""Kubernetes' own types in the form that CRDs have them, and their names."""
