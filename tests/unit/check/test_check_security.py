"""The Pod Security Standards, as the API server's own admission evaluates them."""

from __future__ import annotations

import pytest
from checking import bodies, manifest

from kitgen.check.context import CheckContext
from kitgen.check.security import objects as security
from kitgen.findings import format_pointer
from kitgen.text.yaml import Json, JsonObject

HARD: JsonObject = {
    "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
    "containers": [
        {
            "name": "web",
            "image": "example.com/web:v1",
            "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        }
    ],
}


def pod(way: str = "", value: Json = None, annotations: JsonObject | None = None) -> JsonObject:
    """Return a hardened pod with one field of its spec changed; None takes it away."""
    text = HARD | {"securityContext": dict(HARD["securityContext"])}
    text["containers"] = [
        {**each, "securityContext": dict(each["securityContext"])} for each in HARD["containers"]
    ]
    place: Json = text
    *steps, last = way.split("/")
    for step in steps:
        place = place[int(step)] if isinstance(place, list) else place.setdefault(step, {})
    if way and value is None:
        del place[last]
    elif way:
        place[last] = value
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "namespace": "apps", "annotations": annotations or {}},
        "spec": text,
    }


def found(body: JsonObject, minor: int = 32, *others: JsonObject) -> dict[str, str]:
    """Return the rules of the standard that a pod breaks, and where."""
    objects = [manifest(each) for each in (*others, body)]
    hits = security.check(CheckContext(targets={"": objects}, minors=(minor,)))
    levels = ("pod-baseline", "pod-restricted", "pod-refused")
    return {
        each.problem.rule.id: format_pointer(each.problem.path).removeprefix("/spec/")
        for each in hits
        if each.problem.rule.id in levels
    }


WEB = "containers/0"
OWN = f"{WEB}/securityContext"
EXTRA: JsonObject = {"name": "extra", "image": "example.com/extra:v1"}
SAFE: JsonObject = {**EXTRA, "securityContext": HARD["containers"][0]["securityContext"]}


def test_a_hardened_pod_keeps_to_all() -> None:
    assert found(pod()) == {}


@pytest.mark.parametrize(
    ("way", "value", "where"),
    [
        ("hostNetwork", True, "hostNetwork"),
        ("hostPID", True, "hostPID"),
        ("hostIPC", True, "hostIPC"),
        ("volumes", [{"name": "a", "hostPath": {"path": "/"}}], "volumes/0/hostPath"),
        (f"{OWN}/privileged", True, f"{OWN}/privileged"),
        (f"{WEB}/ports", [{"containerPort": 80, "hostPort": 80}], f"{WEB}/ports/0/hostPort"),
        (f"{OWN}/procMount", "Unmasked", f"{OWN}/procMount"),
        (f"{OWN}/seccompProfile", {"type": "Unconfined"}, f"{OWN}/seccompProfile/type"),
        ("securityContext/seccompProfile", {"type": "Unconfined"}, "securityContext/seccompProfile/type"),
        ("securityContext/seLinuxOptions", {"type": "spc_t"}, "securityContext/seLinuxOptions/type"),
        (f"{OWN}/seLinuxOptions", {"user": "system_u"}, f"{OWN}/seLinuxOptions/user"),
        (f"{OWN}/seLinuxOptions", {"role": "system_r"}, f"{OWN}/seLinuxOptions/role"),
        ("securityContext/sysctls", [{"name": "kernel.msgmax"}], "securityContext/sysctls/0/name"),
        (f"{OWN}/appArmorProfile", {"type": "Unconfined"}, f"{OWN}/appArmorProfile/type"),
        (f"{OWN}/windowsOptions", {"hostProcess": True}, f"{OWN}/windowsOptions/hostProcess"),
    ],
)  # fmt: skip
def test_what_breaks_baseline(way: str, value: Json, where: str) -> None:
    assert found(pod(way, value)) == {"pod-baseline": where}


