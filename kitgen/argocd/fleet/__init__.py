"""Fleets: which clusters labels select, and what Argo CD makes of ApplicationSets for them."""
