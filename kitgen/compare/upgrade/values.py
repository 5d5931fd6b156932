"""Compare two values as an API server does: what it fills in by itself is no change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kitgen.findings import Path
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import PodView, pod_at, pods_of
from kitgen.kube.quantities import is_same_quantity
from kitgen.kube.rbac.access import BUNDLED, INSTALLED
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at
from kitgen.text.wording import describe_value, text_of
from kitgen.text.yaml import Json, JsonObject

PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
CONTAINER = {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}
DEFAULTS: dict[str, JsonObject] = {
    "spec": {
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "terminationGracePeriodSeconds": 30,
        "volumeMode": "Filesystem",
    },
    "containers": CONTAINER,
    "initContainers": CONTAINER,
    "ephemeralContainers": CONTAINER,
    "ports": {"protocol": "TCP"},
    "livenessProbe": PROBE,
    "readinessProbe": PROBE,
    "startupProbe": PROBE,
    "httpGet": {"path": "/", "scheme": "HTTP"},
    "fieldRef": {"apiVersion": "v1"},
    "configMap": {"defaultMode": 420},
    "downwardAPI": {"defaultMode": 420},
    "projected": {"defaultMode": 420},
    "secret": {"defaultMode": 420},
    "serviceAccountToken": {"expirationSeconds": 3600},
    "resourceFieldRef": {"divisor": "0"},
    "volumeClaimTemplates": {"apiVersion": "v1", "kind": "PersistentVolumeClaim"},
    "roleRef": {"apiGroup": "rbac.authorization.k8s.io"},
}
"""Name of the field that holds a mapping → what the server fills into it."""
EMPTY = frozenset(
    {
        *("fsType", "hostIP", "hostIPC", "hostname", "hostNetwork", "hostPID", "hostPort"),
        *("initialDelaySeconds", "medium", "nodeName", "partition", "priorityClassName", "readOnly"),
        *("serviceAccountName", "serviceName", "stdin", "stdinOnce", "subdomain", "subPath", "subPathExpr"),
        *("tty", "type", "value", "volumeName", "workingDir"),
    }
)
"""Fields that mean the same when they are left out as when they are false, 0 or an empty text."""
DEPLOYED = (*INSTALLED, "deployments")
"""Where a bundle has the Deployments that it makes."""
UNSEEN = frozenset({"creationTimestamp", "serviceAccount", "status"})
AMOUNTS = frozenset({"requests", "limits", "capacity", "overhead"})
LONGEST = 320
LATEST = compile_late(r"(?:^|/)[^/:@]+(?::latest)?\Z")


class ChangedValue(NamedTuple):
    """A place that is not as it was."""

    path: Path
    was: Json
    now: Json


def find_changed_values(
    was: Json, now: Json, path: Path = (), *, live: bool = False
) -> Iterator[ChangedValue]:
    """Yield every place where a value is not as it was.

    A live object has fields that no manifest has: what only it says is no change.
    """
    todo: list[ChangedValue] = [ChangedValue(path, was, now)]
    while todo:
        at = todo.pop()
        if live and at.now is None:
            continue
        if isinstance(at.was, dict | None) and isinstance(at.now, dict | None):
            todo += reversed([*_pair_fields(at.path, at.was or {}, at.now or {})])
        elif isinstance(at.was, list | None) and isinstance(at.now, list | None):
            old, new = at.was or [], at.now or []
            if len(old) != len(new):
                yield at
            else:
                todo += [ChangedValue((*at.path, i), old[i], new[i]) for i in reversed(range(len(old)))]
        elif not _is_same_value(at):
            yield at


def _pair_fields(path: Path, was: JsonObject, now: JsonObject) -> Iterator[ChangedValue]:
    """Yield what a mapping holds, with what the server fills in."""
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    defaults = DEFAULTS.get(name, {})
    if name == "resources":
        was, now = _add_default_requests(was), _add_default_requests(now)
    for key in dict.fromkeys([*now, *was]):
        old, new = (_value_or_default(side, key, defaults) for side in (was, now))
        if old is not new and key not in UNSEEN:
            yield ChangedValue((*path, key), old, new)


def _value_or_default(side: JsonObject, key: str, defaults: JsonObject) -> Json:
    value = side.get(key)
    unset = value is None or value == "" or (value == 0 and key in PROBE)
    if unset and key == "imagePullPolicy":
        return default_pull_policy(side.get("image"))
    return defaults.get(key, value) if unset else value


def default_pull_policy(image: Json) -> str:
    """Return when servers have an image pulled where no manifest says it: always if its tag moves."""
    return "Always" if isinstance(image, str) and LATEST.search(image) else "IfNotPresent"


def _add_default_requests(resources: JsonObject) -> JsonObject:
    """Return resources with the requests that the server takes from the limits."""
    limits, requests = resources.get("limits"), resources.get("requests")
    if not isinstance(limits, dict) or not isinstance(requests, dict | None):
        return resources
    return {**resources, "requests": {**limits, **(requests or {})}}


def _is_same_value(at: ChangedValue) -> bool:
    was, now, step = at.was, at.now, at.path[-1] if at.path else ""
    if was is None or now is None:
        return step in EMPTY and not (was or now)
    if type(was) is type(now) and was == now:
        return True
    holder = at.path[-2] if len(at.path) > 1 else ""
    return (holder in AMOUNTS or step in ("sizeLimit", "divisor")) and is_same_quantity(
        _strip_amount(was), _strip_amount(now)
    )


def _strip_amount(value: Json) -> Json:
    """Return an amount without the blanks around it, which a server does not count."""
    return value.strip() if isinstance(value, str) else value


def shorten_text(text: object) -> str:
    """Write a name or a message as it is, unless it is longer than any name may be."""
    said = str(text)
    return said if len(said) <= LONGEST else said[:LONGEST] + "…"


def format_value(value: Json) -> str:
    """Write a value in few words."""
    if isinstance(value, dict) and value and all(isinstance(each, str) for each in value.values()):
        return describe_value(", ".join([f"{key}={each}" for key, each in value.items()]))
    return describe_value(value)


def list_named_pods(body: JsonObject) -> Iterator[tuple[str, PodView]]:
    """Yield the pods that an object makes; a bundle makes several, by the names of deployments."""
    manifest = Manifest(body=body, sources=())
    yield from (("", pod) for pod in pods_of((manifest,)))
    if (manifest.id.group, manifest.id.kind) == BUNDLED:
        for index, each in entries_at(body, *DEPLOYED):
            if (pod := pod_at(manifest, (*DEPLOYED, index, "spec", "template"))) is not None:
                yield text_of(each.get("name")), pod
