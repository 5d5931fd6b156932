"""Walk an object along its structural schema: unknown fields, defaults, then values.

The API server drops unknown fields, fills in defaults and checks what is left. Here an unknown field
is an error, as it is for a client that asks for strict field validation, which kubectl does.
"""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.crds.outline_fields import compact
from kitgen.crds.validate_metadata import metadata_faults
from kitgen.crds.validate_values import Fault, type_fault, value_faults
from kitgen.findings import Path, near
from kitgen.wording import TYPES, is_secretive, shown
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
        self.faults += [found for found in aside.faults if found[1].rule == "unknown-field"]

    def value(self, schema: JsonObject, value: Json, path: Path, *, resource: bool = False) -> Json:
        """Check a value and return it with its defaults."""
        if value is None:
            if not schema.get("nullable") and ("type" in schema or "x-kubernetes-int-or-string" in schema):
                wanted = TYPES.get(str(schema.get("type")), "a whole number or a string")
                self._add(
                    path, Fault("field-null", f"found null, expected {wanted}", "leave it out or set it")
                )
            return None
        if fault := type_fault(schema, value):
            self._add(path, fault)
            return value
        if isinstance(value, dict):
            embedded = bool(schema.get("x-kubernetes-embedded-resource"))
            if embedded:
                self._embedded(value, path)
            value = self._object(schema, value, path, given=resource or embedded)
        elif isinstance(value, list):
            value = self._array(schema, value, path)
        for fault in value_faults(schema, value, reveal=not is_secretive(path)):
            self._add(path, fault)
        self._alternatives(schema, value, path)
        for rule in schema.get("x-kubernetes-validations") or ():
            self.rules.append((path, str(rule.get("rule", ""))))
        return value

    def _add(self, path: Path, fault: Fault) -> None:
        self.faults.append((path, fault))

    def _embedded(self, value: JsonObject, path: Path) -> None:
        for key in ("apiVersion", "kind"):
            if not isinstance(value.get(key), str) or not value[key]:
                self._add(
                    path,
                    Fault("embedded-resource", f"found no {key}, expected one: it is an object of its own"),
                )
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
                    self._unknown(key, [*properties, *(GIVEN if given else ())], path)
        for key, child in properties.items():
            if key not in full and "default" in child:
                full[key] = self.value(child, child["default"], (*path, key))
        for key in schema.get("required") or ():
            if key not in full:
                self._add(path, Fault("field-required", f"required field {key!r} is missing"))
        return full

    def _named(self, schema: Json, meta: Json, path: Path) -> None:
        """Check the names in metadata; a schema can say nothing else of it."""
        limits = (schema or {}).get("properties") or {}
        for key in ("name", "generateName"):
            if key in limits and isinstance(meta, dict) and isinstance(meta.get(key), str):
                self.value(limits[key], meta[key], (*path, "metadata", key))

    def _unknown(self, key: str, known: list[str], path: Path) -> None:
        hint = near(key, known)
        if not known:
            hint = "the schema declares no fields here"
        self._add((*path, key), Fault("unknown-field", f"unknown field {key!r}", hint))

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
                self._add(
                    (*path, index), Fault("list-duplicate", f"found {label} again, first in item {other}")
                )

    def _keys(self, schema: JsonObject, value: list[Json], path: Path) -> Iterator[tuple[int, str, str]]:
        names = [str(name) for name in schema.get("x-kubernetes-list-map-keys") or ()]
        needed = (schema.get("items") or {}).get("required") or ()
        for index, item in enumerate(value):
            if not isinstance(item, dict):
                continue
            for name in names:
                if name not in item and name not in needed:
                    self._add(
                        (*path, index), Fault("list-key", f"found no {name!r}, expected the key of the item")
                    )
            key = [item.get(name) for name in names]
            yield index, compact(key), ", ".join(f"{n} {shown(v)}" for n, v in zip(names, key, strict=True))

    def _alternatives(self, schema: JsonObject, value: Json, path: Path) -> None:
        """Check what a value must match besides; these schemas judge, they declare nothing."""
        for part in schema.get("allOf") or ():
            self.faults += judge(part, value, path)
        if (parts := schema.get("anyOf")) and all(judge(part, value, path) for part in parts):
            self._add(
                path, Fault("alternatives", f"found a match of none of {len(parts)} alternatives (anyOf)")
            )
        if parts := schema.get("oneOf"):
            hits = sum(not judge(part, value, path) for part in parts)
            if hits != 1:
                text = f"found a match of {hits} of {len(parts)} alternatives, expected exactly one (oneOf)"
                self._add(path, Fault("alternatives", text))
        if (part := schema.get("not")) is not None and not judge(part, value, path):
            self._add(path, Fault("alternatives", "found a match of what it must not be (not)"))


def judge(schema: Json, value: Json, path: Path) -> list[tuple[Path, Fault]]:
    """Return the faults of a value by a schema that only limits values."""
    if not isinstance(schema, dict):
        return []
    if value is None and schema.get("nullable"):
        return []
    if fault := type_fault(schema, value):
        return [(path, fault)]
    faults = value_faults(schema, value, reveal=not is_secretive(path))
    found = [(path, fault) for fault in faults if not fault.warning]
    if isinstance(value, dict):
        missing = [key for key in schema.get("required") or () if key not in value]
        found += [(path, Fault("field-required", f"required field {key!r} is missing")) for key in missing]
        properties, extra = schema.get("properties") or {}, schema.get("additionalProperties")
        for key, item in value.items():
            part = properties.get(key, extra)
            if isinstance(part, dict):
                found += judge(part, item, (*path, key))
    elif isinstance(value, list) and isinstance(items := schema.get("items"), dict):
        for index, item in enumerate(value):
            found += judge(items, item, (*path, index))
    aside = Walk()
    aside._alternatives(schema, value, path)
    return found + aside.faults
