"""Check rendered objects and foreign manifests: objects in, findings out.

In: the manifests of each target, the range of Kubernetes minors and the declared CRDs. Out: findings
that point at the spec behind a field. It reads no file and changes no object. A family of rules is a
module with one function from the context to hits.
"""

from kitgen.check.builtin import crd_violations
from kitgen.check.context import Context, Hit
from kitgen.check.engine import check

__all__ = ["Context", "Hit", "check", "crd_violations"]
