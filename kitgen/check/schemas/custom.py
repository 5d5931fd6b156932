"""Objects of kinds that Kubernetes does not define: from CRDs, or from kitgen's own schemas."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from kitgen.crds.schema.crd import Catalog
from kitgen.crds.validate.rules import FIELDS
from kitgen.findings import Chapter, Problem, Rule, Severity
from kitgen.kubernetes import Kind
from kitgen.schema import files as schemafiles
from kitgen.schema.shape import Shape

KIND_UNKNOWN = Rule(
    id="kind-unknown",
    chapter=Chapter.SCHEMA,
    checks="There is a schema for every kind; without one the fields of an object cannot be checked.",
    fix="Declare the CRD of the kind in the kit, or correct the kind.",
    severity=Severity.WARNING,
    exceptable=True,
)


@cache
def shipped(kind: Kind) -> Shape | None:
    """Return kitgen's own schema of a kind, if it has one."""
    name = f"kinds/{kind.group}/{kind.kind.lower()}_{kind.version}"
    # Names are compared, never opened: group and kind may come from anybody.
    if name not in schemafiles.names():
        return None
    return Shape(schemafiles.schema(name), name=name, rules=FIELDS)


def undeclared(kind: Kind, known: Catalog, *, broken: bool, foreign: bool) -> Iterator[Problem]:
    """Yield that a kind without a schema is misspelt, or that its fields are not checked."""
    from kitgen.crds.validate.objects import misspelt

    if broken:
        message = f"the CRD of {kind} is broken, so its fields are not checked"
        yield KIND_UNKNOWN(message, ("kind",), "kitgen crd outline FILE says what is wrong with a CRD")
    elif fault := misspelt(kind.group, kind.kind, known):
        yield fault
    else:
        message = f"there is no schema for {kind}, so its fields are not checked"
        hint = "name a file with its CRD too" if foreign else "declare its CRD in the kit"
        yield KIND_UNKNOWN(message, ("kind",), hint)
