"""Family of parameters: the content of params.env, and the fields that are replaced from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from kitgen.findings import Cause, CauseKind, Finding, Origin, Problem, make_problem, suggest_word
from kitgen.kube.manifest import FieldSource, Manifest, existing_value
from kitgen.render.context import ComputedValue, RenderContext, join_computed
from kitgen.render.environment import find_operator_containers
from kitgen.render.kustomize.field_paths import resolve_field_path
from kitgen.render.layers import LayeredValue, merge_layers
from kitgen.render.parameters import HASHED, ParameterFill, Params
from kitgen.text.secrets import is_secret_path
from kitgen.text.wording import format_count, quote_text
from kitgen.text.yaml import JsonObject

# The ODH operator rewrites these whether or not a field follows them.
CONTRACT = frozenset(
    {
        "codeflare-operator-controller-image",
        "namespace",
        "odh-kuberay-operator-controller-image",
        "odh-kueue-controller-image",
    }
)

LONGEST_LINE = 65_535
"""kustomize reads no further, and says nothing."""
FEW = 300
"""Among so many containers, it is worth a look whether the name of one is in that of another."""


def build_params(context: RenderContext, objects: Sequence[Manifest]) -> ComputedValue[Params | None]:
    """Return the parameters; one that nothing uses is a finding, except those of the ODH contract."""
    if not context.part["params"]:
        return ComputedValue(None)
    folded = merge_layers(context.part["params"][0].layers)
    values = {key: _resolve_value(context, each) for key, each in folded.data["keys"].items()}
    of_images = _find_image_fills(context, objects)
    homes = {
        str(each.get("name")): manifest.id.name
        for manifest, _, each in find_operator_containers(context, objects)
    }
    fills, findings = join_computed(
        _collect_fills(
            key, value, folded, objects, of_images.get(folded.data["keys"][key].get("image"), ()), homes
        )
        for key, value in values.items()
    )
    made = Params(
        config_map=context.full_name(folded.data["configMap"]),
        hashed=folded.data.get("hash", True),
        data=values,
        fills=tuple(fill for some in fills for fill in some),
        sources=tuple(_build_sources(folded, context)),
    )
    return ComputedValue(made, findings)


def _resolve_value(context: RenderContext, content: JsonObject) -> str:
    if "image" in content:
        return context.images[content["image"]][0] if content["image"] in context.images else ""
    return str(content["value"])


def _collect_fills(
    key: str,
    value: str,
    folded: LayeredValue,
    objects: Sequence[Manifest],
    of_image: Iterable[ParameterFill],
    homes: Mapping[str, str],
) -> ComputedValue[tuple[ParameterFill, ...]]:
    """Return the fields that follow a parameter, and what is wrong with it.

    `homes` are the containers of the operator, each with its Deployment.
    """
    content, at = folded.data["keys"][key], folded.touch_at(("keys", key)).origin
    images = (replace(each, key=key) for each in of_image)
    places = [(fill, at.at("fills", number)) for number, fill in enumerate(content.get("fills", ()))]
    absent: list[Finding] = []
    if (name := content.get("env")) in homes:
        field = f"spec.template.spec.containers.[name=^{name}$].env.[name=^{key}$].value"
        places.append(({"object": f"Deployment/{homes[name]}", "field": field}, at.at("env")))
    elif name:
        absent.append(
            make_problem(
                "param-object",
                f"found no container {name!r} of the operator with the variable {key}",
                hint=suggest_word(name, [*homes]),
            ).to_finding(at.at("env"))
        )
    given = join_computed(_resolve_field(key, value, fill, place, objects) for fill, place in places)
    found = (*images, *(fill for fill in given.value if fill is not None))
    wrong = [*check_param_value(key, value)]
    if not found and not content.get("fills") and not content.get("env"):
        wrong += _report_unused(key, content)
    return ComputedValue(found, (*given.findings, *absent, *(fault.to_finding(at) for fault in wrong)))


def _report_unused(key: str, content: JsonObject) -> Iterator[Problem]:
    """Yield why a parameter that fills nothing is wrong; an image must reach a container in any case."""
    if "image" in content:
        yield make_problem(
            "param-unused",
            f"found the parameter {key!r}, but no container runs the image {content['image']!r}",
            hint="remove it, or give a container the image again, which a patch may have changed",
        )
    elif key not in CONTRACT:
        yield make_problem(
            "param-unused",
            f"found the parameter {key!r}, which nothing uses",
            hint="remove it, or say what it fills",
        )


def _build_sources(folded: LayeredValue, context: RenderContext) -> Iterator[FieldSource]:
    first = folded.touches[0].layer
    cause = Cause(CauseKind.FAMILY, "params")
    whole = FieldSource(path=(), cause=cause, origin=first.origin, feature=first.feature)
    yield whole
    if folded.data.get("hash", True):
        yield replace(whole, path=("metadata", "name"), why=HASHED)
    for key, content in folded.data["keys"].items():
        touch = folded.touch_at(("keys", key))
        yield FieldSource(
            path=("data", key),
            cause=Cause(CauseKind.PARAMETER, key),
            origin=touch.origin,
            feature=touch.layer.feature,
            reads=touch.reads,
        )
        if (image := content.get("image")) in context.images:
            yield FieldSource(
                path=("data", key), cause=Cause(CauseKind.IMAGE, image), origin=context.images[image][1]
            )


def check_param_value(key: str, value: str) -> Iterator[Problem]:
    """Yield why kustomize would not read a value back from params.env."""
    if "\n" in value or value.endswith("\r"):
        yield make_problem("param-value", "found a line break, which params.env cannot hold")
    elif (size := len(f"{key}={value}".encode())) > LONGEST_LINE:
        yield make_problem(
            "param-value", f"found a line of {size} bytes, expected at most {LONGEST_LINE} in params.env"
        )


def _find_image_fills(context: RenderContext, objects: Sequence[Manifest]) -> dict[str, list[ParameterFill]]:
    """Return what containers run, by the name of the image, unless a patch gave them another one."""
    given = [merge_layers(item.layers).data.get("containers", {}) for item in context.part["deployment"]]
    found = list(find_operator_containers(context, objects))
    names = [str(container.get("name")) for _, _, container in found]
    made: dict[str, list[ParameterFill]] = {}
    # By name: a patch may have moved them.
    for name, (manifest, path, container) in zip(names, found, strict=True):
        # kustomize takes every name that holds this one, unless the ends are marked.
        alone = len(names) <= FEW and sum(name in each for each in names) == 1
        field = f"spec.template.spec.containers.[name={name if alone else f'^{name}$'}].image"
        fill = ParameterFill(
            key="", kind="Deployment", name=manifest.id.name, field=field, path=(*path, "image")
        )
        for image in dict.fromkeys(some[name].get("image") for some in given if name in some):
            if image in context.images and container.get("image") == context.images[image][0]:
                made.setdefault(image, []).append(fill)
    return made


def _resolve_field(
    key: str, value: str, fill: JsonObject, at: Origin, objects: Sequence[Manifest]
) -> ComputedValue[ParameterFill | None]:
    if (manifest := next((each for each in objects if str(each.id) == fill["object"]), None)) is None:
        hint = suggest_word(fill["object"], [str(each.id) for each in objects])
        unknown = make_problem("param-object", f"found no object {fill['object']!r} to fill", hint=hint)
        return ComputedValue(None, (unknown.to_finding(at.at("object")),))
    try:
        path = resolve_field_path(manifest.body, fill["field"])
    except LookupError as error:
        message = f"found no field {fill['field']!r} in {manifest.id}: {error.args[0]}"
        return ComputedValue(None, (make_problem("param-field", message).to_finding(at.at("field")),))
    made = ParameterFill(
        key=key,
        kind=manifest.id.kind,
        name=manifest.id.name,
        field=fill["field"],
        path=path,
        delimiter=fill.get("delimiter", ""),
        index=fill.get("index", 0),
    )
    return ComputedValue(
        made, tuple(wrong.to_finding(at.at("field")) for wrong in _check_fill(made, manifest, value))
    )


def _check_fill(fill: ParameterFill, manifest: Manifest, value: str) -> Iterator[Problem]:
    """Yield why a field cannot follow a parameter: it must hold the parameter's value already."""
    if not isinstance(found := existing_value(manifest.body, fill.path), str):
        yield make_problem(
            "param-field", f"found a field of {manifest.id} that is no text, expected text to fill"
        )
        return
    parts = found.split(fill.delimiter) if fill.delimiter else [found]
    if fill.index >= len(parts):
        yield make_problem(
            "param-field",
            f"found {format_count(len(parts), 'part')} in the field, expected more than {fill.index}",
        )
    elif (part := parts[fill.index]) != value:
        secret = manifest.id.kind == "Secret" or is_secret_path((fill.key,))
        secret = secret or is_secret_path(fill.path, manifest.body)
        held, own = ("another value", "") if secret else (quote_text(part), f" {quote_text(value)}")
        yield make_problem(
            "param-field", f"found {held} in the field, expected the parameter's own value{own}"
        )
