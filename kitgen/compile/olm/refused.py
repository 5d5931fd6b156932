"""What a component has and its bundle cannot: OLM puts all objects into one namespace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.findings import Chapter, Finding, Rule
from kitgen.objects import Manifest, is_namespaced

BUNDLE_ELSEWHERE = Rule(
    id="bundle-elsewhere",
    chapter=Chapter.BUNDLE,
    checks="No object of a bundle is to be in another namespace than the operator.",
    fix="Put it into a feature that `settings` of the bundle turn off, and let the operator do without.",
    why="OLM creates all objects where the operator goes, and a binding there grants nothing elsewhere.",
)


def elsewhere(objects: Iterable[Manifest], namespace: str) -> Iterator[Finding]:
    """Yield objects that are meant for another namespace than that of the operator."""
    for each in objects:
        name = each.id
        if name.namespace in ("", namespace) or not is_namespaced(name.group, name.kind):
            continue
        message = f"found {name.kind}/{name.name} in {name.namespace}, which OLM would put into {namespace}"
        hint = "turn off the feature that has it under settings of the bundle"
        yield BUNDLE_ELSEWHERE(message, hint=hint).at(each.origin(("metadata", "namespace")))
