"""The compatibility matrix as text: made for a release, found in a README, read back, and replaced there.

In: a release, rows of labels and cells, or any text with the markers. Out: text, rows, or why there are none.
"""
