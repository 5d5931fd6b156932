"""Releases: new, check, plan, pin, retire, notes, tags, the compatibility matrix and files of downstreams."""
