"""Images: whether a node can pull them and gets the same one tomorrow, and who can change them.

`mentions` finds them in objects of any kind; `objects` looks at each and at those of a target together;
`wiring` holds what a target of the kit renders to the images and parameters of its specs, and
`related` the variables of a release to those parameters. `egress` finds what containers fetch.
"""
