"""Check rendered objects, foreign manifests and trees: findings out.

In: the manifests of each target, the range of Kubernetes minors and the declared CRDs. Out: findings
that point at the spec behind a field. It opens no file and changes no object. Rules of objects are in modules
with one function from the context to hits, in the list of the engine; those of rendered trees in `trees`.
"""

from kitgen.check.context import Context, Hit
from kitgen.check.engine import check
from kitgen.check.schemas.builtin import crd_violations
