"""Family of the operator's configuration: typed values become the ConfigMap that the operator reads."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.findings import Cause, CauseKind, Finding, Origin, Path, Problem, make_problem
from kitgen.kit.config_type import DURATION, check_config_value, field_at, parse_duration
from kitgen.kit.model import Layer
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.context import RenderContext
from kitgen.render.environment import check_container_name
from kitgen.render.family import Family, Objects
from kitgen.render.image_names import rename_images
from kitgen.render.layers import LayeredValue, build_source, merge_layers
from kitgen.text.secrets import is_secret_path
from kitgen.text.values import value_at
from kitgen.text.yaml import Json, JsonObject, dump_yaml

CAUSE = Cause(CauseKind.FAMILY, "config")
HEADER = "every configuration of this type opens with it"


def build_config_map(context: RenderContext) -> Iterator[Manifest]:
    """Make the ConfigMap when a value is set or the operator always needs one."""
    if context.component.config_type is None:
        return
    folded = merge_config_values(context)
    origin, kind = context.component.config_type
    values = folded.data if folded else {}
    if not _has_values({"properties": kind["fields"]}, values) and not kind.get("always", False):
        return
    opening = rename_images(kind.get("header", {}), context.renames)
    document = {**opening, **build_document({"properties": kind["fields"]}, values)}
    path: Path = ("data", kind["key"])
    values_at = [
        build_source(touch, (*path, *touch.path), "config") for touch in (folded.touches if folded else ())
    ]
    header = (
        FieldSource(path=(*path, key), cause=CAUSE, origin=origin.at("header", key), why=HEADER, default=True)
        for key in kind.get("header", {})
    )
    made = FieldSource(path=(), cause=CAUSE, origin=origin)
    yield Manifest(
        body={
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": context.full_name(kind["configMap"])},
            "data": {kind["key"]: dump_yaml(document)},
        },
        sources=(made, *values_at[:1], *header, *values_at[1:]),
    )


def build_mount_layer(context: RenderContext) -> Layer | None:
    """Return what mounts the configuration into a container, when the component wants it mounted."""
    mount = _merge_config_layers(context).data.get("mount") if context.part["config"] else None
    if mount is None or context.component.config_type is None:
        return None
    kind, given = context.component.config_type[1], context.part["config"][0].layers[0]
    entry = {"mountPath": mount["path"], "name": mount["volume"], "subPath": kind["key"]}
    return Layer(
        data={
            "containers": {mount["container"]: {"volumeMounts": [entry]}},
            "volumes": {mount["volume"]: {"configMap": {"name": context.full_name(kind["configMap"])}}},
        },
        origin=given.origin.at("mount"),
        cause=CAUSE,
        feature=given.feature,
        why="the operator reads its configuration from this file",
        given={},
    )


def _merge_config_layers(context: RenderContext) -> LayeredValue:
    return merge_layers(context.part["config"][0].layers, extend=False)


def check_config(context: RenderContext, _: Objects) -> Iterator[Finding]:
    """Yield a finding for values that do not fit their type, or have none, and for a mount into nothing."""
    typed, folded = context.component.config_type, merge_config_values(context)
    if typed and folded:
        wrong = check_config_value({"type": "object", "properties": typed[1]["fields"]}, folded.data)
        for each in (*wrong, *_check_rules(typed[1], folded.data)):
            yield replace(each, path=()).to_finding(folded.touch_at(each.path).origin)
    elif folded and folded.data:
        yield make_problem(
            "config-untyped", "found values, but the component has no config.yaml that types them"
        ).to_finding(folded.touches[0].origin)
    given = _merge_config_layers(context) if context.part["config"] else None
    if given is None or given.data.get("mount") is None:
        return
    if typed is None:
        yield make_problem(
            "config-untyped", "found a mount, but the component has no config.yaml that says of what"
        ).to_finding(given.touch_at(("mount",)).origin)
    else:
        name, at = given.data["mount"]["container"], given.touch_at(("mount", "container")).origin
        yield from check_container_name(context, name, at)


def merge_config_values(context: RenderContext) -> LayeredValue | None:
    """Return the values that the component, its features and the target set, if there are any."""
    layers = [
        replace(
            layer,
            data=layer.data["values"],
            origin=layer.origin.at("values"),
            reads=layer.reads_below(("values",)),
        )
        for item in context.part["config"]
        for layer in item.layers
        if "values" in layer.data
    ]
    layers += [replace(layer, why=f"{context.target} sets it") for layer in context.settings.config]
    return merge_layers(tuple(layers), extend=False) if layers else None


def _check_rules(kind: JsonObject, values: JsonObject) -> Iterator[Problem]:
    for entry in kind.get("rules", ()):
        path, bound = tuple(entry["field"].split(".")), tuple(entry["atMost"].split("."))
        low, high = get_effective_value(kind, values, path), get_effective_value(kind, values, bound)
        less, more = _to_comparable(kind, entry["field"], low), _to_comparable(kind, entry["atMost"], high)
        if less is not None and more is not None and less > more:
            shown = path if value_at(values, *path) is not None else bound
            found, most = (
                name if is_secret_path(tuple(name.split("."))) else f"{name} {value}"
                for name, value in ((entry["field"], low), (entry["atMost"], high))
            )
            yield make_problem("config-rule", f"found {found}, expected at most {most}", shown)


def _to_comparable(kind: JsonObject, path: str, value: Json) -> Json:
    """Return what a value is compared by, unless it is a wrong one, which is a finding already."""
    if (field := field_at(kind, path)) is None or any(check_config_value(field, value)):
        return None
    return parse_duration(value) if isinstance(value, str) else value


def get_effective_value(kind: JsonObject, values: JsonObject, path: Path) -> Json:
    """Return the value that the operator will see: the one that is set, else its default."""
    value = value_at(values, *path)
    return value if value is not None else value_at(field_at(kind, ".".join(map(str, path))), "default")


def image_values(context: RenderContext) -> Iterator[tuple[Path, str, Origin]]:
    """Yield the fields that hold images, with those that the operator will see, and where that is said."""
    if context.component.config_type is None:
        return
    origin, kind = context.component.config_type
    folded = merge_config_values(context)
    for path, at in ((path, at) for path, at, field in fields_of(kind) if field.get("format") == "image"):
        own = value_at(folded.data, *path) if folded else None
        value = own if own is not None else get_effective_value(kind, {}, path)
        if isinstance(value, str) and value:
            said = folded.touch_at(path).origin if folded and own is not None else origin.at(*at, "default")
            yield path, value, said


def fields_of(
    field: JsonObject, path: tuple[str, ...] = (), at: Path = (), key: str = "fields"
) -> Iterator[tuple[tuple[str, ...], Path, JsonObject]]:
    """Yield the fields of a type in order: where values have them, where they are declared, and each."""
    for name, each in field.get(key, {}).items():
        here, said = (*path, name), (*at, key, name)
        yield here, said, each
        yield from fields_of(each, here, said, "properties")


def _has_values(field: JsonObject, value: Json) -> bool:
    """Return whether a value says anything: empty maps of fields do not."""
    if not isinstance(value, dict) or field.get("free"):
        return True
    known = field.get("properties", {})
    return any(_has_values(known.get(key, {}), item) for key, item in value.items())


def build_document(field: JsonObject, values: JsonObject) -> JsonObject:
    """Return the values in the order of the fields, durations as the operator wants them."""
    known = field.get("properties", {})
    named = {key: _to_document_value(known[key], values[key]) for key in known if key in values}
    if (other := field.get("additionalProperties")) is None:
        return named
    return {
        **named,
        **{key: _to_document_value(other, value) for key, value in values.items() if key not in known},
    }


def _to_document_value(field: JsonObject, value: Json) -> Json:
    if field["type"] == "nanoseconds" and isinstance(value, str) and DURATION.fullmatch(value):
        return parse_duration(value)
    if isinstance(value, list) and "items" in field:
        return [_to_document_value(field["items"], item) for item in value]
    if isinstance(value, dict) and not field.get("free"):
        return build_document(field, value)
    return value


FAMILY = Family(objects=build_config_map, problems=check_config, layer=build_mount_layer)
