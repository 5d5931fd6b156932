"""Validate every object strictly against the schema of its kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.schemas import builtin, catalog, custom
from kitgen.check.schemas.catalog import METADATA
from kitgen.check.views import Minors, ObjectView
from kitgen.crd.definition import Catalog, group_by_kind, is_crd
from kitgen.crd.validate.rules import BROKEN_RULE, Effort
from kitgen.findings import Problem, make_problem
from kitgen.kit.apis import find_shipped_crd
from kitgen.kube.definitions import Kind, list_kinds
from kitgen.text.yaml import JsonObject


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield every field that does not fit, every API that a minor lacks, every kind without a schema."""
    yield from context.check_each(_check_builtin)
    specs = (each.body.get("spec") for _, each in context.list_objects() if is_crd(each.body))
    checked, effort = frozenset(map(id, specs)), Effort()
    kit = group_by_kind(context.crds)
    forms = {plan.target.name: group_by_kind(crd.body for crd in plan.crds) for plan in context.plans}
    for target, manifests in context.targets.items():
        # What a target installs itself counts alone, even if another release knows more versions; then what
        # its features make of CRDs that somebody else installs.
        installed = group_by_kind(each.body for each in manifests if is_crd(each.body))
        crds = {**kit, **forms.get(target, {}), **installed}
        before = {each.id: each.body for each in context.before.get(target, ())}
        for manifest in manifests:
            view, minors = context.get_view(target, manifest), context.minors_of(target, manifest)
            if not _is_custom(view.kind, minors):
                continue
            declared = crds.get((view.kind.group, view.kind.kind), ())
            if sound := [crd for crd in declared if not context.views.crds.check_shape(crd)]:
                told = all(id(crd["spec"]) in checked for crd in sound)
                walked = _walk_object(view, sound, effort, before.get(manifest.id))
                # What is wrong with a rule is told of its CRD.
                found = iter([each for each in walked if not told or each.hint != BROKEN_RULE])
            else:
                found = _check_undeclared(view, crds, minors, effort)
            yield from (CheckHit(target, manifest, wrong) for wrong in found)


def _is_custom(kind: Kind, minors: Minors) -> bool:
    return bool(kind.version and kind.kind) and not catalog.is_kubernetes_group(kind.group, minors)


def _check_builtin(each: ObjectView, minors: Minors) -> Iterator[Problem]:
    kind = each.kind
    if not (kind.version and kind.kind):
        yield make_problem("manifest-invalid", "found an object without apiVersion or kind")
    elif catalog.is_kubernetes_group(kind.group, minors):
        if len(serving := catalog.find_serving_minors(kind, minors)) < len(minors):
            yield builtin.report_unserved(kind, minors)
        if serving:
            name, reveal = list_kinds(serving[0])[kind], kind.kind != "Secret"
            yield from builtin.check_against_definition(
                name, each.crds.fold(each.body), serving, reveal=reveal
            )


def _walk_object(
    view: ObjectView, crds: Sequence[JsonObject], effort: Effort, old: JsonObject | None
) -> Sequence[Problem]:
    from kitgen.crd.validate.objects import walk_object

    if old is not None:
        return walk_object(view.body, crds, effort, old).problems
    name = f"fits {[view.crds.hash_spec(each) or id(each['spec']) for each in crds]}"
    return view.find_with_effort(name, effort, lambda: walk_object(view.body, crds, effort).problems)


FITS_SHIPPED = "fits the CRD that kitgen has"


def _check_undeclared(view: ObjectView, crds: Catalog, minors: Minors, effort: Effort) -> Iterator[Problem]:
    """Yield what is wrong with an object that no sound CRD here declares."""
    kind = view.kind
    broken = (kind.group, kind.kind) in crds
    # Reading a CRD is left out where nothing is held to it.
    versions = (
        [] if broken else [kind.version] if FITS_SHIPPED in view.passed else _list_shipped_versions(kind)
    )
    if kind.version in versions:
        yield from custom.mark_unfinished_csv(kind, _walk_shipped(view, effort))
        return
    if versions:
        yield custom.report_unknown_version(kind, versions, foreign=not view.rendered)
    else:
        yield from custom.report_undeclared(kind, crds, broken=broken, foreign=not view.rendered)
    yield from view.list_problems(_check_metadata, minors)


def _list_shipped_versions(kind: Kind) -> list[str]:
    crd = find_shipped_crd(kind.group, kind.kind, admitted=True)
    return [each["name"] for each in crd["spec"]["versions"]] if crd else []


def _walk_shipped(view: ObjectView, effort: Effort) -> Sequence[Problem]:
    from kitgen.crd.validate.objects import walk_object

    def walk() -> Sequence[Problem]:
        crd = find_shipped_crd(view.kind.group, view.kind.kind, admitted=True)
        return walk_object(view.body, [crd] if crd else [], effort).problems

    return view.find_with_effort(FITS_SHIPPED, effort, walk)


def _check_metadata(view: ObjectView, minors: Minors) -> Iterator[Problem]:
    found = builtin.check_against_definition(METADATA, view.body.get("metadata"), minors, reveal=True)
    yield from (each.prefix_path("metadata") for each in found)
