"""Walk an object along its structural schema: unknown fields, defaults, then values.

The API server drops unknown fields, fills in defaults and checks what is left. Here an unknown field
is an error, as it is for a client that asks for strict field validation, which kubectl does.
"""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.crds.outline_fields import compact
from kitgen.crds.validate_alternatives import alternatives
from kitgen.crds.validate_metadata import metadata_faults
from kitgen.crds.validate_values import Fault, missing, type_fault, unknown, value_faults
from kitgen.findings import Path
from kitgen.wording import is_secretive, shown
from kitgen.yamlio import Json, JsonObject

GIVEN = ("apiVersion", "kind", "metadata")


class Walk:
    """Collects what is wrong with one object, and the CEL rules that it would have to pass."""

    def __init__(self) -> None:
        self.faults: list[tuple[Path, Fault]] = []
        self.rules: list[tuple[Path, str]] = []

    def root(self, schema: JsonObject, body: JsonObject, *, namespaced: bool, status: bool) -> None:
        """Check a whole object; with a status subresource a status is dropped, not checked."""
        for path, fault in metadata_faults(body.get("metadata", {}), namespaced=namespaced):
            self.faults.append((("metadata", *path), fault))
        value = dict(body)
        if status and "status" in body:
            self._only_unknown((schema.get("properties") or {}).get("status"), value.pop("status"))
        self.value(schema, value, (), resource=True)

    def _only_unknown(self, schema: Json, value: Json) -> None:
        aside = Walk()
        aside.value(schema if isinstance(schema, dict) else {"type": "object"}, value, ("status",))
        self.faults += [found for found in aside.faults if found[1].rule == "field-unknown"]

    def value(self, schema: JsonObject, value: Json, path: Path, *, resource: bool = False) -> Json:
        """Check a value and return it with its defaults."""
        if value is None and schema.get("nullable"):
            return None
        reveal = not is_secretive(path)
        if fault := type_fault(schema, value, reveal=reveal):
            self._add(path, fault)
        if fault or value is None:
            return value
        if isinstance(value, dict):
            embedded = bool(schema.get("x-kubernetes-embedded-resource"))
            if embedded:
                self._embedded(value, path)
            value = self._object(schema, value, path, given=resource or embedded)
        elif isinstance(value, list):
            value = self._array(schema, value, path)
        self.faults += [(path, fault) for fault in value_faults(schema, value, reveal=reveal)]
        self.faults += alternatives(schema, value, path)
        for rule in schema.get("x-kubernetes-validations") or ():
            self.rules.append((path, str(rule.get("rule", ""))))
        return value

    def _add(self, path: Path, fault: Fault) -> None:
        self.faults.append((path, fault))

    def _embedded(self, value: JsonObject, path: Path) -> None:
        for key in ("apiVersion", "kind"):
            if not isinstance(value.get(key), str) or not value[key]:
                self._add(path, Fault("field-missing", f"found no {key}, expected that of an object"))
        if "metadata" in value:
            for steps, fault in metadata_faults(value["metadata"], namespaced=None):
                self._add((*path, "metadata", *steps), fault)

    def _object(self, schema: JsonObject, value: JsonObject, path: Path, *, given: bool) -> JsonObject:
        properties = schema.get("properties") or {}
        extra = schema.get("additionalProperties")
        open_ = bool(schema.get("x-kubernetes-preserve-unknown-fields")) or extra is True
        full: JsonObject = {}
        for key, item in value.items():
            child = properties.get(key)
            if given and key == "metadata":
                full[key] = item
                self._named(child, item, path)
            elif child is not None:
                if item is None and "default" in child and not child.get("nullable"):
                    continue  # such a null is dropped before defaults are filled in
                full[key] = self.value(child, item, (*path, key))
            elif isinstance(extra, dict):
                full[key] = self.value(extra, item, (*path, key))
            else:
                full[key] = item
                if not open_ and not (given and key in GIVEN):
                    known = [*properties, *(GIVEN if given else ())]
                    self._add((*path, key), unknown(key, list(dict.fromkeys(known))))
        for key, child in properties.items():
            if key not in full and "default" in child:
                full[key] = self.value(child, child["default"], (*path, key))
        for key in schema.get("required") or ():
            if key not in full:
                self._add(path, missing(key))
        return full

    def _named(self, schema: Json, meta: Json, path: Path) -> None:
        """Check the names in metadata; a schema can say nothing else of it."""
        limits = (schema or {}).get("properties") or {}
        for key in ("name", "generateName"):
            if key in limits and isinstance(meta, dict) and isinstance(meta.get(key), str):
                self.value(limits[key], meta[key], (*path, "metadata", key))

    def _array(self, schema: JsonObject, value: list[Json], path: Path) -> list[Json]:
        items = schema.get("items")
        if isinstance(items, dict):
            value = [self.value(items, item, (*path, index)) for index, item in enumerate(value)]
        match schema.get("x-kubernetes-list-type"):
            case "set":
                self._once(((index, compact(item), shown(item)) for index, item in enumerate(value)), path)
            case "map":
                self._once(self._keys(schema, value, path), path)
        return value

    def _once(self, keyed: Iterator[tuple[int, str, str]], path: Path) -> None:
        first: dict[str, int] = {}
        for index, key, label in keyed:
            if (other := first.setdefault(key, index)) != index:
                text = f"found {label} again, which item {other} has, expected it once"
                self._add((*path, index), Fault("field-value", text))

    def _keys(self, schema: JsonObject, value: list[Json], path: Path) -> Iterator[tuple[int, str, str]]:
        names = [str(name) for name in schema.get("x-kubernetes-list-map-keys") or ()]
        needed = (schema.get("items") or {}).get("required") or ()
        for index, item in enumerate(value):
            if not isinstance(item, dict):
                continue
            for name in names:
                if name not in item and name not in needed:
                    self._add((*path, index), missing(name))
            key = [item.get(name) for name in names]
            yield index, compact(key), ", ".join(f"{n} {shown(v)}" for n, v in zip(names, key, strict=True))
