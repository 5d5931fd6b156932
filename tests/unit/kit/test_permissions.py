"""Verbs and groups of permissions: known ones pass, custom ones are odd, misspelt ones are wrong."""

from __future__ import annotations

from some import rows

from kitgen.findings import Origin
from kitgen.kit.apis import Apis
from kitgen.kit.crd_names import DeclaredResources
from kitgen.kit.model import ComponentPart, Layer, SectionItem
from kitgen.kit.permissions import check_permissions
from kitgen.kube.definitions import Kind

APIS = Apis((30,), frozenset({Kind("example.com", "v1", "Greeting")}), DeclaredResources())


def found(key: str, verbs: str) -> list[str]:
    layer = Layer(data={"permissions": {key: verbs}}, origin=Origin("x"))
    part = ComponentPart({"roles": (SectionItem(name="role", layers=(layer,)),)})
    return [finding.rule.id for finding in check_permissions([part], APIS)]


@rows(
    ("key", "verbs"),
    [
        ("core/pods", "*"),
        ("core/pods,pods/log", "manage deletecollection"),
        ("*/*", "read"),
        ("rbac.authorization.k8s.io/clusterroles[admin]", "bind escalate"),
        ("certificates.k8s.io/signers", "approve attest sign"),
        ("core/serviceaccounts/token", "create"),
        ("extensions/ingresses", "get"),
        ("elsewhere.example.org/greeting", "get"),
        ("example.com/*", "get"),
        ("core/kube-scheduler", "get"),
        ("/healthz", "get head options"),
        ("core/groups,users", "impersonate"),
        ("authentication.k8s.io/uids,userextras/scopes", "impersonate"),
        ("resource.k8s.io/resourceclaimparameters", "get"),
        ("metrics.k8s.io/nodes,pods", "read"),
        ("custom.metrics.k8s.io/*", "*"),
        ("security.openshift.io/securitycontextconstraints[anyuid]", "use"),
    ],
)
def test_what_is_right(key: str, verbs: str) -> None:
    assert found(key, verbs) == []


@rows(
    ("key", "verbs", "want"),
    [
        ("core/pods", "manag", "verb-misspelt"),
        ("core/pods", "gets", "verb-misspelt"),
        ("core/pods", "post", "verb-misspelt"),
        ("/metrics", "list", "verb-misspelt"),
        ("/metrics", "manage", "verb-misspelt"),
        ("core/pods", "release", "verb-unknown"),
        ("core/pods", "mount", "verb-unknown"),
        ("example.org/projects", "updatepsa", "verb-unknown"),
        ("example.org/jobs", "pause", "verb-unknown"),
        ("example.org/jobs", "scale", "verb-unknown"),
        ("example.org/jobs", "match", "verb-unknown"),
        ("example.org/jobs", "assign", "verb-unknown"),
        ("v1/events", "get", "group-unknown"),
        ("networking/ingresses", "get", "group-unknown"),
        ("nothing/like-it", "get", "group-unknown"),
        ("apps/v1/deployments", "get", "resource-misspelt"),
        ("netwroking.k8s.io/ingresses", "get", "group-unknown"),
        ("exmple.com/greetings", "get", "group-unknown"),
        ("apps/deployment", "get", "resource-misspelt"),
        ("networking.k8s.io/networkpolicy", "get", "resource-misspelt"),
        ("core/persistantvolumeclaims", "get", "resource-misspelt"),
        ("core/Pods", "get", "resource-misspelt"),
        ("certificates.k8s.io/podcertificaterequests", "get", "resource-unknown"),
        ("example.com/regreetings", "get", "resource-unknown"),
        ("example.com/greetngs/status", "get", "resource-misspelt"),
    ],
)
def test_what_is_wrong(key: str, verbs: str, want: str) -> None:
    assert found(key, verbs) == [want]
