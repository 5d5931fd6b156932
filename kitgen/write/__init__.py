"""Bring a folder on disk in line with a tree of files, wholly or not at all.

In: a tree (relative path → content) and the folder. Out: the plan, and the changed folder. It deletes
and overwrites only what it wrote before, which `.kitgen/files` lists and the caller can confirm by the
content; it never follows a symlink; after a crash at any moment `recover` finishes the change or drops
it. `change` does the same for files that people wrote, and deletes none. It must not know what the files
mean.
"""

from kitgen.write.apply import apply, recover
from kitgen.write.change import change, recover_change
from kitgen.write.digest import digest
from kitgen.write.leftovers import leftovers
from kitgen.write.listing import listed
from kitgen.write.peek import peek
from kitgen.write.plan import Plan, plan

__all__ = [
    "Plan",
    "apply",
    "change",
    "digest",
    "leftovers",
    "listed",
    "peek",
    "plan",
    "recover",
    "recover_change",
]
