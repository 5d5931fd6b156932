"""Expressions that an import writes: values that name the namespace, which is another one in every target."""

from __future__ import annotations

from collections.abc import Mapping

from kitgen.compile.expressions import THE_ROLE
from kitgen.findings import Path
from kitgen.yamlio import Json

NAMESPACE = "{{ namespace }}"
LISTS = ("skipNamespaces", "values")
ACCOUNT = "system:serviceaccount:{}:"


class Expression(str):
    """A text that is meant as an expression of a spec; other text with braces is none."""

    __slots__ = ()


def abstracted(wanted: Mapping[str, Json], namespaces: Mapping[str, str], path: Path) -> dict[str, Json]:
    """Return what trees want of a place, with an expression for the namespace where that makes them agree.

    What can hardly be meant otherwise, such as the account of a subject, always is an expression.
    """
    if path[0] == "crds":
        return dict(wanted)
    found = {who: _value(value, namespaces[who], str(path[-1])) for who, value in wanted.items()}
    if path[0] == "objects" and str(path[1]).startswith("Namespace/"):
        found = {who: _renamed(value, namespaces[who]) for who, value in found.items()}
    if _agree(found) and (not _agree(wanted) or path[0] in ("objects", "webhooks")):
        return found
    return dict(wanted)


def expressed(value: Json) -> Json:
    """Return words of a family in which what a role is called is meant as an expression."""
    if isinstance(value, dict):
        return {key: expressed(each) for key, each in value.items()}
    if isinstance(value, list):
        return [expressed(each) for each in value]
    return Expression(value) if isinstance(value, str) and THE_ROLE in value else value


def _renamed(value: Json, namespace: str) -> Json:
    """Return a Namespace that is called as the one of the component is."""
    meta = value.get("metadata") if isinstance(value, dict) else None
    if not namespace or not isinstance(meta, dict) or meta.get("name") != namespace:
        return value
    return {**value, "metadata": {**meta, "name": Expression(NAMESPACE)}}


def _agree(values: Mapping[str, Json]) -> bool:
    first, *others = values.values()
    return all(each == first for each in others)


def _value(value: Json, namespace: str, key: str) -> Json:
    if not namespace:
        return value
    if isinstance(value, dict):
        return {name: _value(each, namespace, name) for name, each in value.items()}
    if isinstance(value, list):
        inside = "namespace" if key in LISTS else ""
        return [_value(each, namespace, inside) for each in value]
    if not isinstance(value, str) or "{{" in value:
        return value
    if key in ("namespace", "value") and value == namespace:
        return Expression(NAMESPACE)
    if (account := ACCOUNT.format(namespace)) in value:
        return Expression(value.replace(account, ACCOUNT.format(NAMESPACE)))
    return value
