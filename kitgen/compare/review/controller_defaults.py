"""What clusters fill into live objects by what else is there: limits, the host's network, an autoscaler."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from collections.abc import Callable, Iterable
from copy import deepcopy

from kitgen.kube.identity import ObjectId, split_api_version
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import TEMPLATES, containers_of
from kitgen.kube.quantities import is_same_quantity
from kitgen.text.values import entries_at, map_at, value_at
from kitgen.text.wording import text_of
from kitgen.text.yaml import Json, JsonObject

SCALER = ("autoscaling", "HorizontalPodAutoscaler")
GIVEN = ("-dockercfg-", "-token-")
"""What the names of secrets have in them that controllers give to accounts."""


def find_scaled_objects(manifests: Iterable[Manifest]) -> frozenset[ObjectId]:
    """Return the objects of which autoscalers say how many pods they have."""
    found = set()
    for each in manifests:
        to = value_at(each.body, "spec", "scaleTargetRef")
        if (each.id.group, each.id.kind) == SCALER and isinstance(to, dict):
            group = split_api_version(text_of(to.get("apiVersion", "")))[0]
            found.add(ObjectId(group, text_of(to.get("kind")), each.id.namespace, text_of(to.get("name"))))
    return frozenset(found)


def drop_controller_defaults(live: JsonObject, wanted: JsonObject, *, is_scaled: bool) -> JsonObject:
    """Return a live object without what was taken from elsewhere, in it or beside it."""
    name = ObjectId.of(live)
    kind = (name.group, name.kind)
    found: JsonObject = {**live}
    spec = map_at(live, "spec")
    if is_scaled and spec and value_at(wanted, "spec", "replicas") is None:
        found["spec"] = {key: value for key, value in spec.items() if key != "replicas"}
    if kind in TEMPLATES:
        found = deepcopy(found)
        _drop_pod_defaults(map_at(found, *TEMPLATES[kind], "spec"), map_at(wanted, *TEMPLATES[kind], "spec"))
    if kind in KINDS:
        KINDS[kind](found, wanted)
    return found


def _drop_pod_defaults(spec: JsonObject, wanted: JsonObject) -> None:
    """Take requests out that are the limits, and ports of the host that are those of the container."""
    mine = {(each.kind, each.name): each.body for each in containers_of(wanted)}
    for each in containers_of(spec):
        own = mine.get((each.kind, each.name), {})
        limits, requests = (map_at(each.body, "resources", key) for key in ("limits", "requests"))
        for name in requests.keys() & limits.keys() - map_at(own, "resources", "requests").keys():
            if is_same_quantity(requests[name], limits[name]):
                del requests[name]
        ports = {str(port.get("containerPort")): port for _, port in entries_at(own, "ports")}
        for _, port in entries_at(each.body, "ports") if spec.get("hostNetwork") is True else ():
            number = port.get("containerPort")
            if port.get("hostPort") == number and "hostPort" not in ports.get(str(number), {}):
                port.pop("hostPort", None)


def _decode_secret_data(live: JsonObject, wanted: JsonObject) -> None:
    """Write values as texts where the manifest does; servers hold them encoded."""
    said, data = wanted.get("stringData"), live.get("data")
    if isinstance(said, dict) and isinstance(data, dict):
        live["stringData"] = {key: _decode_base64(value) for key, value in data.items() if key in said}
        live["data"] = {key: value for key, value in data.items() if key not in said}


def _decode_base64(value: Json) -> Json:
    try:
        return b64decode(str(value), validate=True).decode()
    except (Error, UnicodeError, ValueError):
        return value


def _drop_generated_secrets(live: JsonObject, wanted: JsonObject) -> None:
    """Leave out what controllers add to the secrets of an account."""
    for key in ("secrets", "imagePullSecrets"):
        said, given = wanted.get(key), live.get(key)
        if isinstance(said, list) and isinstance(given, list):
            own = {str(value_at(each, "name")) for each in said}
            live[key] = [
                each
                for each in given
                if (name := str(value_at(each, "name"))) in own or not any(word in name for word in GIVEN)
            ]


def _drop_limit_defaults(live: JsonObject, wanted: JsonObject) -> None:
    """Leave out defaults of a LimitRange that are its bounds."""
    items, said = ([each for _, each in entries_at(body, "spec", "limits")] for body in (live, wanted))
    if len(items) == len(said):
        live["spec"] = {**live["spec"], "limits": [*map(_drop_bound_defaults, items, said)]}


def _drop_bound_defaults(live: JsonObject, own: JsonObject) -> JsonObject:
    known: JsonObject = {**map_at(own, "min"), **map_at(own, "max"), **map_at(own, "default")}
    return {
        **live,
        **{
            key: {
                name: amount
                for name, amount in live[key].items()
                if name in map_at(own, key) or not is_same_quantity(amount, known.get(name))
            }
            for key in ("default", "defaultRequest")
            if isinstance(live.get(key), dict)
        },
    }


KINDS: dict[tuple[str, str], Callable[[JsonObject, JsonObject], None]] = {
    ("", "LimitRange"): _drop_limit_defaults,
    ("", "Secret"): _decode_secret_data,
    ("", "ServiceAccount"): _drop_generated_secrets,
}
"""Group and kind → what takes out of such an object what clusters fill in; it changes a copy."""