@pytest.mark.parametrize(
    ("way", "value"),
    [
        ("hostNetwork", False),
        (f"{WEB}/ports", [{"containerPort": 80, "hostPort": 0}]),
        (f"{OWN}/procMount", "Default"),
        (f"{OWN}/seccompProfile", {"type": "Localhost", "localhostProfile": "a"}),
        ("securityContext/seLinuxOptions", {"type": "container_engine_t", "level": "s0"}),
        ("securityContext/sysctls", [{"name": "net.ipv4.tcp_rmem", "value": "1"}]),
        (f"{OWN}/appArmorProfile", {"type": "RuntimeDefault"}),
        (f"{OWN}/capabilities", {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}),
        ("volumes", [{"name": "a"}, {"name": "b", "secret": {"secretName": "b"}}]),
        (f"{OWN}/runAsUser", 1000),
        (f"{OWN}/runAsNonRoot", True),
        ("initContainers", [SAFE]),
        ("hostUsers", False),
    ],
)
def test_what_keeps_to_all(way: str, value: Json) -> None:
    assert found(pod(way, value)) == {}


@pytest.mark.parametrize(
    ("way", "value", "where"),
    [
        ("volumes", [{"name": "a", "nfs": {"server": "a", "path": "/"}}], "volumes/0/nfs"),
        (f"{OWN}/allowPrivilegeEscalation", None, OWN),
        (f"{OWN}/allowPrivilegeEscalation", True, f"{OWN}/allowPrivilegeEscalation"),
        (f"{OWN}/capabilities", {"drop": ["KILL"]}, f"{OWN}/capabilities/drop/0"),
        (f"{OWN}/capabilities", {"drop": ["ALL"], "add": ["CHOWN"]}, f"{OWN}/capabilities/add/0"),
        ("securityContext/runAsNonRoot", None, "securityContext"),
        ("securityContext/runAsNonRoot", False, "securityContext/runAsNonRoot"),
        (f"{OWN}/runAsNonRoot", False, f"{OWN}/runAsNonRoot"),
        ("securityContext/runAsUser", 0, "securityContext/runAsUser"),
        (f"{OWN}/runAsUser", 0, f"{OWN}/runAsUser"),
        ("securityContext/seccompProfile", None, "securityContext"),
        ("initContainers", [EXTRA], "initContainers/0"),
        ("ephemeralContainers", [EXTRA], "ephemeralContainers/0"),
    ],
)  # fmt: skip
def test_what_breaks_restricted(way: str, value: Json, where: str) -> None:
    assert found(pod(way, value)) == {"pod-restricted": where}


def test_a_container_can_say_what_its_pod_does_not() -> None:
    body = pod("securityContext", None)
    assert found(body) == {"pod-restricted": OWN}
    body["spec"]["containers"][0]["securityContext"] |= {
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert found(body) == {}
    body["spec"]["containers"].append(SAFE)
    assert found(body) == {"pod-restricted": "containers/1/securityContext"}


def test_a_pod_that_may_run_as_root_does_whatever_its_containers_say() -> None:
    body = pod("securityContext/runAsNonRoot", False)
    body["spec"]["containers"][0]["securityContext"]["runAsNonRoot"] = True
    assert found(body) == {"pod-restricted": "securityContext/runAsNonRoot"}


def test_profiles_in_annotations_count() -> None:
    key = "container.apparmor.security.beta.kubernetes.io/web"
    assert found(pod(annotations={key: "localhost/web"})) == {}
    where = "/metadata/annotations/" + key.replace("/", "~1")
    assert found(pod(annotations={key: "unconfined"})) == {"pod-baseline": where}


def test_windows_has_no_such_settings() -> None:
    bare = {"os": {"name": "windows"}, "containers": [EXTRA], "securityContext": {"runAsNonRoot": True}}
    body = {**pod(), "spec": bare}
    assert found(body) == {}
    assert found({**body, "spec": {**bare, "os": {"name": "linux"}}}).keys() == {"pod-restricted"}


def test_the_standard_changes_with_minors() -> None:
    sysctl = pod("securityContext/sysctls", [{"name": "net.ipv4.tcp_rmem", "value": "1"}])
    assert [list(found(sysctl, minor)) for minor in (31, 32)] == [["pod-baseline"], []]
    probe = pod(f"{WEB}/livenessProbe", {"httpGet": {"port": 80, "host": "example.com"}})
    assert [list(found(probe, minor)) for minor in (33, 34)] == [[], ["pod-baseline"]]
    own = pod(f"{OWN}/procMount", "Unmasked")
    own["spec"] |= {"hostUsers": False}
    assert [list(found(own, minor)) for minor in (34, 35)] == [["pod-baseline"], ["pod-restricted"]]
    root = pod("securityContext/runAsUser", 0)
    root["spec"] |= {"hostUsers": False}
    assert [list(found(root, minor)) for minor in (34, 35)] == [["pod-restricted"], []]


def namespace(level: Json, version: Json = None) -> JsonObject:
    labels = {"pod-security.kubernetes.io/enforce": level}
    if version is not None:
        labels["pod-security.kubernetes.io/enforce-version"] = version
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "apps", "labels": labels}}


