"""Containers: from Kubernetes' form to the normal form, where things have names, and to a spec's words."""

from __future__ import annotations

from kitgen.compile.families.deployment import _probes, resources
from kitgen.compile.families.inverse.laying import same
from kitgen.compile.families.inverse.running import by, is_maps, mapping, maps
from kitgen.yamlio import Json, JsonObject

PROBES = ("livenessProbe", "readinessProbe")
BOTH = ("limits", "requests")
SHORT = ("cpu", "memory")
ORDER = (
    *("image", "imagePullPolicy", "command", "args", "env", "envFrom", "ports", "health", *PROBES),
    *("startupProbe", "resources", "securityContext", "volumeMounts"),
)
"""How people write a container."""
NAMED = {"ports": "name", "volumeMounts": "mountPath"}
"""Lists of a container → what tells their items apart."""


def recognised(container: JsonObject) -> JsonObject:
    """Return the normal form of a real container, its image as it is; what is malformed is left out."""
    data = {key: value for key, value in container.items() if key != "name"}
    for key, name in NAMED.items():
        if is_maps(data.get(key)):
            data[key] = _by_name(data[key], name)
        else:
            data.pop(key, None)
    if "env" in data:
        data["env"] = _variables(data["env"])
    if "resources" in data:
        data["resources"] = _amounts(data["resources"])
    if not isinstance(data.get("image", ""), str):
        del data["image"]
    return data


def _by_name(items: Json, name: str) -> Json:
    found = by(name, items)
    if found is None:
        return items
    return {key: {each: value for each, value in item.items() if each != name} for key, item in found.items()}


def _variables(items: Json) -> JsonObject:
    found: JsonObject = {}
    for each in maps(items):
        match each:
            case {"name": str(name), "value": str(value), **rest} if not rest:
                found[name] = value
            case {"name": str(name), "valueFrom": dict(origin), **rest} if not rest:
                found[name] = origin
            case {"name": str(name), **rest} if not rest:
                found[name] = ""
    return found


def _amounts(given: Json) -> JsonObject:
    """Return limits and requests as specs may say them: a fraction is a text."""
    data = {key: value for key, value in mapping(given).items() if key in BOTH or is_maps(value)}
    data = {key: value for key, value in data.items() if key in (*BOTH, "claims")}
    for key in BOTH:
        if key in data:
            amounts = mapping(data[key]).items()
            fit = {name: str(value) if isinstance(value, float) else value for name, value in amounts}
            data[key] = {name: value for name, value in fit.items() if type(value) in (str, int)}
    return data


def normal(container: JsonObject) -> JsonObject:
    """Return the normal form of a container of a spec."""
    data = dict(container)
    if isinstance(data.get("ports"), dict):
        ports = data["ports"].items()
        data["ports"] = {name: {"containerPort": number, "protocol": "TCP"} for name, number in ports}
    for key, name in NAMED.items():
        if isinstance(data.get(key), list):
            data[key] = _by_name(data[key], name)
    if "health" in data:
        data = {**_probes(data.pop("health")), **data}
    if "resources" in data:
        data["resources"] = resources(data["resources"])
    return data


def words(want: JsonObject, old: JsonObject | None) -> JsonObject:
    """Return a container in the words of specs, those of an older spec where they still hold."""
    if old is not None and same(normal(old), want):
        return old
    before = old or {}
    data = dict(want)
    if "ports" in data:
        data["ports"] = _ports(data["ports"], before.get("ports"))
    if isinstance(data.get("volumeMounts"), dict):
        mounts = data["volumeMounts"].items()
        data["volumeMounts"] = [{"mountPath": path, **mount} for path, mount in mounts]
    if "resources" in data:
        data["resources"] = _resources(data["resources"], before.get("resources"))
    data = _health(data, before)
    return {key: data[key] for key in (*ORDER, *(key for key in data if key not in ORDER)) if key in data}


def _ports(want: Json, old: Json) -> Json:
    if not isinstance(want, dict):
        return want
    numbers = {name: port.get("containerPort") for name, port in want.items()}
    written = normal({"ports": numbers})["ports"]
    fit = all(type(number) is int and 0 < number < 65536 for number in numbers.values())
    if fit and same(written, want) and not isinstance(old, list):
        return numbers
    return [{"name": name, **port} for name, port in want.items()]


def _health(want: JsonObject, old: JsonObject) -> JsonObject:
    """Say the port of both probes, if each is the usual one; an older spec's may leave one to be said."""
    ports = [mapping(mapping(want.get(key)).get("httpGet")).get("port") for key in PROBES]
    for port in ports:
        if type(port) is not int or not 0 < port < 65536 or not all(key in want for key in PROBES):
            continue
        usual = [key for key, probe in _probes(port).items() if same(want[key], probe)]
        if len(usual) == len(PROBES) or (usual and "health" in old):
            short = [key for key in usual if key not in old] or usual  # written out, both would need no port
            return {"health": port, **{key: value for key, value in want.items() if key not in short}}
    return want


def _resources(want: JsonObject, old: JsonObject | None) -> JsonObject:
    """Say cpu and memory once where limits and requests are alike, or where an older spec does."""
    if old is not None and same(resources(old), want):
        return old
    before = old or {}
    short: JsonObject = {}
    for name in SHORT:
        found = [mapping(want.get(key)).get(name) for key in BOTH]
        if None in found:
            continue
        if same(*found) and (old is None or name in old):
            short[name] = found[0]
        elif name in before and any(same(before[name], each) for each in found):
            short[name] = before[name]
    data = dict(short)
    for key, amounts in want.items():
        if key not in BOTH:
            data[key] = amounts
            continue
        said = mapping(before.get(key))
        left = {
            name: value
            for name, value in amounts.items()
            if name not in short or name in said or not same(short[name], value)
        }
        if left or not short:
            data[key] = left
    return data
