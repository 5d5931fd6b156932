"""Rules for files of downstreams: whether they name the versions that belong to a release."""
