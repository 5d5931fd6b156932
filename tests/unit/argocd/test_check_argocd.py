"""What Argo CD would trip over, where that takes the folders that Applications lead to."""

from __future__ import annotations

from collections.abc import Mapping

from checking import CRD, RANGE, manifests

from kitgen.argocd.rules.applications import normalize_cluster, normalize_folder, normalize_repository
from kitgen.argocd.rules.owners import check_owners
from kitgen.check.context import CheckContext
from kitgen.check.engine import run_checks
from kitgen.findings import Finding

HERE = "https://kubernetes.default.svc"
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: words, namespace: web}\n"
QUEUE = (
    "apiVersion: example.com/v1\nkind: Queue\nmetadata: {name: a, namespace: web}\nspec: {size: 1, port: 1}\n"
)


def app(name: str, path: str, *, wave: str = "", at: str = f"server: {HERE}", more: str = "") -> str:
    note = f', annotations: {{argocd.argoproj.io/sync-wave: "{wave}"}}' if wave else ""
    return f"""
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd{note}}}
spec:
  project: team
  source: {{repoURL: "https://example.com/web.git", path: {path}{more}}}
  destination: {{{at}, namespace: web}}
"""


def found(text: str, folders: Mapping[str, str]) -> list[Finding]:
    """Check manifests, with the objects of folders in their repository."""
    there = {("example.com/web", path): manifests(each) for path, each in folders.items()}
    every = run_checks(CheckContext(targets={"": manifests(text)}, minors=RANGE, folders=there))
    return [each for each in every if each.rule.id.startswith("argocd-")]


def told(findings: list[Finding]) -> list[str]:
    return [f"{each.rule}: {each.message}" for each in findings]


def test_a_custom_resource_of_an_application_comes_after_its_crd() -> None:
    early = QUEUE.replace("metadata: {", 'metadata: {annotations: {argocd.argoproj.io/sync-wave: "-1"}, ')
    assert found(app("web", "apps/web"), {"apps/web": f"{CRD}---\n{QUEUE}"}) == []
    assert told(found(app("web", "apps/web"), {"apps/web": f"{CRD}---\n{early}"})) == [
        "argocd-wave: found wave -1, but CustomResourceDefinition/queues.example.com comes in wave 0"
    ]


def test_what_an_application_changes_is_not_known() -> None:
    early = QUEUE.replace("metadata: {", 'metadata: {annotations: {argocd.argoproj.io/sync-wave: "-1"}, ')
    folders = {"apps/web": f"{CRD}---\n{early}"}
    for more in (", kustomize: {namespace: a}", ", helm: {values: a}", ", directory: {include: a.yaml}"):
        assert found(app("web", "apps/web", more=more), folders) == []
    assert found(app("web", "apps/web", more=", kustomize: {images: [a]}"), folders) != []


def test_a_namespace_that_the_sync_makes_may_come_late() -> None:
    note = '{argocd.argoproj.io/sync-wave: "1"}'
    space = f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: web, annotations: {note}}}\n"
    text = app("web", "apps/web")
    assert told(found(text, {"apps/web": f"{space}---\n{MAP}"})) == [
        "argocd-wave: found wave 0, but Namespace/web comes in wave 1"
    ]
    made = text + "  syncPolicy: {syncOptions: [CreateNamespace=true]}\n"
    assert found(made, {"apps/web": f"{space}---\n{MAP}"}) == []


def test_applications_come_after_the_crds_that_they_need() -> None:
    folders = {"apps/crds": CRD, "apps/web": QUEUE}
    right = app("crds", "apps/crds", wave="0") + "---" + app("web", "apps/web", wave="1")
    wrong = app("crds", "apps/crds", wave="2") + "---" + app("web", "apps/web", wave="1")
    elsewhere = app("crds", "apps/crds", wave="2", at="name: far") + "---" + app("web", "apps/web", wave="1")
    assert found(right, folders) == found(elsewhere, folders) == []
    assert told(found(wrong, folders)) == [
        'argocd-wave: found wave 1, but "CustomResourceDefinition/queues.example.com", which its objects '
        "need, comes with Application/crds in wave 2"
    ]


def test_targets_of_one_cluster_are_told_once() -> None:
    owned = [["", "ConfigMap", "", "words"]]
    place, origin = "Application/odh /spec/destination", ["targets/odh.yaml", ["argocd"], 0, 0]
    odh, olm, far = (
        [[name, f"{name}/argocd", cluster, False, place, origin, owned]]
        for name, cluster in (("odh", HERE), ("olm", HERE), ("far", "https://far"))
    )
    [hit] = check_owners([odh, olm, far])
    assert (hit.finding.rule.id, hit.target, hit.place) == ("argocd-cluster", "olm/argocd", place)
    assert hit.finding.message == f'found that odh and olm both go to "{HERE}", and own the same objects'
    assert (
        hit.finding.hint == "both own 1 object, such as ConfigMap/words: kitgen conflicts odh olm lists them"
    )
    by_labels = [[[*app[:3], True, *app[4:]] for app in target] for target in (odh, olm)]
    assert [*check_owners(by_labels)] == []


def test_addresses_that_mean_the_same_are_equal() -> None:
    same = [
        "https://github.com/a/b.git",
        "https://u:p@GitHub.com:443/a/b/",
        "git@github.com:a/b.git",
        "ssh://git@github.com/a/b",
    ]
    assert {normalize_repository(each) for each in same} == {"github.com/a/b"}
    assert normalize_cluster(f"{HERE}/", "") == normalize_cluster("", "in-cluster") == HERE
    assert normalize_cluster("https://a", "") == "https://a"
    assert normalize_folder("./a//b/") == "a/b"
    assert normalize_folder(".") == ""
