"""The `types:` of a declaration: how its generator writes a Kubernetes type, wherever it is embedded."""

from __future__ import annotations

from functools import partial

from kitgen.crds.declare import edits
from kitgen.crds.schema.rules import CRD_NOT_STRUCTURAL
from kitgen.crds.types.forms import Change, TypeNameError, Types, types_of
from kitgen.findings import Finding, Origin, Problem
from kitgen.yamlio import JsonObject


def changed_types(
    declared: JsonObject, minor: int, *, descriptions: bool, origin: Origin
) -> tuple[Types, list[Finding]]:
    """Return the types of a minor with a declaration's exceptions made, and what does not fit."""
    changes: dict[str, Change] = {name: partial(change, each) for name, each in declared.items()}
    types = Types(minor, descriptions=descriptions, changes=changes)
    findings: list[Finding] = []
    for name in declared:
        at = origin.at(name)
        try:
            types.schema(name)
        except TypeNameError as error:
            findings.append(error.problem.at(at))
            continue
        findings += [problem.at(at) for problem in types.misfits(name)]
        if (fault := types.fault(name)) and not types_of(minor).fault(name):
            findings.append(CRD_NOT_STRUCTURAL(fault).at(at))
            types.excuse(name)
    return types, findings


def change(exceptions: JsonObject, schema: JsonObject) -> tuple[JsonObject, tuple[Problem, ...]]:
    """Return a type's schema with its exceptions made, and those that do not fit.

    The types inside have theirs made already, so a path may lead through them.
    """
    own = {key: value for key, value in exceptions.items() if not key.startswith("$")}
    return edits.make(schema, own, edits.of(exceptions))
