"""Types of an operator's configuration: what config.yaml declares, and values held against it.

In: the data of a config.yaml that has the shape of its schema, and values. Out: problems with their paths.
It knows nothing of targets or files.
"""
