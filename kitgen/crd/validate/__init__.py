"""Validate custom resources against the CRDs that declare their kinds, as the API server does.

In: objects, CRDs and, for updates, the old objects. Out: problems with paths. It must not touch files.
"""
