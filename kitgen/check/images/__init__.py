"""Images: whether a node can pull them and gets the same one tomorrow, and who can change them.

`objects` looks at each image, and at those of a target together, as `kube/image_mentions` finds them;
`wiring` holds what a target of the kit renders to the images and parameters of its specs, and
`related_images` the variables of a release to those parameters. `downloads` finds what containers fetch.
"""
