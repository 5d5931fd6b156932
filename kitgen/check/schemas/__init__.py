"""Schemas: every object against the schema of its kind, strict, for each minor of the range."""
