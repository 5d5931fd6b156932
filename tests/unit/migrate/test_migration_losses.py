"""What would lose data is refused, and what a migration means to take away is not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from old_kinds import KINDS, NEW, OLD, key, manifests
from some import rows

from kitgen.findings import Cause, CauseKind, Origin, format_pointer
from kitgen.kit.model.migration import Phase, Policy
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.migrate.kinds import MovedKinds
from kitgen.migrate.rules.keys import check_renamed_keys
from kitgen.migrate.rules.losses import PhaseObjects, check_data_loss
from kitgen.text.yaml import Json

CRD = """
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.GROUP, annotations: {argocd.argoproj.io/sync-options: "OPTIONS"}}
spec:
  group: GROUP
  names: {kind: Widget, plural: widgets}
  versions: [{name: v1, served: true, storage: true}]
"""
BARE = CRD.replace("GROUP", "OLD").replace("OPTIONS", "")
GUARDED = CRD.replace("GROUP", "OLD").replace("OPTIONS", "ServerSideApply=true,Prune=false")
FRESH = CRD.replace("GROUP", "NEW").replace("OPTIONS", "")
ROLE = """
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: manager}
rules: [{apiGroups: [GROUPS], resources: [widgets], verbs: [get, list, delete]}]
"""
BOTH, ONLY_NEW, ONLY_OLD = (ROLE.replace("GROUPS", each) for each in ("OLD, NEW", "NEW", "OLD"))
CSV = """
---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: hello.vVERSION}
spec:
  install:
    spec: {clusterPermissions: [{rules: [{apiGroups: [GROUPS], resources: [widgets], verbs: ["*"]}]}]}
