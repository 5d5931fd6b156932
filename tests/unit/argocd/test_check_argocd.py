"""What Argo CD would trip over, where that takes the folders that Applications lead to."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import indent

import pytest
from checking import CRD, RANGE, manifests

from kitgen.argocd.rules.applications import cluster, folder, repository
from kitgen.argocd.rules.globs import matches
from kitgen.check.context import CheckContext, SyncedFolder
from kitgen.check.engine import check
from kitgen.findings import Finding

HERE = "https://kubernetes.default.svc"
PROJECT = """
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: team, namespace: argocd}
spec:
  sourceRepos: ["*"]
  destinations: [{server: "*", namespace: "*"}]
"""
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: words, namespace: web}\n"
ROLE = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: web}\nrules: []\n"
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


def found(text: str, folders: Mapping[str, str | SyncedFolder | None], target: str = "") -> list[Finding]:
    """Check manifests, with the objects of folders in their repository."""
    there = {
        ("example.com/web", path): SyncedFolder(objects=manifests(each)) if isinstance(each, str) else each
        for path, each in folders.items()
    }
    every = check(CheckContext(targets={target: manifests(text)}, minors=RANGE, folders=there))
    return [each for each in every if each.rule.id.startswith("argocd-") or each.rule.id == "size-directory"]


def told(findings: list[Finding]) -> list[str]:
    return [f"{each.rule}: {each.message}" for each in findings]


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ("", ["ClusterRole/web"]),
        ("clusterResourceWhitelist: []", ["ClusterRole/web"]),
        ('clusterResourceWhitelist: [{group: "*", kind: "*"}]', []),
        ('clusterResourceWhitelist: [{group: "rbac*", kind: ClusterRole*}]', []),
        ('clusterResourceWhitelist: [{group: "*", kind: ClusterRole, name: web}]', []),
        ('clusterResourceWhitelist: [{group: "*", kind: ClusterRole, name: "w?"}]', ["ClusterRole/web"]),
        ('{all}\n  clusterResourceBlacklist: [{group: "", kind: Node}]', []),
        ('{all}\n  clusterResourceBlacklist: [{group: "*", kind: ClusterRole}]', ["ClusterRole/web"]),
        ("{all}\n  namespaceResourceWhitelist: null", []),
        ("{all}\n  namespaceResourceWhitelist: []", ["ConfigMap/words"]),
        ('{all}\n  namespaceResourceWhitelist: [{group: "", kind: Secret}]', ["ConfigMap/words"]),
        ('{all}\n  namespaceResourceWhitelist: [{group: "", kind: Config*}]', []),
        ('{all}\n  namespaceResourceBlacklist: [{group: "", kind: ConfigMap}]', ["ConfigMap/words"]),
    ],
)
def test_kinds_that_a_project_permits(lists: str, expected: list[str]) -> None:
    said = lists.replace("{all}", 'clusterResourceWhitelist: [{group: "*", kind: "*"}]')
    text = f"{PROJECT}  {said}\n---{app('web', 'apps/web')}"
    findings = found(text, {"apps/web": f"{MAP}---\n{ROLE}"})
    assert [each.message.rpartition(" ")[2] for each in findings] == expected
    assert {each.rule.id for each in findings} <= {"argocd-project"}


def test_namespaces_of_objects_are_held_to_the_project() -> None:
    text = PROJECT.replace('namespace: "*"', "namespace: web") + "---" + app("web", "apps/web")
    elsewhere = MAP.replace("namespace: web", "namespace: other")
    assert found(text, {"apps/web": MAP.replace(", namespace: web", "")}) == []
    [finding] = found(text, {"apps/web": f"{MAP}---\n{elsewhere}"})
    assert finding.message == (
        'found 1 object in the namespace "other", such as ConfigMap/words, '
        "which AppProject/team does not permit"
    )


def test_what_an_application_changes_is_not_known() -> None:
    for more in (", kustomize: {namespace: a}", ", helm: {values: a}", ", directory: {include: a.yaml}"):
        text = f"{PROJECT}---{app('web', 'apps/web', more=more)}"
        assert [each for each in found(text, {"apps/web": ROLE}) if each.rule.id == "argocd-project"] == []


def test_a_custom_resource_of_an_application_comes_after_its_crd() -> None:
    early = QUEUE.replace("metadata: {", 'metadata: {annotations: {argocd.argoproj.io/sync-wave: "-1"}, ')
    assert found(app("web", "apps/web"), {"apps/web": f"{CRD}---\n{QUEUE}"}) == []
    assert told(found(app("web", "apps/web"), {"apps/web": f"{CRD}---\n{early}"})) == [
        "argocd-wave: found wave -1, but CustomResourceDefinition/queues.example.com comes in wave 0"
    ]


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


def test_an_object_has_one_application() -> None:
    both = {"apps/one": f"{MAP}---\n{ROLE}", "apps/two": ROLE}
    text = app("one", "apps/one") + "---" + app("two", "apps/two", at="name: in-cluster")
    assert told(found(text, both)) == [
        "argocd-owner: found 1 object that Application/one brings to the same cluster, "
        "such as ClusterRole/web"
    ]
    assert found(app("one", "apps/one") + "---" + app("two", "apps/two", at="name: far"), both) == []
    inside = MAP.replace(", namespace: web", "")
    moved = app("two", "apps/two").replace("namespace: web}", "namespace: other}")
    assert found(app("one", "apps/one") + "---" + moved, {"apps/one": inside, "apps/two": inside}) == []


def test_targets_of_one_cluster_are_told_once() -> None:
    folders = {("example.com/web", path): SyncedFolder(objects=manifests(MAP)) for path in ("odh", "olm")}
    targets = {f"{name}/argocd": manifests(app(name, name)) for name in ("odh", "olm")}
    [finding] = check(CheckContext(targets=targets, minors=RANGE, folders=folders))
    assert finding.rule.id == "argocd-cluster"
    assert finding.message == f'found that odh and olm both go to "{HERE}", and own the same objects'
    assert finding.hint == "both own 1 object, such as ConfigMap/words: kitgen conflicts odh olm lists them"


def test_a_path_leads_to_a_folder() -> None:
    text = app("web", "apps/wbe")
    assert found(text, {}) == []
    [finding] = found(text, {"apps/wbe": None, "apps/web": MAP})
    assert (finding.rule.id, finding.hint) == ("argocd-path", "did you mean 'apps/web'?")


def test_a_folder_is_read_as_it_is_meant() -> None:
    built = SyncedFolder(built="kustomization.yaml")
    assert found(app("web", "apps"), {"apps": built}) == []
    [finding] = found(app("web", "apps", more=", directory: {recurse: true}"), {"apps": built})
    assert (finding.rule.id, finding.message) == (
        "argocd-directory",
        "found directory, but the folder has a kustomization.yaml",
    )


@pytest.mark.parametrize(
    ("said", "large"),
    [
        ("", False),
        (", directory: {recurse: true}", True),
        (', directory: {recurse: true, exclude: "deep/*"}', False),
        (', directory: {recurse: true, include: "*.yaml"}', True),
        (', directory: {recurse: true, include: "{a,b}.yaml"}', False),
    ],
)
def test_a_plain_folder_is_not_too_large(said: str, large: bool) -> None:
    files = {"a.yaml": 6_000_000, "deep/c.yaml": 6_000_000}
    findings = found(app("web", "apps", more=said), {"apps": SyncedFolder(files=files)})
    assert [each.rule.id for each in findings] == (["size-directory"] if large else [])


@pytest.mark.parametrize(
    ("pattern", "text", "separated", "expected"),
    [
        ("*", "", False, True),
        ("a*c", "abbc", False, True),
        ("a*c", "ab/c", False, True),
        ("a*c", "ab/c", True, False),
        ("a**c", "ab/c", True, True),
        ("a?c", "abc", True, True),
        ("[ab]c", "bc", False, True),
        ("[!ab]c", "bc", False, False),
        ("[a-c]x", "bx", False, True),
        ("{a,b*}c", "bxc", False, True),
        ("{a,{b,c}}", "c", False, True),
        ("\\*", "*", False, True),
        ("[a", "a", False, None),
        ("{a", "a", False, None),
        ("{a,b}" * 9, "a", False, None),
        ("*a" * 100 + "b", "a" * 1000, False, False),
    ],
)
def test_globs(pattern: str, text: str, separated: bool, expected: bool | None) -> None:
    assert matches(pattern, text, separated=separated) is expected


def test_addresses_that_mean_the_same_are_equal() -> None:
    same = [
        "https://github.com/a/b.git",
        "https://u:p@GitHub.com:443/a/b/",
        "git@github.com:a/b.git",
        "ssh://git@github.com/a/b",
    ]
    assert {repository(each) for each in same} == {"github.com/a/b"}
    assert cluster(f"{HERE}/", "") == cluster("", "in-cluster") == (HERE, "in-cluster")
    assert cluster("https://a", "") == ("https://a", "")
    assert folder("./a//b/") == "a/b"
    assert folder(".") == ""


def test_what_is_secret_is_not_shown() -> None:
    text = app("web", "/swordfish").replace("https://", "https://bob:swordfish@")
    told_ = "".join(f"{each}" for each in found(PROJECT.replace('["*"]', "[]") + "---" + text, {}))
    assert "bob" not in told_


def test_many_elements_take_time_as_they_are_many() -> None:
    elements = indent("\n".join(f"- {{name: a{number}}}" for number in range(2_000)), " " * 6)
    text = f"""
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: a, namespace: argocd}}
spec:
  goTemplate: true
  generators:
  - list:
      elements:
{elements}
  template:
    metadata: {{name: "{{{{ .name }}}}"}}
    spec: {{project: "{{{{ .team }}}}", destination: {{server: a}}, source: {{repoURL: a}}}}
"""
    assert [each.rule.id for each in found(text, {})] == ["argocd-template"]


def test_an_opening_that_nothing_closes_is_told_with_its_line() -> None:
    text = """
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: a, namespace: argocd}
spec:
  goTemplate: true
  generators:
  - list: {elements: [{name: a}]}
  template:
    metadata: {name: "{{ .name"}
    spec: {project: a, destination: {server: a}, source: {repoURL: a}}
  templatePatch: |
    metadata:
      labels: {a: "{{ .name"}
"""
    told = sorted((each.message, each.hint) for each in found(text, {}) if each.rule.id == "argocd-template")
    message = "found an opening {{ that nothing closes"
    assert told == [(message, "add }}"), (f"{message} in line 2 of the template", "add }}")]
