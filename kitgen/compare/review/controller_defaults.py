"""What clusters fill into live objects by what else is there: limits, the host's network, an autoscaler."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from kitgen.kube.identity import ObjectId, split_api_version
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import TEMPLATES
from kitgen.kube.quantities import same_amount
from kitgen.text.values import value_at
from kitgen.text.wording import text_of
from kitgen.text.yaml import Json, JsonObject

SCALER = ("autoscaling", "HorizontalPodAutoscaler")
GIVEN = ("-dockercfg-", "-token-")
"""What the names of secrets have in them that controllers give to accounts."""


def scaled(manifests: Iterable[Manifest]) -> frozenset[ObjectId]:
    """Return the objects of which autoscalers say how many pods they have."""
    found = set()
    for each in manifests:
        to = value_at(each.body, "spec", "scaleTargetRef")
        if (each.id.group, each.id.kind) == SCALER and isinstance(to, dict):
            group = split_api_version(text_of(to.get("apiVersion", "")))[0]
            found.add(ObjectId(group, text_of(to.get("kind")), each.id.namespace, text_of(to.get("name"))))
    return frozenset(found)


def unfilled(live: JsonObject, wanted: JsonObject, *, is_scaled: bool) -> JsonObject:
    """Return a live object without what was taken from elsewhere, in it or beside it."""
    name = ObjectId.of(live)
    found: JsonObject = {**live}
    if (
        is_scaled
        and isinstance(spec := live.get("spec"), dict)
        and value_at(wanted, "spec", "replicas") is None
    ):
        found["spec"] = {key: value for key, value in spec.items() if key != "replicas"}
    if (name.group, name.kind) in TEMPLATES:
        found = deepcopy(found)
        _pod(found, wanted, TEMPLATES[name.group, name.kind])
    if (change := KINDS.get((name.group, name.kind))) is not None:
        change(found, wanted)
    return found


def _pod(live: JsonObject, wanted: JsonObject, template: tuple[Any, ...]) -> None:
    """Take requests out that are the limits, and ports of the host that are those of the container."""
    spec, said = value_at(live, *template, "spec"), value_at(wanted, *template, "spec")
    for key in ("containers", "initContainers"):
        mine = _by("name", value_at(said, key))
        for container in _dicts(value_at(spec, key)):
            own = mine.get(text_of(container.get("name")), {})
            _requests(container.get("resources"), value_at(own, "resources", "requests"))
            if value_at(spec, "hostNetwork") is True:
                _ports(container, own)


def _requests(resources: Json, said: Json) -> None:
    limits, requests = value_at(resources, "limits"), value_at(resources, "requests")
    if not isinstance(limits, dict) or not isinstance(requests, dict):
        return
    mine = _dict(said)
    for key in [each for each in requests if each in limits and each not in mine]:
        if same_amount(requests[key], limits[key]):
            del requests[key]


def _ports(container: JsonObject, said: JsonObject) -> None:
    mine = _by("containerPort", said.get("ports"))
    for port in _dicts(container.get("ports")):
        number = port.get("containerPort")
        if port.get("hostPort") == number and "hostPort" not in mine.get(str(number), {}):
            port.pop("hostPort", None)


def _by(key: str, items: Json) -> dict[str, JsonObject]:
    """Return the mappings of a list by what each has under a key, written as a text."""
    return {str(each.get(key)): each for each in _dicts(items)}


def _dict(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _dicts(value: Json) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _secret(live: JsonObject, wanted: JsonObject) -> None:
    """Write values as texts where the manifest does; servers hold them encoded."""
    said, data = wanted.get("stringData"), live.get("data")
    if not isinstance(said, dict) or not isinstance(data, dict):
        return
    texts = {key: _text(value) for key, value in data.items() if key in said}
    live["stringData"] = texts
    live["data"] = {key: value for key, value in data.items() if key not in texts}


def _text(value: Json) -> Json:
    try:
        return b64decode(str(value), validate=True).decode()
    except (Error, UnicodeError, ValueError):
        return value


def _account(live: JsonObject, wanted: JsonObject) -> None:
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


def _limits(live: JsonObject, wanted: JsonObject) -> None:
    """Leave out defaults of a LimitRange that are its bounds."""
    items, said = _dicts(value_at(live, "spec", "limits")), _dicts(value_at(wanted, "spec", "limits"))
    if len(items) != len(said):
        return
    kept = []
    for each, own in zip(items, said, strict=True):
        known: JsonObject = {**_dict(own.get("min")), **_dict(own.get("max")), **_dict(own.get("default"))}
        kept.append({key: _bounded(key, value, own, known) for key, value in each.items()})
    live["spec"] = {**live["spec"], "limits": kept}


def _bounded(key: str, value: Json, own: JsonObject, known: JsonObject) -> Json:
    if key not in ("default", "defaultRequest") or not isinstance(value, dict):
        return value
    mine = _dict(own.get(key))
    return {
        name: amount
        for name, amount in value.items()
        if name in mine or not same_amount(amount, known.get(name))
    }


KINDS: dict[tuple[str, str], Callable[[JsonObject, JsonObject], None]] = {
    ("", "LimitRange"): _limits,
    ("", "Secret"): _secret,
    ("", "ServiceAccount"): _account,
}
"""Group and kind → what takes out of such an object what clusters fill in; it changes a copy."""
