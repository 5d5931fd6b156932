"""The family of schemas: every object, strict, against the schema of its kind."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check import builtin, catalog, custom
from kitgen.check.catalog import METADATA
from kitgen.check.context import Context, Hit, is_crd
from kitgen.crds.schema.crd import Catalog, by_kind
from kitgen.schema.explain import Trouble, Violation
from kitgen.kubernetes import Kind, kinds
from kitgen.objects import Manifest, split_api_version
from kitgen.schema.shape import Shape
from kitgen.yamlio import JsonObject

RULES = {
    Trouble.UNKNOWN: "field-unknown",
    Trouble.MISSING: "field-missing",
    Trouble.TYPE: "field-type",
    Trouble.VALUE: "field-value",
}


def check(context: Context) -> Iterator[Hit]:
    """Yield every field that does not fit, every API that a minor lacks, every kind without a schema."""
    checker = _Checker(context)
    kit = by_kind(context.crds)
    for target, manifests in context.targets.items():
        # What a target installs itself counts alone, even if another release knows more versions.
        crds = {**kit, **by_kind(each.body for each in manifests if is_crd(each.body))}
        for manifest in manifests:
            yield from checker.check(target, manifest, crds)


class _Checker:
    """What one run has compiled and folded so far."""

    def __init__(self, context: Context) -> None:
        self.minors = context.minors
        self.folds = builtin.Folds()
        self.soundness = custom.Soundness(self.folds)

    def check(self, target: str, manifest: Manifest, crds: Catalog) -> Iterator[Hit]:
        body = manifest.body
        kind = Kind(*split_api_version(str(body.get("apiVersion", ""))), str(body.get("kind", "")))

        def hit(rule: str, path: tuple[str | int, ...], message: str, hint: str = "") -> Hit:
            return Hit(rule=rule, target=target, manifest=manifest, path=path, message=message, hint=hint)

        if not (kind.version and kind.kind):
            yield hit("manifest-invalid", (), "found an object without apiVersion or kind")
            return
        if catalog.is_own(kind.group, self.minors):
            serving = catalog.serving(kind, self.minors)
            if len(serving) < len(self.minors):
                yield hit("kubernetes-api", ("apiVersion",), *builtin.not_served(kind, self.minors))
            found = self._builtin(kind, body, serving)
        elif sound := self.soundness.of(declared := crds.get((kind.group, kind.kind), ())):
            yield from (hit(*each) for each in custom.wrong(body, sound))
            return
        else:
            shape = custom.shipped(kind)
            if shape is None:
                told = custom.undeclared(kind, crds, broken=bool(declared), foreign=not target)
                yield from (hit(*each) for each in told)
            found = self._custom(shape, body)
        for each in found:
            yield hit(RULES[each.trouble], each.path, each.message, each.hint)

    def _builtin(self, kind: Kind, body: JsonObject, minors: tuple[int, ...]) -> Iterator[Violation]:
        if minors:
            name = kinds(minors[0])[kind]
            reveal = kind.kind != "Secret"
            yield from builtin.violations(name, self.folds.of(body), minors, reveal=reveal)

    def _custom(self, shape: Shape | None, body: JsonObject) -> Iterator[Violation]:
        if shape is not None:
            yield from shape.violations(body)
        metadata = builtin.violations(METADATA, body.get("metadata"), self.minors, reveal=True)
        for each in metadata:
            yield Violation(
                trouble=each.trouble,
                path=("metadata", *each.path),
                message=each.message,
                hint=each.hint,
                key=each.key,
            )
