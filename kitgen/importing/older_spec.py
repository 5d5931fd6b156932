"""The older spec for a tree, layer by layer: its own words, its normal forms and its expressions.

Changes are found in computed values. Before they are written, they are compared with the older spec: a value
that it has too is written as in its file, with its expressions and paths. Values that contain the namespace,
which differs in every target, become expressions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from kitgen.findings import Path
from kitgen.importing.places import (
    COMPONENT,
    Merging,
    flatten_sections,
    format_verbs,
    merging_for,
    parse_verbs,
)
from kitgen.kit.merge import name_of
from kitgen.kit.model import ComponentPart
from kitgen.kit.model.component import SectionForm, list_section_forms
from kitgen.render.context import RenderContext
from kitgen.render.expressions import THE_ROLE
from kitgen.render.families.table import get_inverses
from kitgen.render.settings import is_feature_on
from kitgen.text.values import value_at
from kitgen.text.yaml import Json


class SpecLayer(Struct, frozen=True, kw_only=True):
    """One layer: the component itself, or a feature."""

    owner: str
    words: Mapping[str, Json]
    """Key → the section, expressions computed."""
    written: Mapping[str, Json] = field(default_factory=dict)
    """The same, expressions as its file has them."""

    @property
    def normal_forms(self) -> dict[str, Json]:
        """Return the sections in their normal forms."""
        known = get_inverses()
        return {key: known[key].normal(section) for key, section in self.words.items() if key in known}

    @property
    def places(self) -> dict[Path, Json]:
        """Return what it says, place by place."""
        return flatten_sections(self.normal_forms)


def build_spec_layers(context: RenderContext) -> list[SpecLayer]:
    """Return the layers of a component for a target, the component's own first."""
    component = context.component
    found = [
        SpecLayer(
            owner=COMPONENT,
            words=_collect_sections(context.part, ""),
            written=_collect_sections(component.part, ""),
        )
    ]
    for name, feature in component.features.items():
        on = feature.crds if is_feature_on(feature, context.settings) else {}
        crds = {"crds": {plural: each.data for plural, each in on.items()}} if on else {}
        words, written = (
            _collect_sections(context.part, name) | crds,
            _collect_sections(feature.part, name) | crds,
        )
        found += [SpecLayer(owner=name, words=words, written=written)] if words else []
    return found


def _collect_sections(part: ComponentPart, owner: str) -> dict[str, Json]:
    """Return what one owner says of a part."""
    made: dict[str, Json] = {}
    for key, form in list_section_forms().items():
        for item in part[key]:
            for layer in (each for each in item.layers if each.feature == owner):
                match form:
                    case SectionForm.NAME:
                        made[key] = item.name
                    case SectionForm.ONE:
                        made[key] = layer.data
                    case SectionForm.NAMED:
                        made.setdefault(key, {})[item.name] = layer.data
                    case SectionForm.LISTED:
                        made.setdefault(key, []).append(layer.data)
    return made


def merge_layers(layers: Iterable[SpecLayer]) -> dict[Path, Json]:
    """Return what layers say in the end."""
    made: dict[Path, Json] = {}
    for layer in layers:
        for path, value in layer.places.items():
            have = made.get(path)
            if (kind := merging_for(path, value)) is Merging.UNION and isinstance(have, str):
                made[path] = format_verbs(parse_verbs(have) | parse_verbs(value))
            elif kind is Merging.EXTEND and isinstance(have, list):
                made[path] = [*have, *value]
            else:
                made[path] = value
    return made


NAMESPACE = "{{ namespace }}"
LISTS = ("skipNamespaces", "values")
ACCOUNT = "system:serviceaccount:{}:"


class Expression(str):
    """A text that is meant as an expression of a spec; other text with braces is none."""

    __slots__ = ()


def replace_namespaces(
    wanted: Mapping[str, Json], namespaces: Mapping[str, str], path: Path
) -> dict[str, Json]:
    """Return what trees want of a place, with an expression for the namespace where that makes them agree.

    What can hardly be meant otherwise, such as the account of a subject, always is an expression.
    """
    if path[0] == "crds":
        return dict(wanted)
    found = {who: _replace_in_value(value, namespaces[who], str(path[-1])) for who, value in wanted.items()}
    if path[0] == "objects" and str(path[1]).startswith("Namespace/"):
        found = {who: _replace_namespace_name(value, namespaces[who]) for who, value in found.items()}
    agree, agreed = (
        all(each == next(iter(some.values())) for each in some.values()) for some in (found, wanted)
    )
    return found if agree and (not agreed or path[0] in ("objects", "webhooks")) else dict(wanted)


