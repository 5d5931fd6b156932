"""Selectors by labels, wherever they stand."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import forms
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.objects.naming import wrong_pairs
from kitgen.yamlio import JsonObject

WITH_VALUES, WITHOUT = ("In", "NotIn"), ("Exists", "DoesNotExist")


def requirement(found: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with a requirement of a selector."""
    operator = found.get("operator")
    yield from forms.worded(found, "operator", (*WITH_VALUES, *WITHOUT), strict=True)
    if operator in WITH_VALUES and not found.get("values"):
        yield forms.lacking(found, "values", f"at least one, for the operator is {operator}")
    if operator in WITHOUT and found.get("values"):
        yield SERVER_FORBIDDEN(f"found values, expected none, for the operator is {operator}", ("values",))
    yield from forms.qualified(found, "key")
    for index, value in enumerate(forms.items(found.get("values"))):
        for problem in wrong_pairs({"key": value}, (), values=True):
            yield SERVER_INVALID(problem.message, ("values", index))


VALIDATORS: Validators = {"meta/v1.LabelSelectorRequirement": requirement}
