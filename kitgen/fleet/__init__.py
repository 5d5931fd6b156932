"""Fleets: which clusters labels select, and what Argo CD makes of ApplicationSets for them.

In: clusters, selectors, the bodies of ApplicationSets. Out: selectors, the Applications that Argo CD would
make, and the steps in which it syncs them. No files, no specs.
"""
