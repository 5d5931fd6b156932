"""Rules of releases: whether what one says is what it builds, and what others will find of it."""
