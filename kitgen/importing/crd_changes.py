"""Write the smallest change from one CRD declaration or config.yaml to the next.

In: the older and the newer declaration in full. Out: $remove, $set and $add that turn the older into the
newer. `Meanings` returns whether two declarations expand to the same and are written the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from msgspec.structs import replace

from kitgen.crd.format import LineCounter
from kitgen.crd.importer.compare import SchemaDiff
from kitgen.crd.schema_edits import Action, SchemaEdit, find_inline_key, list_edits
from kitgen.findings import Origin
from kitgen.kit.file_changes import OPAQUE, apply_spec_changes
from kitgen.kit.merge import SpecValue
from kitgen.kube import schema_paths
from kitgen.kube.schema_paths import PathError, Steps
from kitgen.text.schema_check import check_against_schema
from kitgen.text.yaml import Json, JsonObject


class ValueNumbers:
    """Numbers values that will not change any more; those that say the same have the same number.

    The order of keys and of what is removed says nothing. What is set or added right at a named type is the
    same as the keyword or field beside it, if that is not said too.
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._known: dict[int, tuple[Json, int]] = {}

    def is_equal(self, one: Json, other: Json) -> bool:
        """Return whether two values say the same; 1, 1.0 and true do not."""
        return one is other or self._number_of(one) == self._number_of(other)

    def _number_of(self, value: Json) -> int:
        if not isinstance(value, dict | list):
            return self._numbers.setdefault((type(value).__name__, value), len(self._numbers))
        if id(value) not in self._known:
            number = self._numbers.setdefault(self._hashable_form(value), len(self._numbers))
            # Holding on to the value keeps its id from being given away.
            self._known[id(value)] = (value, number)
        return self._known[id(value)][1]

    def _hashable_form(self, value: JsonObject | list[Json]) -> Hashable:
        if isinstance(value, list):
            return ("[]", tuple(map(self._number_of, value)))
        if not is_named_type(value):
            return ("{}", frozenset((key, self._number_of(each)) for key, each in value.items()))
        fields = (value.get("properties") or {}).items()
        said: dict[Hashable, int] = {("properties", name): self._number_of(each) for name, each in fields}
        said |= {
            key: self._number_of(each) for key, each in value.items() if key not in (*Action, "properties")
        }
        for edit in list_edits(value):
            place = find_inline_key(edit)
            way = place if place and place not in said else (edit.action, edit.path)
            said[way] = self._number_of(edit.value)
        return ("$", frozenset(said.items()))


def is_named_type(node: JsonObject) -> bool:
    """Return whether a schema is a named type or part, with exceptions."""
    return any(isinstance(node.get(key), str) for key in OPAQUE)


EXCEPTIONS = frozenset(Action)


def build_changes(old: JsonObject, new: JsonObject, kind: str) -> JsonObject | None:
    """Return what makes one `crd` or `config` of another; None if only all of the newer one does."""
    found = _Changes()
    data = _build_change_data(
        found.compare_declarations(old, new) if kind == "crd" else found.compare_configs(old, new)
    )
    return data if data and _is_exact_change(old, new, data, kind, found.meanings) else None


def count_changed_lines(old: JsonObject, new: JsonObject) -> int:
    """Return about how many lines the changes of a schema take."""
    found = _Changes()
    return found.count_lines(found.compare_nodes(old, new))


def apply_changes(old: JsonObject, data: JsonObject, kind: str) -> JsonObject | None:
    """Return what an older one becomes; None if the changes do not fit."""
    made, findings = apply_spec_changes(SpecValue(old, Origin("")), data, Origin(""), kind)
    return None if findings else made.data


def _is_exact_change(
    old: JsonObject, new: JsonObject, data: JsonObject, kind: str, meanings: ValueNumbers
) -> bool:
    """Return whether changes make just the newer one of the older."""
    if any(check_against_schema(kind, data, Origin(""))) or (made := apply_changes(old, data, kind)) is None:
        return False
    # A cluster sees the versions in their order, and takes the order of fields for nothing.
    return [*made.get("versions", ())] == [*new.get("versions", ())] and meanings.is_equal(made, new)


def _build_change_data(edits: Iterable[SchemaEdit]) -> JsonObject:
    """Return the data of a file with changes."""
    made: JsonObject = {action: {} for action in Action}
    for edit in edits:
        made[edit.action][edit.path] = edit.value
    made[Action.REMOVE] = [*made[Action.REMOVE]]
    return {str(action): each for action, each in made.items() if each}


