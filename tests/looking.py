"""Trees before and after an import, and what people are told to look at."""

from __future__ import annotations

from kitgen.importing.crds import Declared
from kitgen.importing.review.review import looks
from kitgen.importing.review.sides import Pair, Side
from kitgen.importing.spec import Spec
from kitgen.importing.target_checks import VersionChecks
from kitgen.text.yaml import JsonObject

RBAC = "rbac.authorization.k8s.io"


def side(*bodies: JsonObject, prefix: str = "op-", home: str = "op-system") -> Side:
    """Return a tree of the operator `op`."""
    return Side(bodies=bodies, prefix=prefix, home=home)


def told(before: Side | None, now: Side) -> dict[str, list[str]]:
    """Return what is told of one tree, by title."""
    return of_all([Pair(who="", before=before, now=now)])


def of_all(pairs: list[Pair]) -> dict[str, list[str]]:
    """Return what is told of all trees, by title."""
    made = looks(pairs, Spec(data={}), Declared(), (), VersionChecks())
    return {each.title: list(each.lines) for each in made}
