"""Images of targets: lists, locks of digests, mirrors, and whether a disconnected cluster can run them."""