class _Changes(SchemaDiff):
    """Finds changes; where a whole part is shorter than what changes in it, the part is set."""

    def __init__(self) -> None:
        super().__init__(LineCounter())
        self.meanings = ValueNumbers()

    def is_equal(self, one: Json, other: Json) -> bool:
        """Return whether two values say the same."""
        return self.meanings.is_equal(one, other)

    def can_compare_fields(self, old: Json, new: Json) -> bool:
        """Return whether fields are compared one by one: also those of a schema that had none."""
        return super().can_compare_fields(old or {}, new or None)

    def compare_declarations(self, old: JsonObject, new: JsonObject) -> Iterator[SchemaEdit]:
        """Yield the changes of a CRD's declaration."""
        yield from self._compare_whole_keys(old, new, "#", but=("versions",))
        before, after = old.get("versions", {}), new.get("versions", {})
        yield from (SchemaEdit(action=Action.REMOVE, path=name) for name in before if name not in after)
        for name, version in after.items():
            if name not in before:
                yield SchemaEdit(action=Action.ADD, path=name, value=version)
            elif not self.is_equal(before[name], version):
                inside = [*self._compare_versions(before[name], version, name)]
                whole = [SchemaEdit(action=Action.SET, path=name, value=version)]
                yield from inside if self.count_lines(inside) <= self.count_lines(whole) else whole

    def compare_configs(self, old: JsonObject, new: JsonObject) -> Iterator[SchemaEdit]:
        """Yield the changes of a config.yaml."""
        yield from self._compare_whole_keys(old, new, "#", but=("fields",))
        before, after = ({"properties": each.get("fields", {})} for each in (old, new))
        yield from super().compare_keywords(before, after, ()) or ()

    def _compare_versions(self, old: JsonObject, new: JsonObject, name: str) -> Iterator[SchemaEdit]:
        both = isinstance(old.get("schema"), dict) and isinstance(new.get("schema"), dict)
        yield from self._compare_whole_keys(old, new, f"{name}#", but=("schema",) if both else ())
        for edit in self.compare_nodes(old["schema"], new["schema"]) if both else ():
            yield replace(edit, path=f"{name}/{edit.path}" if edit.path else f"{name}#schema")

    def compare_keywords(self, old: JsonObject, new: JsonObject, steps: Steps) -> list[SchemaEdit] | None:
        """Return the changes inside a schema, or beside a named type; None if they cannot be said alone."""
        if _has_reserved_field(old) or _has_reserved_field(new):
            return None
        if is_named_type(old) or is_named_type(new):
            return self._compare_named_types(old, new, steps)
        return (
            super().compare_keywords(old, new, steps) or None
            if self.is_equal(old.get("type"), new.get("type"))
            else None
        )

    def _compare_named_types(self, old: JsonObject, new: JsonObject, steps: Steps) -> list[SchemaEdit] | None:
        """Return the changes of the exceptions beside a named type; None if they cannot be said alone."""
        if any(not self.is_equal(old.get(key), new.get(key)) for key in OPAQUE):
            return None
        for finely in (True, False):
            try:
                own = [*self._compare_exceptions(old, new, finely=finely)]
            except PathError:
                continue
            data = _build_change_data(
                replace(each, path=f"v/{schema_paths.format_path(at)}") for each, at in own
            )
            holder, wanted = ({"versions": {"v": {"schema": each}}} for each in (old, new))
            if data and self.is_equal(apply_changes(holder, data, "crd"), wanted):
                return [replace(each, path=schema_paths.format_path((*steps, *at))) for each, at in own]
        return None

    def _compare_exceptions(
        self, old: JsonObject, new: JsonObject, *, finely: bool
    ) -> Iterator[tuple[SchemaEdit, Steps]]:
        """Yield changes beside a named type, each with its steps; finely means an exception at a time."""
        if finely:
            before, after = (
                {(edit.action, edit.path): edit for edit in list_edits(each)} for each in (old, new)
            )
            for way, edit in after.items():
                if way not in before or not self.is_equal(before[way].value, edit.value):
                    yield edit, schema_paths.parse_path(edit.path)
            for edit in (edit for way, edit in before.items() if way not in after):
                yield replace(edit, action=Action.REMOVE, value=None), schema_paths.parse_path(edit.path)
        fields = [each.get("properties", {}) for each in (old, new)]
        for name in dict.fromkeys((*fields[0], *fields[1])):
            at: Steps = ("properties", name)
            yield from ((edit, at) for edit in self.compare_key(fields[0], fields[1], name, at))
        for key in dict.fromkeys((*old, *new)):
            if key != "properties" and not (finely and key in EXCEPTIONS):
                yield from ((edit, (key,)) for edit in self.compare_key(old, new, key, (key,)))

    def _compare_whole_keys(
        self, old: JsonObject, new: JsonObject, before: str, but: tuple[str, ...]
    ) -> Iterator[SchemaEdit]:
        """Yield the changes of keys, each as a whole."""
        for key in dict.fromkeys((*old, *new)):
            if key not in but:
                yield from (
                    replace(edit, path=before + key) for edit in self.compare_key(old, new, key, (key,))
                )


def _has_reserved_field(node: JsonObject) -> bool:
    """Return whether a field is called as what stands for a type, so that no path leads past it."""
    fields = node.get("properties")
    return isinstance(fields, dict) and any(key in fields for key in OPAQUE)
