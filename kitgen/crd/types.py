"""Kubernetes' types in the form of CRDs, each expanded once per minor, and their short names."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cache, lru_cache

from kitgen.crd import generators as rules
from kitgen.crd import structural
from kitgen.findings import Problem, get_rule, make_problem, suggest_word
from kitgen.kube import definitions, schema_paths
from kitgen.kube.schema_paths import Steps
from kitgen.text.patterns import compile_late
from kitgen.text.yaml import Json, JsonObject, SharedMapping

VERSION = compile_late(r"v[0-9]+((alpha|beta)[0-9]+)?$")
SIBILANT = compile_late(r"(s|x|z|ch|sh)$")
CONSONANT_Y = compile_late(r"[^aeiou]y$")
UNCHANGED = (
    *("endpoints", "securitycontextconstraints"),
    *("resourceclaimparameters", "resourceclassparameters"),
)
"""Kinds that are plurals already, as Kubernetes' own tools list them."""
REFERENCE = compile_late(rb'"\$ref": ?"[^"]*/([^"/]+)"')
ENDINGS = (
    (compile_late(r"([^aeiou])ies$"), r"\1y"),
    (compile_late(r"(ind|vert)ices$"), r"\1ex"),
    (compile_late(r"(ss|sh|zz|x|[^aeo]us|[^aeiou]is|[tnr]ch)es$"), r"\1"),
    (compile_late(r"([^s])s$"), r"\1"),
)
"""How a plural ends, and the singular instead; the first that fits counts."""


def short_name(full: str) -> str:
    """Return core/v1.Pod for io.k8s.api.core.v1.Pod, and intstr.IntOrString where no version is."""
    package, _, kind = full.rpartition(".")
    return f"{_shorten_package(package)}.{kind}"


@cache
def _shorten_package(package: str) -> str:
    *_, group, version = package.split(".")
    return f"{group}/{version}" if VERSION.fullmatch(version) else version


@lru_cache(maxsize=4096)
def plural_of(kind: str) -> str:
    """Return the plural that Kubernetes' own tools derive from a kind."""
    if (word := kind.lower()) in UNCHANGED:
        return word
    if CONSONANT_Y.search(word):
        return word[:-1] + "ies"
    return word + ("es" if SIBILANT.search(word) else "s")


def derive_crd_names(kind: str) -> dict[str, str]:
    """Return the names of a CRD that follow from its kind, as tools or the API server fill them in."""
    return {"listKind": f"{kind}List", "plural": plural_of(kind), "singular": kind.lower()}


def singular_of(plural: str) -> str:
    """Return the kind in lower case that a plural most likely belongs to."""
    ways = (ending.sub(instead, plural) for ending, instead in ENDINGS if ending.search(plural))
    return plural if plural in UNCHANGED else next(ways, plural)


CRD_RECURSIVE = get_rule("crd-recursive")


class TypeNameError(Exception):
    """Raised when a type cannot be used: it is missing, or it contains itself."""

    def __init__(self, wrong: Problem) -> None:
        super().__init__(wrong.message)
        self.problem = wrong


TypeChange = Callable[[JsonObject], tuple[JsonObject, tuple[Problem, ...]]]
"""Makes exceptions in a type's schema, and tells those that do not fit."""


