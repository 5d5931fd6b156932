"""Types of an operator's configuration: what config.yaml declares, and values held against it.

In: the data of a config.yaml that has the shape of its schema, and values. Out: problems with their paths.
It knows nothing of targets or files.
"""

from kitgen.configtype.declaration import field_at, wrong_declaration
from kitgen.configtype.durations import DURATION, nanoseconds
from kitgen.configtype.values import wrong_values

__all__ = [
    "DURATION",
    "field_at",
    "nanoseconds",
    "wrong_declaration",
    "wrong_values",
]
