"""Files, folders, git and other programs: the only place that touches them. Writing is atomic."""
