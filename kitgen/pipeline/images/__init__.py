"""Commands about images: which there are, which digests they have, and whether they can be mirrored."""