class Types:
    """The types of one minor, with or without descriptions, perhaps changed by a component."""

    def __init__(
        self, minor: int, *, descriptions: bool = False, changes: Mapping[str, TypeChange] | None = None
    ) -> None:
        self.minor = minor
        self.descriptions = descriptions
        self._changes = changes or {}
        self._full = _load_full_names(minor)
        self._done: dict[tuple[str, str], SharedMapping] = {}
        self._open: list[str] = []
        self._faults: dict[str, str] = {}
        self._fields: dict[str, frozenset[str]] = {}
        self._changed = set(self._changes)
        """The types that are changed, or hold one that is; of those that were expanded."""
        self.misfits: dict[str, tuple[Problem, ...]] = {}
        """The exceptions that do not fit, of each type whose schema was asked for."""

    def list_names(self) -> tuple[str, ...]:
        """Return the short names of all types, in order."""
        return tuple(sorted(self._full))

    def get_schema(self, name: str) -> SharedMapping:
        """Return the schema of a type; raise TypeNameError when there is none."""
        if name not in self._full:
            last = name.rpartition(".")[2]
            same = [known for known in self.list_names() if known.rpartition(".")[2] == last]
            hint = f"did you mean {same[0]!r}?" if same else suggest_word(name, list(self._full))
            raise TypeNameError(
                make_problem(
                    "crd-type-unknown",
                    f"found the type {name!r}, which Kubernetes 1.{self.minor} lacks",
                    hint=hint,
                )
            )
        return self._expand(name, "")

    def list_field_names(self, name: str) -> frozenset[str]:
        """Return the names of a type's fields, without expanding it."""
        if name not in self._fields:
            whole = name in rules.WHOLE
            self._fields[name] = (
                frozenset() if whole else rules.list_field_names(name, self._get_definition(name))
            )
        return self._fields[name]

    def find_fault(self, name: str) -> str:
        """Return why the API server would refuse a type in a CRD, or an empty string."""
        if name not in self._faults:
            schema, unfit = self._expand(name, ""), definitions.find_unfit_types(self.minor)
            if unfit is not None and self._full[name] not in unfit and name not in self._changed:
                return ""
            found = (fault or self.find_fault(inner) for inner, fault in list_type_faults(schema))
            self._faults[name] = next(filter(None, found), "")
        return self._faults[name]

    def forget_fault(self, name: str) -> None:
        """Forget the fault of a type that was reported already, so that it is not reported at every use."""
        self._faults[name] = ""

    def _expand(self, name: str, description: str) -> SharedMapping:
        if (key := (name, description if self.descriptions else "")) in self._done:
            return self._done[key]
        if name in self._open:
            hint = "set that field to an object that keeps unknown fields"
            raise TypeNameError(CRD_RECURSIVE(f"the type {name!r} holds itself, and a CRD cannot", hint=hint))
        self._open.append(name)
        try:
            shared = self._share(*key)
        finally:
            self._open.pop()
        if name in self._changes:
            schema, self.misfits[name] = self._changes[name](shared)
            shared = SharedMapping(schema, name)
        self._done[key] = shared
        return shared

    def _share(self, name: str, description: str) -> SharedMapping:
        """Return a type's schema before changes; minors share it if they have it and all inside it alike."""
        text = definitions.definition_texts(self.minor, strict=False)[self._full[name]]
        names = _list_references(text)
        inner = tuple([id(self._expand(each, "")) for each in names])
        if not self._changed.isdisjoint(names):
            self._changed.add(name)
        key = (name, text, inner, rules.find_era(name, self.minor), self.descriptions, description)
        if key not in _SHARED:
            _SHARED[key] = SharedMapping(self._build(name, description), name)
        return _SHARED[key]

    def _build(self, name: str, description: str) -> JsonObject:
        definition = self._get_definition(name)
        if description:
            definition = {**definition, "description": description}
        if name in rules.WHOLE:
            said = definition.get("description") if self.descriptions else None
            return {**({"description": said} if said else {}), **rules.WHOLE[name]}
        return rules.amend_schema(name, self.minor, self._convert(definition))

    def _get_definition(self, name: str) -> JsonObject:
        return definitions.get_definition(self._full[name], self.minor, strict=False)

    def _convert(self, definition: JsonObject) -> JsonObject:
        if "$ref" in definition:
            full = str(definition["$ref"]).rpartition("/")[2]
            return self._expand(short_name(full), definition.get("description", ""))
        schema: JsonObject = {}
        for keyword, value in definition.items():
            match keyword:
                case "description":
                    if self.descriptions and value:
                        schema[keyword] = value
                case "type":
                    # A type that also allows null is a list.
                    found = value if isinstance(value, list) else [value]
                    schema[keyword] = next(word for word in found if word != "null")
                case "properties":
                    # The package adds choices of apiVersion and kind so that objects can be told apart.
                    plain = {
                        field: {key: each for key, each in value[field].items() if key != "enum"}
                        for field in ("apiVersion", "kind")
                        if field in value
                    }
                    schema[keyword] = {
                        field: self._convert(plain.get(field, sub)) for field, sub in value.items()
                    }
                case "items" | "additionalProperties":
                    schema[keyword] = self._convert(value)
                case _ if keyword not in rules.DROPPED:
                    schema[keyword] = value
        if schema.get("type") != "array":
            schema.pop("x-kubernetes-list-type", None)  # bytes are a list in Go, and a string here
        return schema


_SHARED: dict[Hashable, SharedMapping] = {}
"""Each schema that a type has in some minor."""
_FAULTS: dict[int, tuple[SharedMapping, list[tuple[str, str]]]] = {}
"""What is wrong in the schema of a type, by its id; to hold the schema keeps that from being given away."""


@cache
def _list_references(text: bytes) -> list[str]:
    """Return the short names of the types that a definition names."""
    return [short_name(name.decode()) for name in dict.fromkeys(REFERENCE.findall(text))]


def list_type_faults(schema: SharedMapping) -> list[tuple[str, str]]:
    """Return the types in a type, in order, and what is wrong behind them: each entry has one of both."""
    if id(schema) not in _FAULTS:
        _FAULTS[id(schema)] = schema, [*dict.fromkeys(_find_faults(schema, ()))]
    return _FAULTS[id(schema)][1]


def _find_faults(schema: JsonObject, steps: Steps) -> Iterator[tuple[str, str]]:
    where = f" at {schema_paths.format_path(steps)!r}" if steps else ""
    yield from (("", fault.message + where) for fault in structural.check(schema))
    for name, field in schema.get("properties", {}).items():
        if not isinstance(field, dict):
            at = schema_paths.format_path((*steps, "properties", name))
            yield "", f"found no schema, expected one at {at!r}"
    for below, child in schema_paths.list_child_schemas(schema):
        if inner := type_name(child):
            yield inner, ""
        else:
            yield from _find_faults(child, (*steps, *below))


@cache
def _load_full_names(minor: int) -> dict[str, str]:
    return {short_name(full): full for full in definitions.definition_texts(minor, strict=False)}


def types_of(minor: int, *, descriptions: bool = False) -> Types:
    """Return the unchanged types of a minor; every caller gets the same."""
    return _load_types(minor, descriptions)


@cache
def _load_types(minor: int, descriptions: bool) -> Types:
    return Types(minor, descriptions=descriptions)


def type_name(schema: Json) -> str:
    """Return the name of the Kubernetes type that a schema is, or an empty string."""
    return schema.name if isinstance(schema, SharedMapping) else ""
