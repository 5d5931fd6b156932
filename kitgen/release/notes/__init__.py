"""Release notes: what a release changes for users and administrators, and the text that tells it.

In: all that changes between two releases, and what their files say. Out: plain data, and Markdown that a
template makes of it: the kit's own, or the one that kitgen ships.
"""
