"""What a CRD says of its own fields and is not there: columns, the scale, fields that must be set."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.index import below
from kitgen.check.server import forms
from kitgen.check.server.rules import SERVER_INVALID, SERVER_WARNING
from kitgen.crds.schema.columns import dead_end
from kitgen.crds.schema.structural import KEEPS
from kitgen.findings import Problem, near
from kitgen.schema.wording import cut
from kitgen.yamlio import JsonObject

SCALED = ("specReplicasPath", "statusReplicasPath", "labelSelectorPath")
EVERYWHERE = ("apiVersion", "kind", "metadata")
"""Fields that every object has, whether a schema says so or not."""
BOUNDS = tuple((f"min{what}", f"max{what}") for what in ("imum", "Length", "Items", "Properties"))
OPEN = ("additionalProperties", KEEPS, "$ref")


def paths(version: JsonObject, schema: JsonObject) -> Iterator[Problem]:
    """Yield paths of a version that lead nowhere."""
    for field, rule in (("additionalPrinterColumns", SERVER_WARNING), ("selectableFields", SERVER_INVALID)):
        for index, each in forms.mappings(version, field):
            path = forms.text(each, "jsonPath")
            if path.startswith(".") and (why := dead_end(schema, path)):
                yield rule(_said(path, why), (field, index, "jsonPath"))
    scale = forms.mapping(below(version, "subresources", "scale"))
    for field in SCALED:
        path = forms.text(scale, field)
        if path.startswith((".spec.", ".status.")) and (why := dead_end(schema, path)):
            yield SERVER_WARNING(_said(path, why), ("subresources", "scale", field))


def _said(path: str, why: str) -> str:
    return f"found the path {cut(path)}, which leads nowhere: {why}"


def required(node: JsonObject) -> Iterator[Problem]:
    """Yield fields that a schema requires and does not have: dropped as they are, every object lacks them."""
    fields = node.get("properties")
    if not isinstance(fields, dict) or any(node.get(key) for key in OPEN):
        return
    for index, name in enumerate(forms.items(node.get("required"))):
        if isinstance(name, str) and name not in fields and name not in EVERYWHERE:
            message = f"found the required field {cut(name)}, which the schema does not have"
            yield SERVER_WARNING(message, ("required", index), near(name, [str(each) for each in fields]))


def bounds(node: JsonObject) -> Iterator[Problem]:
    """Yield bounds of a schema that no value is within."""
    for least, most in BOUNDS:
        low, high = (forms.number(node.get(key)) for key in (least, most))
        if low is not None and high is not None and low > high:
            message = f"found {least} {low} above {most}, which is {high}: no value fits"
            yield SERVER_WARNING(message, (least,))
