"""An opened kit: sources, compiled and checked targets, baselines, and the cache.

In: a kit and the names of what a command works on. Out: compiled objects, findings and written trees,
computed on demand. It must not parse command lines or print.
"""