def test_a_namespace_that_enforces_a_level_refuses_pods() -> None:
    lax, bad = pod("securityContext/seccompProfile", None), pod("hostNetwork", True)
    assert found(lax, 32, namespace("restricted")) == {"pod-refused": "securityContext"}
    assert found(lax, 32, namespace("baseline")) == {"pod-restricted": "securityContext"}
    assert found(bad, 32, namespace("baseline")) == {"pod-refused": "hostNetwork"}
    assert found(bad, 32, namespace("privileged")) == {}
    assert found(pod(), 32, namespace("restricted")) == {}


@pytest.mark.parametrize("level", ["strict", 3, None, ["restricted"]])
def test_a_level_that_is_none_enforces_nothing(level: Json) -> None:
    assert found(pod("hostNetwork", True), 32, namespace(level)) == {"pod-baseline": "hostNetwork"}


def test_a_namespace_may_enforce_an_older_wording() -> None:
    sysctl = pod("securityContext/sysctls", [{"name": "net.ipv4.tcp_rmem", "value": "1"}])
    assert found(sysctl, 32, namespace("baseline", "v1.31")).keys() == {"pod-refused"}
    assert found(sysctl, 32, namespace("baseline", "latest")) == {}
    silent = pod("securityContext/seccompProfile", None)
    assert found(silent, 32, namespace("restricted", "v1.18")) == {"pod-restricted": "securityContext"}


def test_the_message_tells_all_reasons() -> None:
    body = {**pod(), "spec": {"containers": [EXTRA]}}
    [hit] = (
        each
        for each in security.check(CheckContext(targets={"": [manifest(body)]}, minors=(32,)))
        if each.problem.rule.id == "pod-restricted"
    )
    assert hit.problem.message == (
        'found no runAsNonRoot, allowPrivilegeEscalation not false in the container "extra", capabilities not'
        ' dropped (ALL) in the container "extra" and no seccompProfile, expected a pod that keeps to the'
        " level restricted of the Pod Security Standards"
    )


@pytest.mark.parametrize(
    "text", ["[]", "text", "{a: [1]}", "[[1], text, {name: 3}]", "3", "null", "{}", "[{}, {type: []}]"]
)
def test_values_of_any_shape_are_looked_at(text: str) -> None:
    [odd] = bodies(f"- {text}")[0] or [None]
    keys = (
        *("securityContext", "containers", "initContainers", "volumes", "os", "resources", "hostNetwork"),
        *(f"{WEB}/{key}" for key in ("securityContext", "ports", "env", "resources", "volumeMounts")),
        *(f"{OWN}/{key}" for key in ("capabilities", "seccompProfile", "seLinuxOptions", "procMount")),
        *(f"securityContext/{key}" for key in ("sysctls", "seLinuxOptions", "runAsUser", "windowsOptions")),
    )
    for key in keys:
        body = pod(key, odd if odd is not None else 0)
        list(security.check(CheckContext(targets={"": [manifest(body)]}, minors=(35,))))
    limits = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"namespace": "apps"},
        "spec": {"limits": odd},
    }
    list(security.check(CheckContext(targets={"": [manifest(pod()), manifest(limits)]}, minors=(35,))))
