"""Rules of upgrades: what is checked held against what is there before it.

Each judgement is a function of an old and a new object, or of two sets of them, and knows nothing of targets:
whoever compares two states can ask the same. `objects` asks all of them for a check.
"""
