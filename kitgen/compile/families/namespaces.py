"""Family of the Namespace that a target creates, or that a component does where no target says another."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.context import Context
from kitgen.compile.family import Family
from kitgen.findings import By, Cause
from kitgen.objects import Manifest, Source
from kitgen.yamlio import JsonObject


def namespace(context: Context) -> Iterator[Manifest]:
    """Make the Namespace when the target, or else the component, wants it created."""
    setting = context.settings.namespace
    own = (setting.value.labels if setting.value.create else None) if setting else context.component.creates
    if own is not None:
        meta: JsonObject = {"name": context.namespace, **({"labels": own} if own else {})}
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": meta}
        cause = Cause(By.SETTING if setting else By.FAMILY, "namespace")
        source = Source(path=(), cause=cause, origin=context.namespace_origin)
        yield Manifest(body=body, sources=(source,))


FAMILY = Family(key="namespace", objects=namespace, verbatim=True)
