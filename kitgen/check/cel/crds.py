"""CEL rules in the schemas of CRDs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kitgen.yamlio import Json

if TYPE_CHECKING:
    from kitgen.crds.cel.check.expressions import RuleFault
    from kitgen.crds.cel.run.values import Take

STATUS = ("properties", "status")


def faults(spec: Json, take: Take) -> Iterator[RuleFault]:
    """Yield what is wrong with the rules of the versions of a CRD."""
    versions = spec.get("versions") if isinstance(spec, dict) else None
    for index, version in enumerate(versions if isinstance(versions, list) else ()):
        schema = version.get("schema") if isinstance(version, dict) else None
        if isinstance(schema, dict):
            path = ("spec", "versions", index, "schema", "openAPIV3Schema")
            yield from (each.below(*path) for each in _of_schema(schema.get("openAPIV3Schema"), take))


def _of_schema(schema: Json, take: Take) -> Iterator[RuleFault]:
    from kitgen.crds.cel.check.places import has_rules

    if not has_rules(schema):
        return
    from kitgen.crds.cel.check.rules import rule_faults

    for fault in rule_faults(schema, take):
        # Only operators write a status, and keep it small.
        if fault.kind != "unbounded" or fault.path[:2] != STATUS:
            yield fault
