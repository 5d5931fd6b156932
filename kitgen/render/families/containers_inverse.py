"""Containers of the operator's Deployment: from Kubernetes' form to normal form and spec shorthand.

The normal form keys entries by name. An image is replaced by the name that a spec gives it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kitgen.kube.identity import ObjectId
from kitgen.render.families.deployment import build_probes, expand_container, expand_resources
from kitgen.render.families.webhooks import SECRET
from kitgen.render.inverse import TreeObjects
from kitgen.render.section_changes import is_identical_value
from kitgen.text.values import entries_at, map_at, value_at
from kitgen.text.yaml import Json, JsonObject

MANAGER = "manager"


def choose_image_names(scene: TreeObjects, containers: Mapping[str, JsonObject]) -> dict[str, str]:
    """Return container → the name of its image: that of an older spec, manager, or the container's own."""
    images = {name: each["image"] for name, each in containers.items() if each.get("image")}
    first = MANAGER if MANAGER in images else next(iter(images), "")
    order = sorted(images, key=lambda name: (images[name] not in scene.images, name != first))
    named: dict[str, str] = {}
    for name in order:
        if (image := images[name]) not in named:
            likely = [*_find_known_names(scene, image), *([MANAGER] if name == first else []), name]
            free = (each for each in likely if each not in named.values())
            named[image] = next(free, f"{name}-{len(named)}")
    return {name: named[image] for name, image in images.items()}


def _find_known_names(scene: TreeObjects, image: str) -> list[str]:
    """Return the names that a spec has for an image, or for one of its repository or last name."""
    if image in scene.images:
        return [scene.images[image]]
    own, last = repository_of(image), repository_of(image).rpartition("/")[2]
    known = {name: repository_of(each) for each, name in scene.images.items()}
    alike = [name for name, each in known.items() if each == own]
    return [*dict.fromkeys((*alike, *(n for n, each in known.items() if each.rpartition("/")[2] == last)))]


def repository_of(image: str) -> str:
    """Return an image without its tag and digest."""
    path, _, last = image.partition("@")[0].rpartition("/")
    name = last.partition(":")[0]
    return f"{path}/{name}" if path else name


USUAL = ("controller-manager", "-operator", "manager")
"""What operators' Deployments are called in the end."""


def is_list_of_maps(value: Json) -> bool:
    """Return whether a value is a list of nothing but maps."""
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def is_string_map(value: Json) -> bool:
    """Return whether a value is a map of texts."""
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


def is_port(value: Json) -> bool:
    """Return whether a value is the number of a port."""
    return type(value) is int and 0 < value < 65536


def maps_at(value: Json, *path: str | int) -> list[JsonObject]:
    """Return the maps of the list at a path."""
    return [each for _, each in entries_at(value, *path)]


def drop_keys(data: JsonObject, *keys: str) -> JsonObject:
    """Return a map without some keys."""
    return {key: value for key, value in data.items() if key not in keys}


def index_by(key: str, value: Json) -> dict[str, JsonObject] | None:
    """Return a list of maps by the value of a key; None if that does not identify them."""
    found = {each[key]: each for each in maps_at(value) if isinstance(each.get(key), str)}
    return found if isinstance(value, list) and len(found) == len(value) else None


def find_config_maps(scene: TreeObjects) -> Iterator[tuple[ObjectId, JsonObject, dict[str, str]]]:
    """Yield the ConfigMaps of the component that hold texts and nothing else, with these."""
    for identity, body in scene.objects.items():
        if (identity.group, identity.kind) == ("", "ConfigMap") and scene.short_name(identity):
            data = body.get("data")
            if data and is_string_map(data) and {*body} <= {"apiVersion", "kind", "metadata", "data"}:
                yield identity, body, data


class TreeDeployment(NamedTuple):
    """The operator's Deployment among the objects of a real tree."""

    id: ObjectId
    body: JsonObject

    @property
    def pod_spec(self) -> JsonObject:
        """Return the spec of its pods."""
        return map_at(self.body, "spec", "template", "spec")

    @property
    def containers(self) -> dict[str, JsonObject]:
        """Return its containers by name; none if they have none."""
        return index_by("name", self.pod_spec.get("containers")) or {}

    @property
    def volumes(self) -> dict[str, JsonObject]:
        """Return its volumes by name."""
        return index_by("name", self.pod_spec.get("volumes")) or {}

    def operator_traits(self, scene: TreeObjects) -> list[bool]:
        """Return what it has of an operator's: it runs the account, serves webhooks, is called like one."""
        secrets = [value_at(volume, "secret", "secretName") for volume in maps_at(self.pod_spec, "volumes")]
        return [
            bool(scene.account) and self.pod_spec.get("serviceAccountName") == scene.account,
            f"{scene.prefix}{SECRET}" in secrets,
            self.id.name.endswith(USUAL),
        ]


NO_OPERATOR = TreeDeployment(ObjectId("apps", "Deployment", "", ""), {})


