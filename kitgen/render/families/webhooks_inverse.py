"""Inverse of the family of admission webhooks."""

from __future__ import annotations

from collections.abc import Sequence

from kitgen.crd.types import plural_of
from kitgen.kube.identity import ObjectId, split_kind
from kitgen.render.families.containers_inverse import (
    TreeDeployment,
    find_operator,
    index_by,
    is_port,
    is_string_map,
    maps_at,
)
from kitgen.render.families.webhook_kinds import DOMAIN, _format_kind_key, expand_kind, value_for_task
from kitgen.render.families.webhook_layouts_inverse import (
    Hook,
    WebhookLayout,
    find_common_fields,
    find_layout,
    parse_webhook,
    split_namespace_selector,
)
from kitgen.render.families.webhooks import (
    CERTIFICATES,
    OWN,
    PORT,
    SECRET,
    SERVICE,
    TASKS,
    USUAL,
    build_namespace_selector,
)
from kitgen.render.inverse import Inverse, RecognisedSection, TreeObjects
from kitgen.render.section_changes import is_identical_value, make_change_converter
from kitgen.text.values import map_at, value_at
from kitgen.text.yaml import Json, JsonObject


def recognise_webhooks(scene: TreeObjects) -> RecognisedSection | None:
    """Take the configurations with the Service, the Secret and the mount that the family makes with them."""
    if (layout := find_layout(scene)) is None or (place := _recognise_server(scene, layout)) is None:
        return None
    said, taken = place
    found: dict[str, dict[str, Hook]] = {}
    notes: list[JsonObject] = []
    read: list[JsonObject] = []
    known = ((task, *each) for task, some in layout.known.items() for each in some.items())
    for task, identity, body in known:
        given = maps_at(body, "webhooks")
        hooks = ((each, parse_webhook(scene, task, each, layout)) for each in given)
        pairs = [
            (each, hook)
            for each, hook in hooks
            if hook and layout.matches_configuration(task, identity.name, hook)
        ]
        if pairs and 2 * len(pairs) >= len(given):  # a patch does the others
            found.setdefault(task, {}).update({hook.name: hook for _, hook in pairs})
            notes.append(map_at(body, "metadata", "annotations"))
            read += [each for each, _ in pairs]
            taken.add(identity)
    if not found:
        return None
    alike = find_common_items(notes)
    ways = {
        "configurations": {f"{task}s": name for task, name in layout.configurations.items() if task in found},
        "names": {f"{task}s": name for task, name in layout.names.items() if task in found},
        "annotations": alike if is_string_map(alike) else {},
    }
    section = {
        **said,
        **{key: value for key, value in ways.items() if value},
        **dict(find_common_fields(read)),
    }
    return RecognisedSection(section={**section, "kinds": _join_kinds(found)}, objects=frozenset(taken))


def find_common_items(maps: Sequence[JsonObject]) -> JsonObject:
    """Return what the first of some maps has and all others have alike."""
    return {
        key: value
        for key, value in maps[0].items()
        if all(is_identical_value(each.get(key), value) for each in maps)
    }


def _build_object_id(kind: str, name: str) -> ObjectId:
    return ObjectId("", kind, "", name)


def _recognise_server(scene: TreeObjects, layout: WebhookLayout) -> tuple[JsonObject, set[ObjectId]] | None:
    """Return what serves webhooks: Service, port, container and Secret, and which of them the family makes.

    None if it is not done as the family does.
    """
    at = _build_object_id("Service", layout.service)
    service = scene.objects.get(at, {})
    if len(ports := [each for each in maps_at(service, "spec", "ports") if each.get("port") == 443]) != 1:
        return None
    said, chosen = _parse_service(scene, layout, service), find_operator(scene)
    taken = {at} if _is_webhook_service(scene, layout, service) else set()
    usual, port = f"{scene.prefix}{SECRET}", ports[0].get("targetPort")
    if not chosen.body:
        said |= _to_port_entry(port)
        return (
            (said, {*taken, _build_object_id("Secret", usual)})
            if taken and _is_empty_secret(scene, usual)
            else None
        )
    name, holder = _find_server_container(chosen)
    if not name or not holder:
        return None
    if type(port) is not int:
        named = index_by("name", chosen.containers[name].get("ports")) or {}
        port = named.get("webhook-server", {}).get("containerPort")
    secret: Json = holder
    if _is_empty_secret(scene, holder):
        taken.add(_build_object_id("Secret", holder))
        secret = {"name": holder, "create": True} if holder != usual else None
    container = {"container": name} if name != next(iter(chosen.containers)) else {}
    return {**said, **_to_port_entry(port), **container, **({"secret": secret} if secret else {})}, taken


