"""Containers: from Kubernetes' form to the normal form, where things have names, and to a spec's words.

Names for the images of the operator's containers.

The operator's Deployment among the objects of a real tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kitgen.kube.identity import ObjectId
from kitgen.render.families.deployment import _probes, resources
from kitgen.render.families.webhooks import SECRET
from kitgen.render.inverse import TreeObjects
from kitgen.render.section_changes import same
from kitgen.text.yaml import Json, JsonObject

MANAGER = "manager"


def image_names(scene: TreeObjects, containers: Mapping[str, JsonObject]) -> dict[str, str]:
    """Return container → the name of its image: that of an older spec, manager, or the container's own."""
    images = {name: each["image"] for name, each in containers.items() if each.get("image")}
    first = MANAGER if MANAGER in images else next(iter(images), "")
    order = sorted(images, key=lambda name: (images[name] not in scene.images, name != first))
    named: dict[str, str] = {}
    for name in order:
        image = images[name]
        if image not in named:
            likely = [*_known(scene, image), *([MANAGER] if name == first else []), name]
            free = (each for each in likely if each not in named.values())
            named[image] = next(free, f"{name}-{len(named)}")
    return {name: named[image] for name, image in images.items()}


def _known(scene: TreeObjects, image: str) -> list[str]:
    """Return the names that a spec has for an image, or for one of its repository or last name."""
    if image in scene.images:
        return [scene.images[image]]
    alike = [name for known, name in scene.images.items() if repository(known) == repository(image)]
    last = repository(image).rpartition("/")[2]
    alike += [name for known, name in scene.images.items() if repository(known).rpartition("/")[2] == last]
    return list(dict.fromkeys(alike))


def repository(image: str) -> str:
    """Return an image without its tag and digest."""
    path, _, last = image.partition("@")[0].rpartition("/")
    name = last.partition(":")[0]
    return f"{path}/{name}" if path else name


USUAL = ("controller-manager", "-operator", "manager")
"""What operators' Deployments are called in the end."""


def mapping(value: Json) -> JsonObject:
    """Return a map as it is, and anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def maps(value: Json) -> list[JsonObject]:
    """Return the maps of a list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def is_maps(value: Json) -> bool:
    """Tell whether a value is a list of nothing but maps."""
    return isinstance(value, list) and len(maps(value)) == len(value)


def texts(value: Json) -> bool:
    """Tell whether a value is a map of texts."""
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


def by(key: str, value: Json) -> dict[str, JsonObject] | None:
    """Return a list of maps by what each has at a key; None if that does not tell them apart."""
    found = {each[key]: each for each in maps(value) if isinstance(each.get(key), str)}
    return found if isinstance(value, list) and len(found) == len(value) else None


def own_name(scene: TreeObjects, identity: ObjectId) -> str:
    """Return what an object of the component is called without the prefix; empty if no family makes it."""
    return (scene.short(identity.name) or "") if not identity.namespace else ""


def pod_of(body: JsonObject) -> JsonObject:
    """Return the pod's spec of a Deployment."""
    return mapping(mapping(mapping(body.get("spec")).get("template")).get("spec"))


def containers_of(body: JsonObject) -> dict[str, JsonObject]:
    """Return the containers of a Deployment by name; none if they have none."""
    return by("name", pod_of(body).get("containers")) or {}


def volumes_of(body: JsonObject) -> dict[str, JsonObject]:
    """Return the volumes of a Deployment by name."""
    return by("name", pod_of(body).get("volumes")) or {}


def operator(scene: TreeObjects) -> tuple[ObjectId, JsonObject] | None:
    """Return the operator's Deployment: it runs the account, serves the webhooks or is called like one."""
    known = {identity: body for identity, body in scene.everything.items() if _is_one(scene, identity, body)}
    ranked = sorted(known.items(), key=lambda each: [not mark for mark in _marks(scene, *each)])
    if not ranked or (len(ranked) > 1 and not any(_marks(scene, *ranked[0]))):
        return None
    return ranked[0]


def _is_one(scene: TreeObjects, identity: ObjectId, body: JsonObject) -> bool:
    kind = (identity.group, identity.kind) == ("apps", "Deployment")
    return kind and bool(own_name(scene, identity)) and bool(containers_of(body))


def _marks(scene: TreeObjects, identity: ObjectId, body: JsonObject) -> Iterator[bool]:
    pod = pod_of(body)
    yield bool(scene.account) and pod.get("serviceAccountName") == scene.account
    secrets = [mapping(volume.get("secret")).get("secretName") for volume in maps(pod.get("volumes"))]
    yield f"{scene.prefix}{SECRET}" in secrets
    yield identity.name.endswith(USUAL)


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
        data["volumeMounts"] = [{"mountPath": path, **mount} for path, mount in data["volumeMounts"].items()]
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
    for port in [mapping(mapping(want.get(key)).get("httpGet")).get("port") for key in PROBES]:
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
