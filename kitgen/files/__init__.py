"""Files, folders, git and other programs: the only package that touches them. Writes are atomic.

In: paths, texts and command lines. Out: texts, changes on the disk and output of programs. It must not follow
symlinks out of the kit, or run what a foreign repository names.
"""