"""
GADGET = """
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.OLD}
spec: {group: OLD, names: {kind: Gadget, plural: gadgets}, versions: [VERSIONS]}
status: {storedVersions: [STORED]}
"""
OF_V1 = GADGET.replace("VERSIONS", "{name: v1, served: true, storage: true}").replace("STORED", "")
OF_BOTH = GADGET.replace(
    "VERSIONS", "{name: v2, served: true, storage: true}, {name: v1, served: true, storage: false}"
)
OF_V2 = GADGET.replace("VERSIONS", "{name: v2, served: true, storage: true}").replace("STORED", "")


DOODAD = BARE.replace("widgets", "doodads").replace("Widget", "Doodad")
READ, READ_BY_ANOTHER = (
    ROLE.replace("GROUPS", "OLD").replace("[widgets]", "[doodads]").replace("manager", each)
    for each in ("manager", "mover")
)
NOTHING = ROLE.replace("GROUPS", "OLD").replace("[widgets]", "[others]")


def lost(
    now: str, before: str | None = None, phase: Phase | None = None, kinds: MovedKinds = KINDS
) -> list[tuple[str, str]]:
    there = None if before is None else manifests(before)
    held = PhaseObjects(kinds=kinds, now=manifests(now), before=there, phase=phase)
    found = [*check_data_loss(held)]
    assert {problem.rule.id for _, problem in found} <= {"migration-loss"}
    return [(format_pointer(problem.path), problem.message) for _, problem in found]


@rows(
    ("now", "before", "phase"),
    [
        (BARE + FRESH + BOTH, None, None),
        (FRESH + ONLY_NEW, None, None),
        (FRESH + ONLY_NEW, None, Phase.AFTER),
        (FRESH + ONLY_NEW, GUARDED + FRESH + BOTH, None),
        (FRESH + ONLY_NEW, GUARDED + FRESH + BOTH, Phase.AFTER),
        (GUARDED + FRESH + BOTH, BARE + ONLY_OLD, Phase.SWITCH),
        (OF_BOTH.replace("STORED", ""), OF_V1, None),
        (OF_V2, OF_BOTH.replace("STORED", "v2"), None),
        (OF_V2, None, Phase.AFTER),
        (ROLE.replace("GROUPS", "NEW"), None, None),
        ("", BOTH, None),
        (DOODAD + READ, DOODAD + READ, None),
        (DOODAD + NOTHING + READ_BY_ANOTHER, DOODAD + READ, Phase.READ_ONLY),
        (FRESH, DOODAD.replace('""', '"Prune=false"'), Phase.AFTER),
    ],
)
def test_what_the_migration_means_is_no_loss(now: str, before: str | None, phase: Phase | None) -> None:
    assert lost(now, before, phase) == []


@rows(("now", "before", "phase", "path", "message"), [
        (FRESH + ONLY_NEW, BARE + FRESH, None, "", "before and not any more: nothing keeps whoever prunes"),
        (FRESH + ONLY_NEW, GUARDED, Phase.MIGRATE, "", "before and not any more: the phase migrate needs it"),
        (FRESH, None, Phase.SWITCH, "/spec", "but the phase switch needs both"),
        (FRESH + BOTH, None, None, "/rules/0/apiGroups/0", "the old kind is still named in a rule"),
        (
            FRESH + "---\n{apiVersion: OLD/v1, kind: Widget, metadata: {name: a}}",
            None,
            None,
            "/apiVersion",
            "still named as the kind of an object",
        ),
        (BARE.replace("served: true", "served: false"), None, None, "/spec/versions/0/served", "not served"),
        (BARE.replace("served: true, ", ""), None, None, "/spec/versions/0", "not served"),
        (BARE.replace("name: v1", "name: v2"), None, None, "/spec/versions", "without v1, but resources may"),
        (BARE.replace("name: v1", "name: v2"), BARE, None, "/spec/versions", "without v1, but resources are"),
        (OF_V2, OF_V1, None, "/spec/versions", "without v1, but resources are stored in it"),
        (OF_V2, OF_BOTH.replace("STORED", "v1, v2"), None, "/spec/versions", "without v1"),
        (OF_V2, None, Phase.READ_ONLY, "/spec/versions", "without v1, but resources may be stored in it"),
        (FRESH, DOODAD, None, "", "before and not any more: nothing keeps whoever prunes"),
        (DOODAD + NOTHING, DOODAD + READ, None, "/rules/0", "its resources may not be read"),
        (BARE + FRESH + ONLY_NEW, None, None, "/rules/0", "its resources may not be read"),
        (BARE + FRESH + ONLY_NEW, BARE + ONLY_OLD, None, "/rules/0", "its resources may not be read"),
        (
            BARE + CSV.replace("VERSION", "2").replace("GROUPS", "NEW"),
            BARE + CSV.replace("VERSION", "1").replace("GROUPS", "OLD"),
            None,
            "/spec/install/spec/clusterPermissions/0/rules/0",
            "its resources may not be read",
        ),
    ])  # fmt: skip
def test_what_loses_data_is_refused(
    now: str, before: str | None, phase: Phase | None, path: str, message: str
) -> None:
    (one,) = lost(now, before, phase)
    assert (one[0], message in one[1]) == (path, True), one


KEPT = MovedKinds(old=KINDS.old, keys=(key(f"widget.{OLD}"),))
TWICE = MovedKinds(old=KINDS.old, keys=(key(f"{OLD}/widget", Policy.BOTH, "new/widget"),))
MOVES = MovedKinds(old=KINDS.old, keys=(key(f"{OLD}/widget", Policy.MOVE, f"{NEW}/widget"),))
LABELLED = "{apiVersion: v1, kind: Pod, metadata: {labels: {KEYS}}}"


def keys(text: str, kinds: MovedKinds, before: str = "") -> list[str]:
    was = manifests(before)[0].body if before else None
    found = [*check_renamed_keys(manifests(text)[0].body, kinds, was)]
    assert {each.rule.id for each in found} <= {"migration-key-rewritten"}
    return [format_pointer(each.path) for each in found]


@rows(
    ("text", "kinds", "path"),
    [
        (LABELLED.replace("KEYS", "widget.NEW: a"), KEPT, f"/metadata/labels/widget.{NEW}"),
        (LABELLED.replace("KEYS", "widget.NEW/x: a"), KEPT, f"/metadata/labels/widget.{NEW}~1x"),
        (LABELLED.replace("KEYS", "new/widget: a"), TWICE, "/metadata/labels/new~1widget"),
        (
            "{apiVersion: v1, kind: Service, spec: {selector: {widget.NEW: a}}}",
            KEPT,
            f"/spec/selector/widget.{NEW}",
        ),
        (
            "{apiVersion: apps/v1, kind: A, spec: {selector: {matchExpressions: [{key: widget.NEW}]}}}",
            KEPT,
            "/spec/selector/matchExpressions/0/key",
        ),
        ("{apiVersion: v1, kind: Pod, metadata: {finalizers: [widget.NEW]}}", KEPT, "/metadata/finalizers/0"),
    ],
)
def test_a_key_that_was_rewritten_is_told(text: str, kinds: MovedKinds, path: str) -> None:
    assert keys(text, kinds) == [path]


@rows(
    ("text", "kinds"),
    [
        (LABELLED.replace("KEYS", "widget.OLD: a, widget.NEW: a"), KEPT),
        (LABELLED.replace("KEYS", "OLD/widget: a, new/widget: a"), TWICE),
        (LABELLED.replace("KEYS", "NEW/widget: a"), MOVES),
        (LABELLED.replace("KEYS", "widget.NEW: a"), KINDS),
        (LABELLED.replace("KEYS", "other.NEW: a"), KEPT),
        ("{apiVersion: v1, kind: ConfigMap, data: {widget.NEW: a}}", KEPT),
    ],
)
def test_a_key_that_may_be_there_is_not(text: str, kinds: MovedKinds) -> None:
    assert keys(text, kinds) == []


def test_a_key_that_nobody_decided_on_is_told_if_it_was_another_before() -> None:
    was, now = (LABELLED.replace("KEYS", f"{each}/some: a") for each in ("OLD", "NEW"))
    assert keys(now, KINDS, was) == [f"/metadata/labels/{NEW}~1some"]
    assert keys(now, KINDS, now) == []
    moves = MovedKinds(old=KINDS.old, keys=(key(f"{OLD}/some", Policy.MOVE, f"{NEW}/some"),))
    assert keys(now, moves, was) == []


WORDS = st.sampled_from(
    [
        *("spec", "metadata", "labels", "selector", "finalizers", "matchExpressions", "key", "versions"),
        *("rules", OLD, NEW),
        *("annotations", "name", "served", "storage", "group", "names", "kind", "apiVersion", "apiGroups"),
        *("resources", "verbs", "status", "storedVersions", "ClusterRole", "rbac.authorization.k8s.io/v1"),
        *("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"widgets.{OLD}", f"widget.{NEW}", "v1"),
        *("argocd.argoproj.io/sync-options", "widgets", "get"),
    ]
)  # fmt: skip
ANYTHING = st.recursive(
    WORDS | st.none() | st.booleans() | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=20,
)
CRDS = st.fixed_dictionaries(
    {
        "apiVersion": st.just("apiextensions.k8s.io/v1"),
        "kind": st.just("CustomResourceDefinition"),
        "metadata": st.fixed_dictionaries(
            {"name": st.sampled_from([f"widgets.{OLD}", f"gadgets.{OLD}"]), "annotations": ANYTHING}
        ),
        "spec": ANYTHING | st.fixed_dictionaries({"versions": ANYTHING}),
    },
    optional={"status": ANYTHING},
)
BODIES = st.lists(CRDS | st.dictionaries(WORDS, ANYTHING, max_size=5), max_size=4)


@given(BODIES, BODIES | st.none(), st.sampled_from([None, *Phase]))
def test_objects_of_any_shape_are_taken(
    now: list[dict[str, Json]], before: list[dict[str, Json]] | None, phase: Phase | None
) -> None:
    source = FieldSource(path=(), cause=Cause(CauseKind.MANIFEST), origin=Origin("x.yaml"), verbatim=True)
    some = [Manifest(body=each, sources=(source,)) for each in now]
    was = None if before is None else [Manifest(body=each, sources=(source,)) for each in before]
    for manifest, problem in check_data_loss(PhaseObjects(kinds=KEPT, now=some, before=was, phase=phase)):
        assert manifest in [*some, *(was or [])]
        assert problem.hint
    for index, each in enumerate(some):
        old = was[index].body if was and index < len(was) else None
        assert all(problem.path for problem in check_renamed_keys(each.body, KEPT, old))
