"""The phases of a migration: what a target brings to a cluster while kinds move."""