def mark_role_expressions(value: Json) -> Json:
    """Return words of a family in which what a role is called is meant as an expression."""
    if isinstance(value, dict):
        return {key: mark_role_expressions(each) for key, each in value.items()}
    if isinstance(value, list):
        return [mark_role_expressions(each) for each in value]
    return Expression(value) if isinstance(value, str) and THE_ROLE in value else value


def _replace_namespace_name(value: Json, namespace: str) -> Json:
    """Return a Namespace that is called as the one of the component is."""
    if not namespace or value_at(value, "metadata", "name") != namespace:
        return value
    return {**value, "metadata": {**value["metadata"], "name": Expression(NAMESPACE)}}


def _replace_in_value(value: Json, namespace: str, key: str) -> Json:
    if not namespace:
        return value
    if isinstance(value, dict):
        return {name: _replace_in_value(each, namespace, name) for name, each in value.items()}
    if isinstance(value, list):
        inside = "namespace" if key in LISTS else ""
        return [_replace_in_value(each, namespace, inside) for each in value]
    if not isinstance(value, str) or "{{" in value:
        return value
    if key in ("namespace", "value") and value == namespace:
        return Expression(NAMESPACE)
    if (account := ACCOUNT.format(namespace)) in value:
        return Expression(value.replace(account, ACCOUNT.format(NAMESPACE)))
    return value


def restore_expressions(value: Json, old: Json, raw: Json, path: Path) -> Json:
    """Return what is said at a path with the expressions that a file has for the same values.

    `old` is what the older spec says there, and `raw` the same with its expressions.
    """
    if isinstance(value, str):
        return Expression(raw) if value == old and isinstance(raw, str) and raw != old else value
    if isinstance(value, dict) and isinstance(old, dict) and isinstance(raw, dict):
        return {
            key: restore_expressions(each, old[key], raw[key], (*path, key))
            if key in old and key in raw
            else each
            for key, each in value.items()
        }
    if isinstance(value, list) and isinstance(old, list) and isinstance(raw, list) and len(old) == len(raw):
        return list(_restore_items(value, list(zip(old, raw, strict=True)), path))
    return value


def _restore_items(items: Sequence[Json], known: Sequence[tuple[Json, Json]], path: Path) -> Iterator[Json]:
    """Yield the items of a list, each compared with what it was, or what was in its place."""
    # What has no name goes by all that it says.
    names = {name_of(old, path) or repr(old): (old, raw) for old, raw in known}
    come = [name_of(each, path) or repr(each) for each in items]
    seen = frozenset(come)
    gone = iter([pair for name, pair in names.items() if name not in seen])
    for item, name in zip(items, come, strict=True):
        old, raw = names.get(name) or next(gone, (None, None))
        yield restore_expressions(item, old, raw, (*path, name))


def restore_path(way: str, old: Json, raw: Json, path: Path) -> str:
    """Return a way from a path on, such as `remove` has it, by the names that a file has."""
    for name, said, below, inner in _list_children(old, raw, path):
        step, written = (each.replace("~", "~0") for each in (name, said))
        if way == step:
            return written
        if way.startswith(f"{step}/"):
            return f"{written}/{restore_path(way[len(step) + 1 :], below, inner, (*path, name))}"
    return way


def _list_children(old: Json, raw: Json, path: Path) -> Iterator[tuple[str, str, Json, Json]]:
    """Yield what stands in a map or a list: its name, the name in the file, and both forms of it."""
    if isinstance(old, dict) and isinstance(raw, dict):
        yield from ((key, key, each, raw[key]) for key, each in old.items() if key in raw)
    elif isinstance(old, list) and isinstance(raw, list) and len(old) == len(raw):
        for each, said in zip(old, raw, strict=True):
            name, written = name_of(each, path), name_of(said, path)
            if name is not None and written is not None:
                yield name, written, each, said
