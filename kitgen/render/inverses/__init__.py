"""Inverses of families: objects of a real tree become what a spec says."""
