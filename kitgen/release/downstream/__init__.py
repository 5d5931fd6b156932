"""Files of other projects that name the versions of a release: READMEs, manifest sources, bundles.

In: names of files and folders, which may be anybody's, and a release. Out: findings with their file and line,
and remarks on what was not recognised. One module a kind of file, with its reader and its rules; the engine
has the table of them. Nothing runs, and no link is followed out of a folder.
"""
