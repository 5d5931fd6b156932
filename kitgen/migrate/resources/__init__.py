"""Convert resources of old kinds to the new ones, as a migration declares.

In: exported objects and a migration. Out: objects to apply, and findings. What cannot be converted safely is
reported, never guessed.
"""
