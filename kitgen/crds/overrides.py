"""The `types:` of a declaration: how its generator writes a Kubernetes type, wherever it is embedded."""

from __future__ import annotations

from functools import partial

from kitgen.crds import edits
from kitgen.crds.edits import Edit, EditError
from kitgen.crds.paths import PathError
from kitgen.crds.types import Change, TypeNameError, types_of
from kitgen.findings import Finding, Origin
from kitgen.yamlio import JsonObject


def changes_of(
    declared: JsonObject, origin: Origin, minor: int, findings: list[Finding]
) -> dict[str, Change]:
    """Return a function per type that makes its exceptions, and report what does not fit."""
    changes: dict[str, Change] = {}
    for name, exceptions in declared.items():
        at = origin.at(name)
        try:
            schema: JsonObject = types_of(minor).schema(name)
        except TypeNameError as problem:
            findings.append(Finding(rule=problem.rule, message=problem.message, origin=at, hint=problem.hint))
            continue
        findings.extend(_misfits(schema, exceptions, at))
        changes[name] = partial(change, exceptions)
    return changes


def change(exceptions: JsonObject, schema: JsonObject) -> JsonObject:
    """Return a type's schema with its exceptions made; one that does not fit is left out."""
    schema = schema | _own(exceptions)
    for action, path, value in edits.of(exceptions):
        try:
            schema = edits.apply(schema, Edit(action=action, path=path, value=value))
        except (EditError, PathError):
            continue  # a finding told so already
    return schema


def _own(exceptions: JsonObject) -> JsonObject:
    return {key: value for key, value in exceptions.items() if not key.startswith("$")}


def _misfits(schema: JsonObject, exceptions: JsonObject, origin: Origin) -> list[Finding]:
    found = []
    schema = schema | _own(exceptions)
    for action, path, value in edits.of(exceptions):
        edit = Edit(action=action, path=path, value=value)
        at = edit.origin(origin)
        try:
            schema = edits.apply(schema, edit)
        except EditError as problem:
            found.append(Finding(rule="crd-exception", message=problem.message, origin=at, hint=problem.hint))
        except PathError:
            message = f"found {path!r}, which is no path"
            found.append(Finding(rule="crd-exception", message=message, origin=at))
    return found
