"""Bring a folder on disk in line with a tree of files, wholly or not at all.

In: a tree (relative path → content) and the folder. Out: what changes, and the changed folder. It deletes
and overwrites only what it wrote before, which `.kitgen/files` lists and the mark in the file confirms; it
never follows a symlink; after a crash at any moment `recover` finishes the change or drops it. Files that
belong to people are written only by who names the texts that were read: those of a kit by `change`, all or
none, and files anywhere by `edit_files`. It must not know what the files mean.
"""

from kitgen.write.apply import apply, recover
from kitgen.write.change import change, recover_change
from kitgen.write.compare import Changes, compare
from kitgen.write.disk import is_writable, peek
from kitgen.write.leftovers import leftovers
from kitgen.write.listing import digest, digest_of, listed
from kitgen.write.paths import within
from kitgen.write.single import edit_files, replace_file, replace_private_file, write_private
