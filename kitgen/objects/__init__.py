"""Kubernetes objects on their way to a file: identity, body and where each field comes from.

In: bodies that a compile family made. Out: the same, named and traceable. It compares and looks
things up; it never makes or changes a body.
"""

from kitgen.objects.identity import RBAC, ObjectId, is_namespaced, split_api_version, split_kind
from kitgen.objects.images import wrong_image
from kitgen.objects.manifest import Manifest, Move, Source, value_at
from kitgen.objects.naming import (
    NameForm,
    is_qualified,
    normalized,
    wrong_names,
    wrong_object_names,
    wrong_pairs,
)
