"""The `types:` of a declaration: how its generator writes a Kubernetes type, wherever it is embedded."""

from __future__ import annotations

from functools import partial

from kitgen.crds.declare import edits
from kitgen.crds.declare.edits import Edit, EditError
from kitgen.crds.schema.paths import PathError
from kitgen.crds.schema.rules import CRD_EXCEPTION, CRD_NOT_STRUCTURAL
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
    """Return a type's schema with its exceptions made, and those that do not fit, which are left out.

    The types inside have theirs made already, so a path may lead through them.
    """
    problems: list[Problem] = []
    own = {key: value for key, value in exceptions.items() if not key.startswith("$")}
    known = schema.get("properties", {})
    if added := own.pop("properties", None):
        for name in added.keys() & known.keys():
            message = f"found the field {name!r}, which is there already"
            problems.append(CRD_EXCEPTION(message, ("properties", name), "use $set to change it"))
        own["properties"] = {**known, **added}
    schema = schema | own
    for action, path, value in edits.of(exceptions):
        edit = Edit(action=action, path=path, value=value)
        try:
            schema = edits.apply(schema, edit)
        except EditError as problem:
            problems.append(CRD_EXCEPTION(problem.message, edit.place, problem.hint))
        except PathError:
            problems.append(CRD_EXCEPTION(f"found {path!r}, which is no path", edit.place))
    return schema, tuple(problems)
