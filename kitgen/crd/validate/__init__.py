"""Custom resources against the CRDs that declare their kinds, as the API server does it."""
