"""Expand the schemas of a component's declarations: $type, $use and their exceptions.

In: the declared schemas of one component. Out: plain structural schemas in which every Kubernetes
type, and every part that is used elsewhere, is one shared mapping.
"""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.crd import schema_edits, structural
from kitgen.crd.schema_edits import Action, SchemaEdit, SchemaPart, find_schema_references, parse_part
from kitgen.crd.structural import CRD_EXCEPTION, CRD_NOT_STRUCTURAL, CRD_PART_UNKNOWN
from kitgen.crd.types import CRD_RECURSIVE, TypeNameError, Types
from kitgen.findings import Finding, Origin, Rule, get_rule, suggest_word
from kitgen.kube import schema_paths
from kitgen.kube.schema_paths import PathError
from kitgen.text.values import value_at
from kitgen.text.yaml import Json, JsonObject, SharedMapping

CRD_TOO_DEEP = get_rule("crd-too-deep")


NAMING = ("$type", "$use")
"""Keywords with which a declared schema stands for a type or a part."""
DOLLARS = frozenset({*NAMING, "$set", "$add", "$remove"})
HOLDERS = ("properties", "items", "additionalProperties")
"""Keywords below which schemas stand."""
MAX_DEPTH = 200
MAX_CHAIN = 40
BROKEN: JsonObject = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
"""Stands where a schema could not be made, so that the rest can still be checked."""


class Position(Struct, frozen=True):
    """Where a schema stands: as a part of the component, and in its file."""

    part: SchemaPart
    types: Types
    start: Origin
    """Of the schema that it is in, or of the exception."""
    way: schema_paths.Steps = ()
    """The steps from there."""

    @property
    def origin(self) -> Origin:
        """Return where it is in its file; few are asked."""
        return self.start.at(*self.way)

    def below(self, *steps: str, origin: Origin | None = None) -> Position:
        """Return the place some keywords and names further down; an exception has an origin of its own."""
        part = self.part.below(*steps)
        return (
            Position(part, self.types, origin)
            if origin
            else Position(part, self.types, self.start, self.way + steps)
        )


