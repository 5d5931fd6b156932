"""JSON Schemas: which there are, whether data fits one, and the words for where it does not.

In: plain data and a schema. Out: problems. What crosses fields or files is not checked here.
"""
