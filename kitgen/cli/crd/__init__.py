"""The crd commands."""
