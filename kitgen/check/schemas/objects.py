"""Validate every object strictly against the schema of its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Generic, TypeVar

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.schemas import builtin, catalog, custom
from kitgen.check.schemas.catalog import METADATA
from kitgen.crd.definition import Catalog, check_crd_shape, group_by_kind, is_crd
from kitgen.crd.validate.rules import BROKEN_RULE, Effort
from kitgen.findings import Origin, Problem, make_problem
from kitgen.kit.apis import find_shipped_crd
from kitgen.kube.definitions import Kind, list_kinds
from kitgen.kube.identity import split_api_version
from kitgen.kube.schema_interning import drop_type_details
from kitgen.text.yaml import Json, JsonObject

T = TypeVar("T")


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield every field that does not fit, every API that a minor lacks, every kind without a schema."""
    specs = (each.body.get("spec") for _, each in context.list_objects() if is_crd(each.body))
    checker = _Checker(frozenset(map(id, specs)))
    kit = group_by_kind(context.crds)
    forms = {plan.target.name: group_by_kind(crd.body for crd in plan.crds) for plan in context.plans}
    for target, manifests in context.targets.items():
        # What a target installs itself counts alone, even if another release knows more versions; then what
        # its features make of CRDs that somebody else installs.
        installed = group_by_kind(each.body for each in manifests if is_crd(each.body))
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

    def get(self, crd: JsonObject) -> T:
        """Return what is known of a CRD."""
        spec = crd["spec"]
        if id(spec) not in self.known:
            # The spec is kept beside the result so that its identity is not given to another one.
            self.known[id(spec)] = (spec, self.look(crd))
        return self.known[id(spec)][1]


def _fold_crd(folded: _OfCrds[JsonObject], body: JsonObject) -> JsonObject:
    """Return a body as it is checked: a CRD goes without the types of Kubernetes, which are right."""
    is_whole = is_crd(body) and isinstance(body.get("spec"), dict)
    return {**body, "spec": folded.get(body)} if is_whole else body


class _Checker:
    """What one run has compiled and folded so far."""

    def __init__(self, checked: frozenset[int]) -> None:
        self.checked = checked
        """The specs of CRDs that are checked themselves, by identity."""
        self.effort = Effort()
        folded = _OfCrds(lambda crd: drop_type_details(crd["spec"]))
        # Neither knows the checker: what holds itself is never freed, and with it all that was checked.
        self.quick = partial(_fold_crd, folded)
        self.is_sound = _OfCrds(lambda crd: not any(check_crd_shape(_fold_crd(folded, crd), Origin(""))))

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
            yield make_problem("manifest-invalid", "found an object without apiVersion or kind")
        elif catalog.is_kubernetes_group(kind.group, minors):
            if len(serving := catalog.find_serving_minors(kind, minors)) < len(minors):
                yield builtin.report_unserved(kind, minors)
            if serving:
                name, reveal = list_kinds(serving[0])[kind], kind.kind != "Secret"
                yield from builtin.check_against_definition(name, self.quick(body), serving, reveal=reveal)
        else:
            yield from self._check_custom(kind, body, crds, minors, foreign=foreign, old=old)

    def _check_custom(
        self,
        kind: Kind,
        body: JsonObject,
        crds: Catalog,
        minors: tuple[int, ...],
        *,
        foreign: bool,
        old: JsonObject | None,
    ) -> Iterator[Problem]:
        from kitgen.crd.validate.objects import walk_object

        declared = crds.get((kind.group, kind.kind), ())
        if sound := [crd for crd in declared if self.is_sound.get(crd)]:
            told = all(id(crd["spec"]) in self.checked for crd in sound)
            found = walk_object(body, sound, self.effort, old).problems
            # What is wrong with a rule is told of its CRD.
            yield from (each for each in found if not told or each.hint != BROKEN_RULE)
            return
        crd = None if declared else find_shipped_crd(kind.group, kind.kind, admitted=True)
        versions = [each["name"] for each in crd["spec"]["versions"]] if crd else []
        if crd and kind.version in versions:
            yield from custom.mark_unfinished_csv(kind, walk_object(body, [crd], self.effort).problems)
            return
        if versions:
            yield custom.report_unknown_version(kind, versions, foreign=foreign)
        else:
            yield from custom.report_undeclared(kind, crds, broken=bool(declared), foreign=foreign)
        metadata = builtin.check_against_definition(METADATA, body.get("metadata"), minors, reveal=True)
        yield from (each.prefix_path("metadata") for each in metadata)
