"""Trees before and after an import, and what people are told to look at."""

from __future__ import annotations

from kitgen.importing.crds import ImportedDeclarations
from kitgen.importing.review.review import looks
from kitgen.importing.review.sides import TreePair, TreeSide
from kitgen.importing.spec import Spec
from kitgen.importing.target_checks import VersionChecks
from kitgen.text.yaml import JsonObject

RBAC = "rbac.authorization.k8s.io"


def side(*bodies: JsonObject, prefix: str = "op-", home: str = "op-system") -> TreeSide:
    """Return a tree of the operator `op`."""
    return TreeSide(bodies=bodies, prefix=prefix, home=home)


def told(before: TreeSide | None, now: TreeSide) -> dict[str, list[str]]:
    """Return what is told of one tree, by title."""
    return of_all([TreePair(who="", before=before, now=now)])


def of_all(pairs: list[TreePair]) -> dict[str, list[str]]:
    """Return what is told of all trees, by title."""
    made = looks(pairs, Spec(data={}), ImportedDeclarations(), (), VersionChecks())
    return {each.title: list(each.lines) for each in made}
