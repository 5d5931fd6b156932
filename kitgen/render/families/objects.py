"""Families of whole objects, copied as they are, and of the Namespace that a target creates."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.findings import Cause, CauseKind
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.context import RenderContext
from kitgen.render.family import Family
from kitgen.render.layers import LayerTouch, build_source
from kitgen.text.yaml import JsonObject


def copy_objects(context: RenderContext) -> Iterator[Manifest]:
    """Take over each object as the spec has it."""
    for layer in (item.layers[0] for item in context.part["objects"]):
        made = build_source(LayerTouch((), layer, ()), (), "objects")
        sources = (replace(made, cause=Cause(CauseKind.OBJECTS), verbatim=True),)
        yield Manifest(body=layer.data, sources=sources)


FAMILY = Family(objects=copy_objects, follows=("objects",), verbatim=True)


def build_namespace(context: RenderContext) -> Iterator[Manifest]:
    """Make the Namespace when the target, or else the component, wants it created."""
    setting = context.settings.namespace
    own = (setting.value.labels if setting.value.create else None) if setting else context.component.creates
    if own is not None:
        meta: JsonObject = {"name": context.namespace, **({"labels": own} if own else {})}
        cause = Cause(CauseKind.SETTING if setting else CauseKind.FAMILY, "namespace")
        yield Manifest(
            body={"apiVersion": "v1", "kind": "Namespace", "metadata": meta},
            sources=(FieldSource(path=(), cause=cause, origin=context.namespace_origin),),
        )


NAMESPACES = Family(objects=build_namespace, verbatim=True)