class Expander(Struct):
    """Expands the schemas of one component; remembers parts and findings."""

    sources: dict[tuple[str, str], tuple[Json, Position]]
    """The declared schemas by full name and version, each with its place."""
    aliases: dict[str, str]
    """The full name of each name that $use may say."""
    findings: list[Finding] = field(default_factory=list)
    """What was found wrong on the way."""
    _targets: set[SchemaPart] = field(default_factory=set)
    """The parts that are used elsewhere."""
    _names: set[str] = field(default_factory=set)
    """The fields that these end with."""
    _parts: dict[SchemaPart, SharedMapping] = field(default_factory=dict)
    _open: list[SchemaPart] = field(default_factory=list)

    def __post_init__(self) -> None:
        for schema, _ in self.sources.values():
            for text in find_schema_references(schema, "$use"):
                try:
                    part = self._parse_part(text)
                except PathError:
                    continue  # reported where it is expanded
                self._targets.add(part)
                self._names.update(part.steps[-1:])

    def _parse_part(self, text: str) -> SchemaPart:
        part = parse_part(text)
        return SchemaPart(self.aliases.get(part.name, part.name), part.version, part.steps)

    def _report(self, rule: Rule, message: str, origin: Origin, hint: str = "") -> JsonObject:
        """Report what is wrong, and return what stands in its place."""
        self.findings.append(rule(message, hint=hint).to_finding(origin))
        return BROKEN

    def expand_node(self, node: Json, place: Position) -> JsonObject:
        """Expand the schema at a place; a place that is used elsewhere is expanded only once."""
        return (
            self.expand_part(place.part, place.origin)
            if self._targets and place.part in self._targets
            else self._expand_schema(node, place)
        )

    def expand_part(self, part: SchemaPart, origin: Origin) -> JsonObject:
        """Return a part of the component's schemas that is used elsewhere."""
        if part in self._parts:
            return self._parts[part]
        if part in self._open:
            message = f"the part {str(part)!r} holds itself, and a CRD cannot"
            return self._report(CRD_RECURSIVE, message, origin)
        if len(self._open) >= MAX_CHAIN:
            message = f"found more than {MAX_CHAIN} parts that use one another"
            return self._report(CRD_TOO_DEEP, message, origin)
        self._open.append(part)
        try:
            schema = self._resolve_part(part, origin)
        finally:
            self._open.pop()
        if type(schema) is SharedMapping:
            return schema
        shared = self._parts[part] = SharedMapping(schema)
        return shared

    def _resolve_part(self, part: SchemaPart, origin: Origin) -> JsonObject:
        """Follow a part through the declared data, and into what it names."""
        if (source := self.sources.get((part.name, part.version))) is None:
            wanted = f"{part.name}/{part.version}"
            aliases = self.aliases.items()
            known = [f"{each}/{key[1]}" for each, name in aliases for key in self.sources if key[0] == name]
            message = f"found {wanted!r}, which is not declared"
            return self._report(CRD_PART_UNKNOWN, message, origin, suggest_word(wanted, sorted(known)))
        node, place = source
        names = False  # below properties stand names of fields, and one may be called $type
        for index, step in enumerate(part.steps):
            if (
                not isinstance(node, dict)
                or step not in node
                or (not names and not node.keys().isdisjoint(NAMING))
            ):
                if not names and isinstance(node, dict) and not node.keys().isdisjoint(NAMING):
                    found = value_at(self.expand_node(node, place), *part.steps[index:])
                    if isinstance(found, dict):
                        return found
                message = f"found {str(part)!r}, which leads nowhere"
                return self._report(CRD_PART_UNKNOWN, message, origin)
            node, place = node[step], place.below(step)
            names = step == "properties" and not names
        return self._expand_schema(node, place)

    def _expand_schema(self, node: Json, place: Position) -> JsonObject:
        if not isinstance(node, dict):
            return self._report(CRD_NOT_STRUCTURAL, "found no schema, expected one", place.origin)
        if len(place.part.steps) > MAX_DEPTH:
            return self._report(CRD_TOO_DEEP, f"found more than {MAX_DEPTH} levels of schema", place.origin)
        plain = DOLLARS.isdisjoint(node)
        base = None if plain else self._resolve_base(node, place)
        own = {
            key: self._expand_keyword(key, value, place) if key in HOLDERS else value
            for key, value in node.items()
            if plain or key not in DOLLARS
        }
        if base is None:
            hint = "add $type or $use, or change the schema itself"
            for action in () if plain else (each for each in Action if each in node):
                at = place.origin.at(action)
                self._report(CRD_EXCEPTION, f"found {action} without $type and $use", at, hint)
            self._check_node(own, place)
            return own
        return base if len(node) == 1 else self._apply_exceptions(base, own, node, place)

    def _resolve_base(self, node: JsonObject, place: Position) -> JsonObject | None:
        """Return the schema that $type or $use names; None when there is neither."""
        name, use = node.get("$type"), node.get("$use")
        if name is not None and use is not None:
            self._report(CRD_EXCEPTION, "found both $type and $use, expected one", place.origin.at("$use"))
        if name is not None:
            try:
                schema = place.types.get_schema(str(name))
                if len(node) == 1 and (fault := place.types.find_fault(str(name))):
                    hint = "make an exception for it"
                    self._report(CRD_NOT_STRUCTURAL, f"in {name}: {fault}", place.origin.at("$type"), hint)
                return schema
            except TypeNameError as error:
                self.findings.append(error.problem.to_finding(place.origin.at("$type")))
                return BROKEN
        if use is not None:
            at = place.origin.at("$use")
            try:
                return self.expand_part(self._parse_part(str(use)), at)
            except PathError:
                hint = "write it as plural/version or plural/version/field.path"
                return self._report(CRD_PART_UNKNOWN, f"found {use!r}, which names no part", at, hint)
        return None

    def _expand_keyword(self, keyword: str, value: Json, place: Position) -> Json:
        """Expand the schemas below a keyword; any other value stays as it is."""
        if keyword == "properties" and isinstance(value, dict):
            return {
                name: sub
                if self._is_done(sub, name, place)
                else self.expand_node(sub, place.below(keyword, name))
                for name, sub in value.items()
            }
        if keyword == "items" or (keyword == "additionalProperties" and not isinstance(value, bool)):
            return self.expand_node(value, place.below(keyword))
        return value

    def _is_done(self, node: Json, name: str, above: Position) -> bool:
        """Return whether a field is like most: nothing but a type, which nothing else uses."""
        return (
            isinstance(node, dict)
            and structural.is_scalar(node)
            and name not in self._names
            and len(above.part.steps) < MAX_DEPTH - 1
        )

    def _apply_exceptions(
        self, base: JsonObject, own: JsonObject, node: JsonObject, place: Position
    ) -> JsonObject:
        """Return a base with the keywords beside it and the exceptions made."""
        made = [self._expand_edit(edit, place) for edit in schema_edits.list_edits(node)]
        schema, problems = schema_edits.apply_edits(base, own, made)
        self.findings += [problem.to_finding(place.origin) for problem in problems]
        if base is not BROKEN:
            self._check_changed_nodes(schema, base, place)
        return schema

    def _expand_edit(self, edit: SchemaEdit, place: Position) -> SchemaEdit:
        """Return an exception with what it puts in expanded."""
        if edit.action is Action.REMOVE:
            return edit
        try:
            steps = schema_paths.parse_path(edit.path)
        except PathError:
            return edit  # reported when it is made
        at = place.origin.at(*edit.declaration_path)
        if schema_paths.is_schema(steps):
            return replace(edit, value=self._expand_schema(edit.value, place.below(*steps, origin=at)))
        return replace(
            edit, value=self._expand_keyword(steps[-1], edit.value, place.below(*steps[:-1], origin=at))
        )

    def _check_node(self, schema: JsonObject, place: Position, *, exact: bool = True) -> None:
        for fault in structural.check(schema):
            self.findings.append((fault if exact else replace(fault, path=())).to_finding(place.origin))

    def _check_changed_nodes(self, schema: JsonObject, base: JsonObject, place: Position) -> None:
        """Check every node that exceptions made differ from the base's."""
        self._check_node(schema, place, exact=False)
        for steps, below in schema_paths.list_child_schemas(schema):
            before = value_at(base, *steps)  # what is new here was checked when it was expanded
            if isinstance(before, dict) and below is not before and not isinstance(below, SharedMapping):
                self._check_changed_nodes(below, before, place)
