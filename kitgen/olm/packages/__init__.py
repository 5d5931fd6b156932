"""Read OLM bundles as those see them who put them into catalogs: a version, a package, many packages.

In: a folder that may be anybody's. Out: frozen records whose parts know their file and place, and findings
of what could not be read. Nothing is judged here, and no link is followed out of the folder.
"""