def _is_webhook_service(scene: TreeObjects, layout: WebhookLayout, service: JsonObject) -> bool:
    """Return whether a Service is for the webhooks alone, and as the family makes it."""
    ports = maps_at(service, "spec", "ports")
    usual = layout.service == f"{scene.prefix}{SERVICE}"  # else a list of ports is shorter than a patch
    noted = value_at(service, "metadata", "annotations")  # `services` says those, and no patch
    return len(ports) == 1 and (usual or (type(ports[0].get("targetPort")) is int and not noted))


def _parse_service(scene: TreeObjects, layout: WebhookLayout, service: JsonObject) -> JsonObject:
    """Return what is said of the Service of webhooks; one that others share is said among these."""
    short = scene.strip_prefix(layout.service)
    said: JsonObject = {"name": short} if short != SERVICE else {}
    if _is_webhook_service(scene, layout, service):
        parts = {"labels": map_at(service, "metadata"), "selector": map_at(service, "spec")}
        said |= {key: part[key] for key, part in parts.items() if part.get(key) and is_string_map(part[key])}
    return {"service": said} if said else {}


def _is_empty_secret(scene: TreeObjects, name: str) -> bool:
    """Return whether there is a Secret that waits for somebody to fill it."""
    secret = scene.objects.get(_build_object_id("Secret", name))
    return secret is not None and not secret.get("data") and not secret.get("stringData")


def _to_port_entry(port: Json) -> JsonObject:
    return {"port": port} if is_port(port) and port != PORT else {}


def _find_server_container(found: TreeDeployment) -> tuple[str, str]:
    """Return the container that has a certificate where the family mounts it, and its Secret."""
    secret = value_at(found.volumes, "cert", "secret", "secretName")
    for name, container in found.containers.items():
        mounts = index_by("mountPath", container.get("volumeMounts")) or {}
        if mounts.get(CERTIFICATES, {}).get("name") == "cert" and isinstance(secret, str):
            return name, secret
    return "", ""


def _join_kinds(found: dict[str, dict[str, Hook]]) -> JsonObject:
    """Join the mutating and the validating webhook of each kind."""
    kinds: JsonObject = {}
    for name in dict.fromkeys(name for hooks in found.values() for name in hooks):
        hooks = {task: hooks[name] for task, hooks in found.items() if name in hooks}
        first = next(iter(hooks.values()))
        # Two kinds of one name are none that a spec may say: a patch does the second.
        hooks = {task: hook for task, hook in hooks.items() if hook.kind == first.kind}
        domain = {"domain": first.domain} if first.domain != DOMAIN else {}
        # What one sort says and the other does not is for a patch to add.
        rest = find_common_items([each.rest for each in hooks.values()])
        resources = {f"{task}s": hooks[task].resources if task in hooks else [] for task in TASKS}
        entry: JsonObject = {"kind": first.kind, **domain, **rest}
        entry |= {key: each for key, each in resources.items() if each is not None}
        for key in OWN:
            if each := {f"{task}s": hook.own[key] for task, hook in hooks.items() if key in hook.own}:
                entry[key] = each
        kinds[_format_kind_key(entry)] = entry
    return kinds


def normalize_webhooks(section: Json) -> Json:
    """Return kinds by name, each with what it does written out."""
    data = {key: value for key, value in section.items() if (key, value) != ("port", PORT)}
    if "kinds" in data:
        data["kinds"] = {
            _format_kind_key(entry): _normalize_kind(entry) for entry in map(expand_kind, data["kinds"])
        }
    return data