def find_operator(scene: TreeObjects) -> TreeDeployment:
    """Return the Deployment with most marks of an operator's; NO_OPERATOR if several have none."""
    known = [
        each
        for each in map(TreeDeployment._make, scene.everything.items())
        if (each.id.group, each.id.kind) == ("apps", "Deployment")
        if scene.short_name(each.id) and each.containers
    ]
    best = max(known, key=lambda each: each.operator_traits(scene), default=NO_OPERATOR)
    return best if len(known) == 1 or any(best.operator_traits(scene)) else NO_OPERATOR


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


def recognise_container(container: JsonObject) -> JsonObject:
    """Return the normal form of a real container, its image as it is; what is malformed is left out."""
    data = drop_keys(container, "name")
    for key, name in NAMED.items():
        if not is_list_of_maps(data.get(key)):
            data.pop(key, None)
        elif (found := index_by(name, data[key])) is not None:
            data[key] = {each: drop_keys(item, name) for each, item in found.items()}
    if "env" in data:
        data["env"] = dict(_parse_variables(data["env"]))
    if "resources" in data:
        data["resources"] = _normalize_resources(data["resources"])
    if not isinstance(data.get("image", ""), str):
        del data["image"]
    return data


def _parse_variables(items: Json) -> Iterator[tuple[str, Json]]:
    for each in maps_at(items):
        match each:
            case {"name": str(name), "value": str() as value, **rest} if not rest:
                yield name, value
            case {"name": str(name), "valueFrom": dict() as value, **rest} if not rest:
                yield name, value
            case {"name": str(name), **rest} if not rest:
                yield name, ""


def _normalize_resources(given: Json) -> JsonObject:
    """Return limits and requests as specs may say them: a fraction is a text."""
    parts = map_at(given).items()
    data = {key: value for key, value in parts if key in BOTH or (key == "claims" and is_list_of_maps(value))}
    for key in (key for key in BOTH if key in data):
        amounts = map_at(data[key]).items()
        fit = {name: str(value) if isinstance(value, float) else value for name, value in amounts}
        data[key] = {name: value for name, value in fit.items() if type(value) in (str, int)}
    return data


def normalize_container(container: JsonObject) -> JsonObject:
    """Return the normal form of a container of a spec."""
    return recognise_container(expand_container(container))


def to_container_entry(want: JsonObject, old: JsonObject | None) -> JsonObject:
    """Return a container in the words of specs, those of an older spec where they still hold."""
    if old is not None and is_identical_value(normalize_container(old), want):
        return old
    before = old or {}
    data = dict(want)
    if "ports" in data:
        data["ports"] = _shorten_ports(data["ports"], before.get("ports"))
    if isinstance(data.get("volumeMounts"), dict):
        data["volumeMounts"] = [{"mountPath": path, **mount} for path, mount in data["volumeMounts"].items()]
    if "resources" in data:
        data["resources"] = _shorten_resources(data["resources"], before.get("resources"))
    data = _shorten_probes(data, before)
    return {key: data[key] for key in (*ORDER, *(key for key in data if key not in ORDER)) if key in data}


def _shorten_ports(want: Json, old: Json) -> Json:
    if not isinstance(want, dict):
        return want
    numbers = {name: port.get("containerPort") for name, port in want.items()}
    written = normalize_container({"ports": numbers})["ports"]
    if (
        all(map(is_port, numbers.values()))
        and is_identical_value(written, want)
        and not isinstance(old, list)
    ):
        return numbers
    return [{"name": name, **port} for name, port in want.items()]


def _shorten_probes(want: JsonObject, old: JsonObject) -> JsonObject:
    """Write the port of both probes, if each is the usual one; with an older spec, one may remain."""
    for port in [value_at(want, key, "httpGet", "port") for key in PROBES]:
        if not is_port(port) or not all(key in want for key in PROBES):
            continue
        usual = [key for key, probe in build_probes(port).items() if is_identical_value(want[key], probe)]
        if len(usual) == len(PROBES) or (usual and "health" in old):
            short = [key for key in usual if key not in old] or usual  # written out, both would need no port
            return {"health": port, **{key: value for key, value in want.items() if key not in short}}
    return want


def _shorten_resources(want: JsonObject, old: JsonObject | None) -> JsonObject:
    """Write cpu and memory once where limits and requests are equal, or where an older spec does."""
    if old is not None and is_identical_value(expand_resources(old), want):
        return old
    before = old or {}
    short: JsonObject = {}
    for name in SHORT:
        found = [value_at(want, key, name) for key in BOTH]
        if None in found:
            continue
        if is_identical_value(*found) and (old is None or name in old):
            short[name] = found[0]
        elif name in before and any(is_identical_value(before[name], each) for each in found):
            short[name] = before[name]
    data = {**short, **want}
    for key in BOTH:
        left = {
            name: value
            for name, value in map_at(want, key).items()
            if name not in short or name in map_at(before, key) or not is_identical_value(short[name], value)
        }
        if left or (key in want and not short):
            data[key] = left
        else:
            data.pop(key, None)
    return data
