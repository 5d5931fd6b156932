"""Check rendered objects, foreign manifests and trees against the rules.

In: objects with their targets, minors and specs. Out: findings. It must not change an object, or run what a
manifest names.
"""
