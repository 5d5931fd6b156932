"""The family of schemas: every object, strict, against the schema of its kind."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check import builtin, catalog, custom
from kitgen.check.catalog import METADATA
from kitgen.check.context import Context, Hit, is_crd
from kitgen.crds.schema.crd import Catalog, by_kind
from kitgen.findings import Chapter, Problem, Rule
from kitgen.kubernetes import Kind, kinds
from kitgen.objects import split_api_version
from kitgen.objects.manifest import MANIFEST_INVALID
from kitgen.schema.shape import Shape
from kitgen.yamlio import JsonObject

KUBERNETES_API = Rule(
    id="kubernetes-api",
    chapter=Chapter.SCHEMA,
    title="API not served",
    checks="Every minor of the range serves the API of the object.",
    fix="Use the API that the hint names, or declare a narrower range.",
)


def check(context: Context) -> Iterator[Hit]:
    """Yield every field that does not fit, every API that a minor lacks, every kind without a schema."""
    checker = _Checker(context)
    kit = by_kind(context.crds)
    for target, manifests in context.targets.items():
        # What a target installs itself counts alone, even if another release knows more versions.
        crds = {**kit, **by_kind(each.body for each in manifests if is_crd(each.body))}
        for manifest in manifests:
            for problem in checker.check(manifest.body, crds, foreign=not target):
                yield Hit(target, manifest, problem)


class _Checker:
    """What one run has compiled and folded so far."""

    def __init__(self, context: Context) -> None:
        self.minors = context.minors
        self.folds = builtin.Folds()
        self.soundness = custom.Soundness(self.folds)

    def check(self, body: JsonObject, crds: Catalog, *, foreign: bool) -> Iterator[Problem]:
        kind = Kind(*split_api_version(str(body.get("apiVersion", ""))), str(body.get("kind", "")))
        if not (kind.version and kind.kind):
            yield MANIFEST_INVALID("found an object without apiVersion or kind")
        elif catalog.is_own(kind.group, self.minors):
            serving = catalog.serving(kind, self.minors)
            if len(serving) < len(self.minors):
                message, hint = builtin.not_served(kind, self.minors)
                yield KUBERNETES_API(message, ("apiVersion",), hint)
            yield from self._builtin(kind, body, serving)
        elif sound := self.soundness.of(declared := crds.get((kind.group, kind.kind), ())):
            yield from custom.wrong(body, sound)
        else:
            shape = custom.shipped(kind)
            if shape is None:
                yield from custom.undeclared(kind, crds, broken=bool(declared), foreign=foreign)
            yield from self._custom(shape, body)

    def _builtin(self, kind: Kind, body: JsonObject, minors: tuple[int, ...]) -> Iterator[Problem]:
        if minors:
            name = kinds(minors[0])[kind]
            reveal = kind.kind != "Secret"
            yield from builtin.violations(name, self.folds.of(body), minors, reveal=reveal)

    def _custom(self, shape: Shape | None, body: JsonObject) -> Iterator[Problem]:
        if shape is not None:
            yield from shape.violations(body)
        metadata = builtin.violations(METADATA, body.get("metadata"), self.minors, reveal=True)
        yield from (each.below("metadata") for each in metadata)
