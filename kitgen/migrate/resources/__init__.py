"""Resources of old kinds become resources of the new ones, as a migration declares it."""
