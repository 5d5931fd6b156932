"""The family of schemas: every object, strict, against the schema of its kind."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check import builtin, catalog, custom
from kitgen.check.catalog import METADATA, Kind
from kitgen.check.context import Context, Hit, is_crd
from kitgen.explain import Trouble, Violation
from kitgen.objects import Manifest, split_api_version
from kitgen.shape import Shape
from kitgen.wording import choice
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
    for target, manifests in context.targets.items():
        crds = custom.declared([*(each.body for each in manifests if is_crd(each.body)), *context.crds])
        for manifest in manifests:
            yield from checker.check(target, manifest, crds)


class _Checker:
    """What one run has compiled and folded so far."""

    def __init__(self, context: Context) -> None:
        self.minors = context.minors
        self.folds = builtin.Folds()
        self.shapes: dict[int, tuple[JsonObject, Shape | None]] = {}

    def check(
        self, target: str, manifest: Manifest, crds: dict[tuple[str, str], JsonObject]
    ) -> Iterator[Hit]:
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
        else:
            crd = crds.get((kind.group, kind.kind))
            versions = custom.served_versions(crd) if crd else {}
            shape = self._compiled(versions[kind.version]) if kind.version in versions else None
            shape = shape or custom.shipped(kind)
            if crd and kind.version not in versions:
                served = choice(list(versions))
                message = f"found the version {kind.version}, expected one that its CRD serves: {served}"
                yield hit("crd-version", ("apiVersion",), message)
            elif shape is None:
                message = f"there is no schema for {kind}, so its fields are not checked"
                yield hit("kind-unknown", ("kind",), message, "declare its CRD in the kit")
            found = self._custom(shape, body)
        for each in found:
            yield hit(RULES[each.trouble], each.path, each.message, each.hint)

    def _builtin(self, kind: Kind, body: JsonObject, minors: tuple[int, ...]) -> Iterator[Violation]:
        if minors:
            name = catalog.kinds(minors[0])[kind]
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

    def _compiled(self, schema: JsonObject) -> Shape | None:
        """Compile the schema of a CRD once, however many targets share it."""
        if id(schema) not in self.shapes:
            self.shapes[id(schema)] = (schema, custom.crd_shape(schema))
        return self.shapes[id(schema)][1]
