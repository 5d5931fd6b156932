"""Validate every object strictly against the schema of its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Generic, TypeVar

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.schemas import builtin, catalog, custom
from kitgen.check.schemas.catalog import METADATA
from kitgen.crd.definition import Catalog, by_kind, crd_faults, is_crd
from kitgen.crd.validate.rules import BROKEN_RULE, Effort
from kitgen.findings import Origin, Problem, problem
from kitgen.kit.apis import shipped_crd
from kitgen.kube.definitions import Kind, kinds
from kitgen.kube.identity import split_api_version
from kitgen.kube.schema_interning import shallow
from kitgen.text.yaml import Json, JsonObject

T = TypeVar("T")


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield every field that does not fit, every API that a minor lacks, every kind without a schema."""
    specs = (each.body.get("spec") for _, each in context.objects() if is_crd(each.body))
    checker = _Checker(frozenset(map(id, specs)))
    kit = by_kind(context.crds)
    forms = {plan.target.name: by_kind(crd.body for crd in plan.crds) for plan in context.plans}
    for target, manifests in context.targets.items():
        # What a target installs itself counts alone, even if another release knows more versions; then what
        # its features make of CRDs that somebody else installs.
        installed = by_kind(each.body for each in manifests if is_crd(each.body))
        crds = {**kit, **forms.get(target, {}), **installed}
        before = {each.id: each.body for each in context.before.get(target, ())}
        for manifest in manifests:
            minors = context.minors_of(target, manifest)
            old = before.get(manifest.id)
            for wrong in checker.check(manifest.body, crds, minors, foreign=not target, old=old):
                yield CheckHit(target, manifest, wrong)


class _OfCrds(Generic[T]):
    """What is known of CRDs, each looked at once: one stands in many targets with the same spec."""

    def __init__(self, look: Callable[[JsonObject], T]) -> None:
        self.look = look
        self.known: dict[int, tuple[Json, T]] = {}

    def of(self, crd: JsonObject) -> T:
        """Return what is known of a CRD."""
        spec = crd["spec"]
        if id(spec) not in self.known:
            # The spec is kept beside the result so that its identity is not given to another one.
            self.known[id(spec)] = (spec, self.look(crd))
        return self.known[id(spec)][1]


def _quick(folded: _OfCrds[JsonObject], body: JsonObject) -> JsonObject:
    """Return a body as it is checked: a CRD goes without the types of Kubernetes, which are right."""
    is_whole = is_crd(body) and isinstance(body.get("spec"), dict)
    return {**body, "spec": folded.of(body)} if is_whole else body


class _Checker:
    """What one run has compiled and folded so far."""

    def __init__(self, checked: frozenset[int]) -> None:
        self.checked = checked
        """The specs of CRDs that are checked themselves, by identity."""
        self.effort = Effort()
        folded = _OfCrds(lambda crd: shallow(crd["spec"]))
        # Neither knows the checker: what holds itself is never freed, and with it all that was checked.
        self.quick = partial(_quick, folded)
        self.is_sound = _OfCrds(lambda crd: not any(crd_faults(_quick(folded, crd), Origin(""))))

    def check(
        self,
        body: JsonObject,
        crds: Catalog,
        minors: tuple[int, ...],
        *,
        foreign: bool,
        old: JsonObject | None = None,
    ) -> Iterator[Problem]:
        kind = Kind(*split_api_version(str(body.get("apiVersion", ""))), str(body.get("kind", "")))
        if not (kind.version and kind.kind):
            yield problem("manifest-invalid", "found an object without apiVersion or kind")
        elif catalog.is_own(kind.group, minors):
            if len(serving := catalog.serving(kind, minors)) < len(minors):
                yield builtin.not_served(kind, minors)
            if serving:
                name, reveal = kinds(serving[0])[kind], kind.kind != "Secret"
                yield from builtin.violations(name, self.quick(body), serving, reveal=reveal)
        else:
            yield from self._custom(kind, body, crds, minors, foreign=foreign, old=old)

    def _custom(
        self,
        kind: Kind,
        body: JsonObject,
        crds: Catalog,
        minors: tuple[int, ...],
        *,
        foreign: bool,
        old: JsonObject | None,
    ) -> Iterator[Problem]:
        from kitgen.crd.validate.objects import walked

        declared = crds.get((kind.group, kind.kind), ())
        if sound := [crd for crd in declared if self.is_sound.of(crd)]:
            told = all(id(crd["spec"]) in self.checked for crd in sound)
            found = walked(body, sound, self.effort, old).problems
            # What is wrong with a rule is told of its CRD.
            yield from (each for each in found if not told or each.hint != BROKEN_RULE)
            return
        crd = None if declared else shipped_crd(kind.group, kind.kind, admitted=True)
        versions = [each["name"] for each in crd["spec"]["versions"]] if crd else []
        if crd and kind.version in versions:
            yield from custom.graded(kind, walked(body, [crd], self.effort).problems)
            return
        if versions:
            yield custom.other_version(kind, versions, foreign=foreign)
        else:
            yield from custom.undeclared(kind, crds, broken=bool(declared), foreign=foreign)
        metadata = builtin.violations(METADATA, body.get("metadata"), minors, reveal=True)
        yield from (each.below("metadata") for each in metadata)
