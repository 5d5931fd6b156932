"""Families: from what a spec says under one key to the objects it stands for. None imports another."""
