"""Objects as kubectl exports them, however many: one at a time, and never all in memory.

In: a file or standard input. Out: objects, each with its place and the text that its lines are found in. What
is neither a plain list nor a stream of documents is read as a whole, within the usual limits.
"""
