"""Declarations: how one is written, and the CRD that it expands to."""
