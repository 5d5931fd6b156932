"""Families: each turns one key of a spec into objects; its inverse turns objects into that key.

In: a section of a component's spec, or the objects of a tree. Out: objects with the sources of their fields,
or a section. Families must not import each other; `table` lists them.
"""
