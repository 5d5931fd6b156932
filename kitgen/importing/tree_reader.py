"""Read the trees of an import, and find the owner of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from kitgen.crd.definition import check_crd_shape, is_crd
from kitgen.findings import Finding, deduplicate_findings, make_problem
from kitgen.findings.errors import FindingsError
from kitgen.importing.images import name_operand_images
from kitgen.importing.ownership import (
    TargetClaims,
    build_render_contexts,
    compile_objects,
    find_nearest_target,
    find_target_namespace,
    replace_prefix,
)
from kitgen.importing.places import COMPONENT
from kitgen.importing.request import ImportRequest
from kitgen.importing.survey import find_common_labels, find_name_prefix, find_newer_prefix, main_namespace
from kitgen.importing.trees import GivenTree, InvertedTree, invert_tree
from kitgen.kit.apis import Apis, collect_apis
from kitgen.kit.crd_names import DeclaredCrd, collect_resource_names, list_declared_crds
from kitgen.kit.manifests import ReadBudget
from kitgen.kit.model import Component
from kitgen.kit.shipped_trees import MAX_IMPORTED, ShippedTree, read_shipped_tree
from kitgen.kube.definitions import Kind
from kitgen.kube.identity import ObjectId
from kitgen.kube.schema_interning import count_values
from kitgen.text.patterns import compile_late
from kitgen.text.values import map_at, text_at
from kitgen.text.wording import describe_value
from kitgen.workspace.kit import OpenedKit

HOLDS = ("data", "stringData")
FORMS = {
    "apiVersion": (compile_late(r"([a-z0-9.-]+/)?[a-z0-9]+"), "group/version such as apps/v1, or v1"),
    "kind": (compile_late(r"[A-Z][A-Za-z0-9]*"), "a kind such as ConfigMap"),
}
"""What the specs ask of objects."""


def read_shipped_trees(request: ImportRequest) -> dict[str, ShippedTree]:
    """Read all trees; whatever is wrong with one is a FindingsError."""
    intake = ReadBudget()
    names = dict.fromkeys((request.real, *(real for _, real in request.targets)))
    found = {name: read_shipped_tree(name, intake) for name in names}
    wrong = [
        finding
        for real in found.values()
        for finding in (
            *real.findings,
            *_check_object_names(real),
            *_check_secret_data(real),
            *_check_tree_size(real),
        )
    ]
    crds = (each for real in found.values() for each in real.objects if is_crd(each.body))
    wrong += [finding for each in crds for finding in check_crd_shape(each.body, each.origin)]
    raise_findings(wrong, found)
    return found


def raise_findings(wrong: Sequence[Finding], reals: Mapping[str, ShippedTree]) -> None:
    """Raise what is wrong with trees, if anything is."""
    if wrong:
        texts = {file: text for real in reals.values() for file, text in real.texts.items()}
        raise FindingsError(deduplicate_findings(wrong), texts=texts)


def _check_object_names(real: ShippedTree) -> Iterator[Finding]:
    """Yield a finding for every object that no spec could hold: what it is, or is called, is no text."""
    for each in real.objects:
        meta = map_at(each.body, "metadata")
        for key, (form, expected) in FORMS.items():
            if not form.fullmatch(str(each.body.get(key))):
                found = f"found {describe_value(each.body.get(key))}, expected {expected}"
                yield make_problem("manifest-invalid", found, (key,)).to_finding(each.origin)
        if not text_at(meta, "name"):
            found = f"found {describe_value(meta.get('name'))}, expected the name of an object"
            yield make_problem("manifest-invalid", found, ("metadata",)).to_finding(each.origin)
        if not isinstance(meta.get("namespace", ""), str | None):
            found = f"found {describe_value(meta['namespace'])}, expected the name of a namespace"
            yield make_problem("manifest-invalid", found, ("metadata", "namespace")).to_finding(each.origin)


def _check_tree_size(real: ShippedTree) -> Iterator[Finding]:
    """Yield a finding if a tree is too large for a spec, which would be written, read and checked in vain."""
    values = 0
    for each in real.objects:
        values += 0 if is_crd(each.body) else count_values(each.body)
        if values > MAX_IMPORTED:
            yield make_problem(
                "tree-size",
                f"found more than {MAX_IMPORTED} values in objects but CRDs, expected at most that",
                hint="name the tree of one component",
            ).to_finding(each.origin)
            return


def _check_secret_data(real: ShippedTree) -> Iterator[Finding]:
    """Yield a finding for every Secret that holds something."""
    for each in real.objects:
        identity = ObjectId.of(each.body)
        for key in HOLDS:
            if (identity.group, identity.kind) == ("", "Secret") and each.body.get(key):
                yield make_problem(
                    "secret-data",
                    f"found {key} in the Secret {identity.name!r}, which is never copied into a spec",
                    (key,),
                    "take it out of the tree, and let a secret store put it on the cluster",
                ).to_finding(each.origin)


def assign_targets(
    request: ImportRequest, reals: Mapping[str, ShippedTree], opened: OpenedKit, older: Component | None
) -> list[GivenTree]:
    """Return the trees, the component's own first, each with the target that it is for."""
    bodies = {name: tuple(each.body for each in real.objects) for name, real in reals.items()}
    prefix = ""
    if older is not None:
        before = [each.body for each in opened.session.compile_alone(older).final]
        prefix = find_newer_prefix(bodies[request.real], before, older.prefix)
    named = {real: target for target, real in request.targets}
    main, because = named.get(request.real, COMPONENT), ""
    if older is not None and request.real not in named:
        free = [name for name in opened.kit.targets if name not in dict(request.targets)]
        said = TargetClaims(opened, request.component, request.version)
        found = said.find_targets(request.real, main_namespace(bodies[request.real]))
        claims = {name: f"by {why}" for name, why in found.items() if name in free}
        renamed = replace_prefix(bodies[request.real], prefix, older.prefix)
        main = find_nearest_target(renamed, opened, older, claims or ("", *free))
        because = claims.get(main, "which is nearest")
    others = [each for each in request.targets if each != (main, request.real)]
    made = []
    for who, real in ((main, request.real), *sorted(others, key=lambda each: each[1] != request.real)):
        home = find_target_namespace(opened, request.component, request.version, who) if who else ""
        own = full = None
        if older is not None:
            own, full = build_render_contexts(
                opened, older, request.version, who, prefix, main_namespace(bodies[real])
            )
        made.append(
            GivenTree(
                who=who,
                name=real,
                bodies=bodies[real],
                home=home,
                was=home or (older.namespace if older else ""),
                older=own,
                full=full,
                common=find_common_labels((compile_objects(opened, older, who) if older else None) or []),
                because="" if who in dict(request.targets) else because,
            )
        )
    return made


def invert_trees(givens: Sequence[GivenTree], opened: OpenedKit) -> list[InvertedTree]:
    """Take every tree apart."""
    crds = [body["spec"] for given in givens for body in given.bodies if is_crd(body)]
    named = [
        DeclaredCrd(spec["group"], spec["names"], tuple(each["name"] for each in spec["versions"]))
        for spec in crds
    ]
    names = collect_resource_names([*list_declared_crds(opened.kit), *named])
    known = collect_apis(opened.kit)
    kinds = {Kind(each.group, version, each.names["kind"]) for each in named for version in each.versions}
    apis = Apis(known.minors, known.declared | kinds, names)
    prefix = find_name_prefix(body for given in givens for body in given.bodies)
    return name_operand_images([invert_tree(replace(each, prefix=prefix), names, apis) for each in givens])
