"""Read what others tell of the digests of images: outputs of skopeo, crane and oc, lists of bundles.

In: names of files, which may be anybody's. Out: frozen records that know their file and place, findings of
what could not be read, and the texts. A form is told by what is in a file, never by its name. Nothing is
matched with a kit here, and nothing is fetched.
"""
