"""Read manifests that kitgen did not render, so that the same rules can check them."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Cause, Finding, Kind, Origin
from kitgen.objects import Manifest, Source
from kitgen.objects.manifest import MANIFEST_INVALID
from kitgen.schema.wording import shown
from kitgen.yamlio import Dialect, Json, YamlError, read_all


def strangers(
    file: str, text: str, aside: list[Origin] | None = None
) -> tuple[list[Manifest], list[Finding]]:
    """Return the objects of a text, and what of it is no object.

    It is read as kubectl reads it: several documents, empty ones skipped, lists unrolled. Each object
    knows its document and its place there, so findings lead to the line. With `aside`, documents that
    only kustomize reads go there instead.
    """
    try:
        documents = read_all(text, dialect=Dialect.KUBECTL)
    except YamlError as error:
        return [], [problem.at(Origin(file)) for problem in error.problems]
    manifests: list[Manifest] = []
    findings: list[Finding] = []
    for number, document in enumerate(documents):
        origin = Origin(file, document=number)
        if document is None:
            continue
        if aside is not None and _for_kustomize(document):
            aside.append(origin)
            continue
        for each in _objects(document, origin):
            if isinstance(each, Manifest):
                manifests.append(each)
            else:
                findings.append(each)
    return manifests, findings


def _for_kustomize(value: Json) -> bool:
    """Tell whether a document is a kustomization, a JSON patch, or a patch that says it is one."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(each, dict) and {"op", "path"} <= each.keys() for each in value)
    return isinstance(value, dict) and (
        "$patch" in value
        or (
            value.get("kind") in ("Kustomization", "Component")
            and str(value.get("apiVersion")).startswith("kustomize.config.k8s.io/")
        )
    )


def _objects(value: Json, origin: Origin) -> Iterator[Manifest | Finding]:
    if not isinstance(value, dict):
        yield _invalid(f"found {shown(value, reveal=False)}, expected an object", origin)
        return
    wrong = [
        _invalid(f"found {shown(value.get(key))}, expected the {key} of an object", origin.at(key))
        for key in ("apiVersion", "kind")
        if not (isinstance(value.get(key), str) and value[key])
    ]
    if not isinstance(value.get("metadata", {}), dict):
        wrong.append(_invalid("found metadata that is no mapping", origin.at("metadata")))
    if wrong:
        yield from wrong
    elif value["kind"].endswith("List") and isinstance(value.get("items"), list):
        for index, item in enumerate(value["items"]):
            yield from _objects(item, origin.at("items", index))
    else:
        source = Source(path=(), cause=Cause(Kind.MANIFEST), origin=origin, verbatim=True)
        yield Manifest(body=value, sources=(source,))


def _invalid(message: str, origin: Origin) -> Finding:
    return MANIFEST_INVALID(message).at(origin)
