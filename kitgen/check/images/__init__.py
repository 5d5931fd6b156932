"""Images: whether a node can pull them, whether they are immutable, and who can change them.

In: objects and specs of a target. Out: problems. `objects` checks each image and those of a target together;
`parameters` compares them with the images and parameters of specs, `related_images` the variables of a
release with those parameters; `downloads` finds what containers fetch.
"""