def _normalize_kind(entry: JsonObject) -> JsonObject:
    usual = {**USUAL, "domain": DOMAIN}
    shorthands = ("resource", "operations", "namespaceSelector", "skipNamespaces")
    data = {key: each for key, each in entry.items() if key not in shorthands and usual.get(key) != each}
    data |= {
        "kind": data["kind"].removeprefix("core/"),
        **split_namespace_selector(build_namespace_selector(entry)),
    }
    for task in TASKS:
        if "resource" in entry:
            data.setdefault(f"{task}s", [entry["resource"]])
        if data.get(f"{task}s") == [plural_of(split_kind(entry["kind"])[2])]:
            del data[f"{task}s"]
    made = {task: list(usual) for task, (_, _, usual) in TASKS.items() if data.get(f"{task}s") != []}
    for key in OWN:
        each = {f"{task}s": value_for_task(entry, key, task) for task, usual in made.items()}
        if each := {name: said for name, said in each.items() if said and said != made[name[:-1]]}:
            data[key] = each
    return data


def to_webhooks_section(want: JsonObject, older: Json) -> JsonObject:
    """Write kinds by their names alone where that suffices, and the rest as short as possible."""
    if not want:
        return {}
    old: JsonObject = older or {}
    before = {_format_kind_key(expand_kind(entry)): entry for entry in old.get("kinds", ())}
    made = {**want, "port": PORT} if old.get("port") == PORT and "port" not in want else dict(want)
    if "kinds" in want:
        del made["kinds"]
        made["kinds"] = [_to_kind_entry(key, entry, before.get(key)) for key, entry in want["kinds"].items()]
    return made


def _to_kind_entry(key: str, want: JsonObject, old: Json) -> Json:
    """Write one kind; an older spec's words stay where they still apply."""
    before = expand_kind(old) if old is not None else {}
    if before and is_identical_value(_normalize_kind(before), want):
        return old
    *kind, domain = key.split("/")
    named = {"domain": domain} if domain != DOMAIN else {}
    entry: JsonObject = {"kind": before.get("kind", "/".join(filter(None, kind))), **named}
    single = "kind" in want and [] in (want.get(f"{task}s") for task in TASKS)
    for name in (name for name in ("name", "path") if name in want):
        entry[name] = next(iter(want[name].values())) if single else want[name]
    entry |= _shorten_resources(want, before.get("resource"))
    if "operations" in want:
        entry["operations"] = _shorten_operations(want, before.get("operations"))
    said = ("kind", "domain", "name", "path", "operations", *(f"{task}s" for task in TASKS))
    # What an older spec says although it is usual need not go.
    usual = {name: each for name, each in USUAL.items() if before.get(name) == each}
    entry = {**usual, **entry, **{name: each for name, each in want.items() if name not in said}}
    return entry["kind"] if entry.keys() == {"kind"} and not isinstance(old, dict) else entry


def _shorten_resources(want: JsonObject, old: Json) -> JsonObject:
    tasks: JsonObject = {name: want[name] for name in ("mutates", "validates") if name in want}
    alike = [each[0] for each in tasks.values() if len(each) == 1]
    shared = len(alike) == len(TASKS) and alike[0] == alike[1] and "/" not in alike[0]
    if len(tasks) < len(TASKS) or not (old in alike or shared):
        return tasks
    plural = old if old in alike else alike[0]
    return {"resource": plural, **{name: each for name, each in tasks.items() if each != [plural]}}


def _shorten_operations(want: JsonObject, old: Json) -> Json:
    """Write operations once if both sorts share them, or if there is only one sort."""
    calls: JsonObject = want["operations"]
    if isinstance(old, dict):
        return calls
    there = {f"{task}s": list(usual) for task, (_, _, usual) in TASKS.items() if want.get(f"{task}s") != []}
    # Of a part of a kind it is not known what the other sort says.
    said = [calls.get(name, usual if "kind" in want else None) for name, usual in there.items()]
    return said[0] if said and said[0] and all(is_identical_value(each, said[0]) for each in said) else calls


INVERSE = Inverse(
    recognise=recognise_webhooks,
    normal=normalize_webhooks,
    terms=make_change_converter("webhooks", normalize_webhooks, to_webhooks_section),
)
