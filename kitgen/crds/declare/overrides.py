"""The `types:` of a declaration: how its generator writes a Kubernetes type, wherever it is embedded."""

from __future__ import annotations

from functools import partial

from kitgen.crds.declare import edits
from kitgen.crds.declare.edits import Edit, EditError
from kitgen.crds.schema.paths import PathError
from kitgen.crds.schema.rules import CRD_EXCEPTION, CRD_NOT_STRUCTURAL
from kitgen.crds.types.forms import Change, TypeNameError, Types, types_of
from kitgen.findings import Finding, Origin
from kitgen.yamlio import JsonObject


def changed_types(
    declared: JsonObject, minor: int, *, descriptions: bool, origin: Origin, findings: list[Finding]
) -> Types:
    """Return the types of a minor with a declaration's exceptions made, and report what does not fit."""
    changes: dict[str, Change] = {
        name: partial(change, exceptions, origin=origin.at(name), findings=findings)
        for name, exceptions in declared.items()
    }
    types = Types(minor, descriptions=descriptions, changes=changes)
    for name in declared:
        at = origin.at(name)
        try:
            types.schema(name)
        except TypeNameError as error:
            findings.append(error.problem.at(at))
            continue
        if (fault := types.fault(name)) and not types_of(minor).fault(name):
            findings.append(CRD_NOT_STRUCTURAL(fault).at(at))
            types.excuse(name)
    return types


def change(
    exceptions: JsonObject, schema: JsonObject, *, origin: Origin, findings: list[Finding]
) -> JsonObject:
    """Return a type's schema with its exceptions made; one that does not fit is reported and left out.

    The types inside have theirs made already, so a path may lead through them.
    """
    own = {key: value for key, value in exceptions.items() if not key.startswith("$")}
    known = schema.get("properties", {})
    if added := own.pop("properties", None):
        for name in added.keys() & known.keys():
            at = origin.at("properties", name)
            message = f"found the field {name!r}, which is there already"
            hint = "use $set to change it"
            findings.append(CRD_EXCEPTION(message, hint=hint).at(at))
        own["properties"] = {**known, **added}
    schema = schema | own
    for action, path, value in edits.of(exceptions):
        edit = Edit(action=action, path=path, value=value)
        at = edit.origin(origin)
        try:
            schema = edits.apply(schema, edit)
        except EditError as problem:
            findings.append(CRD_EXCEPTION(problem.message, hint=problem.hint).at(at))
        except PathError:
            message = f"found {path!r}, which is no path"
            findings.append(CRD_EXCEPTION(message).at(at))
    return schema
