"""What changes from one declaration of a CRD to the next, or from one config.yaml, in as few lines as can be.

In: all that the older and the newer one say. Out: $remove, $set and $add that make the newer of the older.

Tell whether two declarations say the same in the same words; what was looked at once is not read again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator

from kitgen.crd.format import Scale
from kitgen.crd.schema_edits import Action, SchemaEdit, of
from kitgen.findings import Origin
from kitgen.kit.file_changes import OPAQUE, change
from kitgen.kit.merge import SpecValue
from kitgen.kube import schema_paths
from kitgen.kube.schema_paths import PathError, Steps
from kitgen.text.schema_check import violations
from kitgen.text.yaml import Json, JsonObject


class Meanings:
    """Numbers values that will not change any more; those that say the same have the same number.

    The order of keys and of what is removed says nothing. What is set or added right at a named type is the
    same as the keyword or field beside it, if that is not said too.
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._known: dict[int, tuple[Json, int]] = {}

    def same(self, one: Json, other: Json) -> bool:
        """Tell whether two values say the same; 1, 1.0 and true do not."""
        return one is other or self._number(one) == self._number(other)

    def _number(self, value: Json) -> int:
        if not isinstance(value, dict | list):
            return self._given((type(value).__name__, value))
        known = self._known.get(id(value))
        if known is None:
            # Holding on to the value keeps its id from being given away.
            known = self._known[id(value)] = (value, self._given(self._form(value)))
        return known[1]

    def _given(self, form: Hashable) -> int:
        return self._numbers.setdefault(form, len(self._numbers))

    def _form(self, value: JsonObject | list[Json]) -> Hashable:
        if isinstance(value, list):
            return ("[]", tuple(map(self._number, value)))
        if not is_named(value):
            return ("{}", frozenset((key, self._number(each)) for key, each in value.items()))
        fields = value.get("properties") or {}
        said: dict[Hashable, int] = {
            ("properties", name): self._number(each) for name, each in fields.items()
        }
        said |= {key: self._number(each) for key, each in value.items() if key not in (*Action, "properties")}
        for edit in of(value):
            place = beside(edit)
            said[place if place and place not in said else (edit.action, edit.path)] = self._number(
                edit.value
            )
        return ("$", frozenset(said.items()))


def is_named(node: JsonObject) -> bool:
    """Tell whether a schema is a named type or part, with exceptions."""
    return any(isinstance(node.get(key), str) for key in OPAQUE)


def beside(edit: SchemaEdit) -> str | Steps | None:
    """Return the keyword or field beside a named type that says the same as an exception."""
    try:
        steps = schema_paths.parse(edit.path)
    except PathError:
        return None
    if (
        edit.action is not Action.REMOVE
        and len(steps) == 1
        and steps[0] not in ("properties", *schema_paths.SIGNS)
    ):
        return steps[0]
    if edit.action is Action.ADD and len(steps) == 2 and steps[0] == "properties":
        return steps
    return None


Write = Callable[[Steps], str]
"""Writes steps through a schema as a path of the file."""
EXCEPTIONS = frozenset(Action)


def changes_of(old: JsonObject, new: JsonObject, kind: str) -> JsonObject | None:
    """Return what makes one `crd` or `config` of another; None if only all of the newer one does."""
    found = _Changes()
    data = _written(found.declaration(old, new) if kind == "crd" else found.config(old, new))
    return data if data and _fits(old, new, data, kind, found.meanings) else None


def lines_of(old: JsonObject, new: JsonObject) -> int:
    """Return about how many lines the changes of a schema take."""
    found = _Changes()
    return found.lines(found.node(old, new, (), schema_paths.write))


def changed(old: JsonObject, data: JsonObject, kind: str) -> JsonObject | None:
    """Return what an older one becomes; None if the changes do not fit."""
    made, findings = change(SpecValue(old, Origin("")), data, Origin(""), kind)
    return None if findings else made.data


