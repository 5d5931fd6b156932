"""Read objects as kubectl exports them, one at a time and never all in memory.

In: a file or standard input. Out: objects, each with its place and the text to find its lines in. What is
neither a plain list nor a stream of documents is read as a whole, within the usual limits.
"""
