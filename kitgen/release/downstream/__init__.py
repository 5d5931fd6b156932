"""Read files of others that say which versions belong to a release: READMEs, manifest sources, catalogs.

In: names of files and folders, which may be anybody's. Out: frozen records that know their file and line,
findings of what could not be read, and what was not recognised. One module a kind of file; nothing is judged
here, nothing runs, and no link is followed out of a folder.
"""
