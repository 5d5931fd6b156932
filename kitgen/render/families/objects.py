"""Families of whole objects, copied as they are, and of the Namespace that a target creates."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.findings import Cause, CauseKind
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.context import RenderContext
from kitgen.render.family import Family
from kitgen.render.layers import Touch, source
from kitgen.text.yaml import JsonObject


def objects(context: RenderContext) -> Iterator[Manifest]:
    """Take over each object as the spec has it."""
    for item in context.part["objects"]:
        layer = item.layers[0]
        made = source(Touch((), layer, ()), (), "objects")
        yield Manifest(
            body=layer.data, sources=(replace(made, cause=Cause(CauseKind.OBJECTS), verbatim=True),)
        )


FAMILY = Family(objects=objects, alone=True, verbatim=True)


def namespace(context: RenderContext) -> Iterator[Manifest]:
    """Make the Namespace when the target, or else the component, wants it created."""
    setting = context.settings.namespace
    own = (setting.value.labels if setting.value.create else None) if setting else context.component.creates
    if own is not None:
        meta: JsonObject = {"name": context.namespace, **({"labels": own} if own else {})}
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": meta}
        cause = Cause(CauseKind.SETTING if setting else CauseKind.FAMILY, "namespace")
        source = FieldSource(path=(), cause=cause, origin=context.namespace_origin)
        yield Manifest(body=body, sources=(source,))


NAMESPACES = Family(objects=namespace, verbatim=True)
