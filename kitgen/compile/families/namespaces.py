"""Family of the Namespace that a target creates."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.context import Context
from kitgen.compile.family import Family
from kitgen.findings import By, Cause
from kitgen.objects import Manifest, Source
from kitgen.yamlio import JsonObject


def namespace(context: Context) -> Iterator[Manifest]:
    """Make the Namespace when the target wants it created."""
    setting = context.settings.namespace
    if setting is not None and setting.value.create:
        meta: JsonObject = {"name": setting.value.name}
        if setting.value.labels:
            meta["labels"] = setting.value.labels
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": meta}
        source = Source(path=(), cause=Cause(By.SETTING, "namespace"), origin=setting.origin)
        yield Manifest(body=body, sources=(source,))


FAMILY = Family(key="namespace", objects=namespace, verbatim=True)