def _fits(old: JsonObject, new: JsonObject, data: JsonObject, kind: str, meanings: Meanings) -> bool:
    """Tell whether changes make just the newer one of the older."""
    if any(violations(kind, data, Origin(""))) or (made := changed(old, data, kind)) is None:
        return False
    # A cluster sees the versions in their order, and takes the order of fields for nothing.
    if [*made.get("versions", ())] != [*new.get("versions", ())]:
        return False
    return meanings.same(made, new)


def _written(edits: Iterable[SchemaEdit]) -> JsonObject:
    """Return the data of a file with changes."""
    made: dict[Action, JsonObject] = {action: {} for action in Action}
    for edit in edits:
        made[edit.action][edit.path] = edit.value
    data: JsonObject = {str(action): each for action, each in made.items() if each}
    return data | ({str(Action.REMOVE): [*made[Action.REMOVE]]} if made[Action.REMOVE] else {})


class _Changes:
    """Finds changes; where a whole part is shorter than what changes in it, the part is set."""

    def __init__(self) -> None:
        self.scale = Scale()
        self.meanings = Meanings()
        self.same = self.meanings.same

    def declaration(self, old: JsonObject, new: JsonObject) -> Iterator[SchemaEdit]:
        """Yield the changes of a CRD's declaration."""
        yield from self._keys(old, new, "#", but=("versions",))
        before, after = old.get("versions", {}), new.get("versions", {})
        yield from (_edit(Action.REMOVE, name) for name in before if name not in after)
        for name, version in after.items():
            if name not in before:
                yield _edit(Action.ADD, name, version)
            elif not self.same(before[name], version):
                yield from self._shorter([*self._version(before[name], version, name)], name, version)

    def config(self, old: JsonObject, new: JsonObject) -> Iterator[SchemaEdit]:
        """Yield the changes of a config.yaml."""
        yield from self._keys(old, new, "#", but=("fields",))
        fields = [{"properties": each.get("fields", {})} for each in (old, new)]
        yield from self._inside(fields[0], fields[1], (), schema_paths.write)

    def _version(self, old: JsonObject, new: JsonObject, name: str) -> Iterator[SchemaEdit]:
        both = isinstance(old.get("schema"), dict) and isinstance(new.get("schema"), dict)
        yield from self._keys(old, new, f"{name}#", but=("schema",) if both else ())
        if both and not self.same(old["schema"], new["schema"]):

            def write(steps: Steps) -> str:
                return f"{name}/{schema_paths.write(steps)}" if steps else f"{name}#schema"

            yield from self.node(old["schema"], new["schema"], (), write)

    def node(self, old: Json, new: Json, steps: Steps, write: Write) -> list[SchemaEdit]:
        """Return the changes of a schema, or the one that sets it, whichever is shorter."""
        if self.same(old, new):
            return []
        whole = _edit(Action.SET, write(steps), new)
        if not isinstance(old, dict) or not isinstance(new, dict) or _is_strange(old) or _is_strange(new):
            return [whole]
        if is_named(old) or is_named(new):
            inside = self._opaque(old, new, steps, write)
        elif not self.same(old.get("type"), new.get("type")):
            inside = []
        else:
            inside = [*self._inside(old, new, steps, write)]
        return self._shorter(inside, whole.path, new) if inside else [whole]

    def _shorter(self, inside: list[SchemaEdit], path: str, whole: Json) -> list[SchemaEdit]:
        fewer = self.lines(inside) <= 1 + self.scale.lines(whole)
        return inside if fewer else [_edit(Action.SET, path, whole)]

    def lines(self, edits: Iterable[SchemaEdit]) -> int:
        """Return about how many lines changes take."""
        return sum(1 + self.scale.lines(edit.value) for edit in edits)

    def _inside(self, old: JsonObject, new: JsonObject, steps: Steps, write: Write) -> Iterator[SchemaEdit]:
        """Yield the changes inside a schema that is written out."""
        for key in (*old, *(key for key in new if key not in old)):
            at = (*steps, key)
            before, after = old.get(key), new.get(key)
            if key == "properties" and after and isinstance(before or {}, dict) and isinstance(after, dict):
                yield from self._fields(before or {}, after, at, write)
            elif key not in new:
                yield _edit(Action.REMOVE, write(at))
            elif key not in old:
                yield _edit(Action.ADD, write(at), after)
            elif key in schema_paths.SIGNS:
                yield from self.node(before, after, at, write)
            elif not self.same(before, after):
                yield _edit(Action.SET, write(at), after)

    def _fields(self, old: JsonObject, new: JsonObject, steps: Steps, write: Write) -> Iterator[SchemaEdit]:
        yield from (_edit(Action.REMOVE, write((*steps, name))) for name in old if name not in new)
        for name, schema in new.items():
            if name in old:
                yield from self.node(old[name], schema, (*steps, name), write)
            else:
                yield _edit(Action.ADD, write((*steps, name)), schema)

    def _opaque(self, old: JsonObject, new: JsonObject, steps: Steps, write: Write) -> list[SchemaEdit]:
        """Return the changes of the exceptions beside a named type; none if they cannot be said alone."""
        if any(not self.same(old.get(key), new.get(key)) for key in OPAQUE):
            return []
        for finely in (True, False):
            try:
                own = [*self._beside(old, new, finely=finely)]
            except PathError:
                continue
            data = _written(_edit(each.action, f"v/{schema_paths.write(at)}", each.value) for each, at in own)
            holder, wanted = ({"versions": {"v": {"schema": each}}} for each in (old, new))
            if data and self.same(changed(holder, data, "crd"), wanted):
                return [_edit(each.action, write((*steps, *at)), each.value) for each, at in own]
        return []

    def _beside(
        self, old: JsonObject, new: JsonObject, *, finely: bool
    ) -> Iterator[tuple[SchemaEdit, Steps]]:
        """Yield changes beside a named type, each with its steps; finely means an exception at a time."""
        if finely:
            before = {(edit.action, edit.path): edit for edit in of(old)}
            after = {(edit.action, edit.path): edit for edit in of(new)}
            for edit in (edit for key, edit in after.items() if self._is_new(before.get(key), edit)):
                yield edit, schema_paths.parse(edit.path)
            for edit in (edit for key, edit in before.items() if key not in after):
                yield _edit(Action.REMOVE, edit.path), schema_paths.parse(edit.path)
        fields = [each.get("properties", {}) for each in (old, new)]
        for name in dict.fromkeys((*fields[0], *fields[1])):
            yield from self._one(fields[0], fields[1], name, ("properties", name))
        for key in dict.fromkeys((*old, *new)):
            if key != "properties" and not (finely and key in EXCEPTIONS):
                yield from self._one(old, new, key, (key,))

    def _one(
        self, old: JsonObject, new: JsonObject, key: str, steps: Steps
    ) -> Iterator[tuple[SchemaEdit, Steps]]:
        path = schema_paths.write(steps)
        if key not in new:
            yield _edit(Action.REMOVE, path), steps
        elif key not in old:
            yield _edit(Action.ADD, path, new[key]), steps
        elif not self.same(old[key], new[key]):
            yield _edit(Action.SET, path, new[key]), steps

    def _keys(
        self, old: JsonObject, new: JsonObject, before: str, but: tuple[str, ...]
    ) -> Iterator[SchemaEdit]:
        """Yield the changes of keys, each as a whole."""
        for key in dict.fromkeys((*old, *new)):
            if key not in but:
                for edit, _ in self._one(old, new, key, (key,)):
                    yield _edit(edit.action, before + key, edit.value)

    def _is_new(self, old: SchemaEdit | None, new: SchemaEdit) -> bool:
        return old is None or not self.same(old.value, new.value)


def _is_strange(node: JsonObject) -> bool:
    """Tell whether a field is called as what stands for a type, so that no path leads past it."""
    fields = node.get("properties")
    return isinstance(fields, dict) and any(key in fields for key in OPAQUE)


def _edit(action: Action, path: str, value: Json = None) -> SchemaEdit:
    return SchemaEdit(action=action, path=path, value=value)
