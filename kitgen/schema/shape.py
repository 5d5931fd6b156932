"""Check the shape of data against a JSON Schema: keys, types and values.

In: plain data and a schema. Out: violations, or findings for a spec file. What crosses fields or
files is not checked here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from kitgen.schema import files as schemafiles
from kitgen.errors import KitgenError
from kitgen.schema.explain import Explainer, Trouble, Violation
from kitgen.findings import Finding, Origin
from kitgen.yamlio import Json, JsonObject

BASE = "schema:///"
RULES = {
    Trouble.UNKNOWN: "spec-unknown-key",
    Trouble.MISSING: "spec-missing-key",
    Trouble.TYPE: "spec-type",
    Trouble.VALUE: "spec-value",
}


class Shape:
    """A compiled schema."""

    def __init__(
        self,
        schema: JsonObject,
        *,
        name: str = "",
        others: Callable[[str], JsonObject] | None = None,
        formats: bool = False,
        noun: str = "key",
    ) -> None:
        """Compile; `others` gives the schemas that this one refers to, `noun` is the word for a key."""
        import jsonschema_rs

        self.schema = schema
        self.uri = schema.get("$id") or f"{BASE}{name}.json"
        self.others = others or _refuse
        self.noun = noun
        self.validator = jsonschema_rs.Draft202012Validator(
            schema, base_uri=self.uri, retriever=self.others, validate_formats=formats
        )

    def accepts(self, data: Json) -> bool:
        """Tell whether data fits, as fast as can be."""
        return self.validator.is_valid(data)

    def violations(self, data: Json, *, reveal: bool = True) -> list[Violation]:
        """Explain every place where data does not fit; without `reveal` no value is shown."""
        if self.accepts(data):
            return []
        explainer = Explainer(document=self._document, noun=self.noun, reveal=reveal)
        errors = self.validator.iter_errors(data)
        return list(dict.fromkeys(each for error in errors for each in explainer.explain(error)))

    def _document(self, uri: str) -> JsonObject:
        return self.schema if uri in ("", self.uri) else self.others(uri)


def violations(schema_name: str, data: Json, origin: Origin) -> list[Finding]:
    """Return a finding for every place where a spec breaks the schema of that name."""
    return [
        Finding(rule=RULES[each.trouble], message=each.message, origin=origin.at(*each.path), hint=each.hint)
        for each in shape(schema_name).violations(data)
    ]


@cache
def shape(schema_name: str) -> Shape:
    """Return one of kitgen's own schemas, compiled."""
    return Shape(schemafiles.schema(schema_name), name=schema_name, others=_shipped, formats=True)


def _shipped(uri: str) -> JsonObject:
    """Return the shipped schema that a reference from another one means."""
    for name in schemafiles.names():
        if uri.endswith(f"/{name}.json"):
            return schemafiles.schema(name)
    return _refuse(uri)


def _refuse(uri: str) -> JsonObject:
    raise KitgenError(f"a schema refers to {uri}, which is not shipped")
