"""A stand-in for kubectl and an API server: it keeps objects in memory, and refuses what a server refuses.

Namespaces and kinds have to be there. Custom resources have to fit their CRD, as kitgen judges them. A CRD
keeps the versions that are stored, and takes its resources along when it goes. Webhooks refuse what nobody
answers, policies what they are there for. An object with a finalizer goes when its operator answers. Without
it, the deletion ends in an error, where kubectl would wait for ever.
"""

from __future__ import annotations

import json
import os
import re
import socketserver
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from running import run
from templates import columns, go_template, json_path

from kitgen.crds.validate.objects import walked
from kitgen.findings import Severity
from kitgen.objects import is_namespaced
from kitgen.yamlio import JsonObject, dump, read_all

BUILT_IN = {
    "": "ConfigMap Namespace Pod Secret Service ServiceAccount",
    "admissionregistration.k8s.io": (
        "MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
        "ValidatingWebhookConfiguration"
    ),
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apps": "Deployment",
    "networking.k8s.io": "NetworkPolicy",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding Role RoleBinding",
    # What OpenShift and its operators have, without a word on their fields.
    "datasciencecluster.opendatahub.io": "DataScienceCluster",
    "monitoring.coreos.com": "PodMonitor PrometheusRule ServiceMonitor",
    "operators.coreos.com": "ClusterServiceVersion InstallPlan Subscription",
    "security.openshift.io": "SecurityContextConstraints",
}
SHORT = {"crd": "customresourcedefinitions"}
SERVER_SET = (
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "managedFields",
    "generation",
    "deletionTimestamp",
)
VALUED = {"-n", "-o", "-f", "-k", "-p", "-l", "--selector", "--type", "--for", "--timeout", "--subresource"}
CLIENT = """\
#!{python} -IS
import json, socket, sys
given = sys.stdin.buffer.read().decode() if "-" in sys.argv else ""
with socket.socket(socket.AF_UNIX) as one:
    one.connect({address!r})
    one.sendall(json.dumps([sys.argv, given]).encode() + b"\\n")
    code, out, err = json.loads(one.makefile().read())
sys.stdout.write(out)
sys.stderr.write(err)
sys.exit(code)
"""


class Type(NamedTuple):
    """A kind that the server serves."""

    group: str
    kind: str
    plural: str
    namespaced: bool
    versions: tuple[str, ...] = ()
    """Those that a CRD serves, the preferred one first; a built-in kind takes any."""


class Key(NamedTuple):
    """What an object is found by."""

    group: str
    kind: str
    namespace: str
    name: str


class RefusedError(Exception):
    """What kubectl prints where the server does not do it."""


class Cluster:
    """Objects, and the commands that change them."""

    def __init__(self) -> None:
        self.objects: dict[Key, JsonObject] = {}
        self.ready: set[tuple[str, str]] = set()
        """Deployments whose pods answer."""
        self.finalizing: dict[tuple[str, str], tuple[tuple[str, str], str]] = {}
        """Group and kind → the Deployment that looks after them, and the finalizer that it sets."""
        self.numbers = count(1)
        self.actors: list[Any] = []
        """Operators that act on objects of others: called with each object that changes."""

    # The state of it

    def saved(self) -> tuple[dict[Key, JsonObject], set[tuple[str, str]]]:
        return deepcopy(self.objects), set(self.ready)

    def load(self, saved: tuple[dict[Key, JsonObject], set[tuple[str, str]]]) -> None:
        self.objects, self.ready = deepcopy(saved[0]), set(saved[1])

    def settle(self) -> None:
        """Let all pods start, and operators see their resources."""
        for key, body in self.objects.items():
            if key.kind == "Deployment":
                self.started((key.namespace, key.name), body)

    def started(self, name: tuple[str, str], body: JsonObject) -> None:
        running = body["spec"].get("replicas", 1) > 0
        (self.ready.add if running else self.ready.discard)(name)
        for (group, kind), (operator, finalizer) in self.finalizing.items() if running else ():
            for key, each in self.objects.items():
                if operator == name and (key.group, key.kind) == (group, kind):
                    each["metadata"].setdefault("finalizers", [])
                    each["metadata"]["finalizers"] = [*{*each["metadata"]["finalizers"], finalizer}]

    # Kinds

    def types(self) -> Iterator[Type]:
        for group, kinds in BUILT_IN.items():
            for kind in kinds.split():
                plural = re.sub(r"y$", "ie", kind.lower()).removesuffix("s") + "s"
                yield Type(group, kind, plural, is_namespaced(group, kind))
        for crd in self.crds():
            spec = crd["spec"]
            served = sorted((v["name"] for v in spec["versions"] if v["served"]), reverse=True)
            served.sort(key=lambda name: ("alpha" in name, "beta" in name))
            names = spec["names"]
            yield Type(
                spec["group"], names["kind"], names["plural"], spec["scope"] != "Cluster", tuple(served)
            )

    def crds(self) -> Iterator[JsonObject]:
        for key, body in self.objects.items():
            if key.kind == "CustomResourceDefinition":
                yield body

    def crd(self, kind: Type) -> JsonObject:
        key = Key("apiextensions.k8s.io", "CustomResourceDefinition", "", f"{kind.plural}.{kind.group}")
        return self.objects[key]

    def named(self, word: str) -> tuple[Type, str]:
        """Return what a command calls `greetings.v1.example.com`, or in a shorter way, and the version."""
        first, _, rest = word.lower().partition(".")
        version, _, group = rest.partition(".")
        for each in self.types():
            if SHORT.get(first, first) not in (each.plural, each.kind.lower()):
                continue
            if rest in ("", each.group):
                return each, ""
            if group == each.group and (version in each.versions or not each.versions):
                return each, version
        raise RefusedError(f'error: the server doesn\'t have a resource type "{word}"')

    def type_of(self, body: JsonObject) -> Type:
        group, _, version = body["apiVersion"].rpartition("/")
        for each in self.types():
            if (each.group, each.kind) == (group, body["kind"]) and version in (each.versions or (version,)):
                return each
        raise RefusedError(
            f'error: resource mapping not found: no matches for kind "{body["kind"]}" in version '
            f'"{body["apiVersion"]}"\nensure CRDs are installed first'
        )

    def key(self, body: JsonObject, namespace: str = "") -> Key:
        kind = self.type_of(body)
        home = (body["metadata"].get("namespace") or namespace or "default") if kind.namespaced else ""
        return Key(kind.group, kind.kind, home, body["metadata"]["name"])

    # Reading and writing

    def at(self, key: Key, kind: Type, version: str = "") -> JsonObject:
        """Return an object as a version has it; without a conversion, it lacks what that does not know."""
        body = deepcopy(self.objects[key])
        version = version or next(iter(kind.versions), "")
        if kind.versions and not body["apiVersion"].endswith(f"/{version}"):
            body["apiVersion"] = f"{kind.group}/{version}"
            spec = self.crd(kind)["spec"]
            if (spec.get("conversion") or {}).get("strategy", "None") == "None":
                schema = next(
                    v["schema"]["openAPIV3Schema"] for v in spec["versions"] if v["name"] == version
                )
                known = schema["properties"].get("spec", {}).get("properties", {})
                body["spec"] = {name: value for name, value in body.get("spec", {}).items() if name in known}
        return body

    def put(self, body: JsonObject, namespace: str = "", *, dry: bool = False, new: bool = False) -> str:
        """Create or change an object; what the server itself says of it stays."""
        key, body = self.key(body, namespace), deepcopy(body)
        old = self.objects.get(key)
        if new and old:
            raise RefusedError(f'Error from server (AlreadyExists): {key.kind} "{key.name}" already exists')
        if key.namespace and Key("", "Namespace", "", key.namespace) not in self.objects:
            raise RefusedError(f'Error from server (NotFound): namespaces "{key.namespace}" not found')
        self.admit(key, body, "UPDATE" if old else "CREATE")
        self.validate(key, body, old)
        if dry:
            return f"{key.kind}/{key.name}"
        meta = body["metadata"]
        if key.namespace:
            meta["namespace"] = key.namespace
        for name in SERVER_SET:
            meta.pop(name, None)
        meta |= {"uid": f"uid-{next(self.numbers)}", "resourceVersion": str(next(self.numbers))}
        if old:
            meta["uid"] = old["metadata"]["uid"]
            for name in ("ownerReferences", "finalizers"):
                if name in old["metadata"]:
                    meta.setdefault(name, old["metadata"][name])
        if key.kind == "CustomResourceDefinition":
            stored = [each["name"] for each in body["spec"]["versions"] if each["storage"]]
            kept = old["status"]["storedVersions"] if old else []
            body["status"] = {"storedVersions": [*dict.fromkeys([*kept, *stored])]}
        elif old and "status" in old:
            body["status"] = old["status"]
        self.objects[key] = body
        if key.kind == "Deployment" and (old is None or old["spec"] != body["spec"]):
            self.ready.discard((key.namespace, key.name))
        self.act(key, body)
        return f"{key.kind}/{key.name}"

    def act(self, key: Key, body: JsonObject | None) -> None:
        for each in self.actors:
            each(key, body)

    def validate(self, key: Key, body: JsonObject, old: JsonObject | None) -> None:
        faults: list[str] = []
        if key.kind == "CustomResourceDefinition" and old:
            names = [each["name"] for each in body["spec"]["versions"]]
            gone = [each for each in old["status"]["storedVersions"] if each not in names]
            faults += [f'status.storedVersions: "{each}": must appear in spec.versions' for each in gone]
        for kind, path in (("Deployment", "selector"), ("ClusterRoleBinding", "roleRef")):
            if old and key.kind == kind:
                was, now = (each.get("spec", each).get(path) for each in (old, body))
                faults += [f"{path}: field is immutable"] if was != now else []
        if (kind := self.type_of(body)).versions:
            walk = walked(
                {**body, "metadata": {"name": key.name, "namespace": key.namespace}}, [self.crd(kind)]
            )
            faults += [str(each.message) for each in walk.problems if each.rule.severity is Severity.ERROR]
        if faults:
            raise RefusedError(f'The {key.kind} "{key.name}" is invalid: {"; ".join(faults)}')

    def admit(self, key: Key, body: JsonObject, operation: str) -> None:
        """Refuse what a policy denies, and what a webhook is asked about that nobody answers."""
        kind, version = self.type_of(body), body["apiVersion"].rpartition("/")[2]
        for each in [*self.objects.values()]:
            if each["kind"] == "ValidatingAdmissionPolicy" and self.bound(each):
                rules = each["spec"]["matchConstraints"]["resourceRules"]
                if any(_fits(rule, kind, operation, (version,)) for rule in rules):
                    raise RefusedError(
                        f"Error from server (Forbidden): {each['spec']['validations'][0]['message']}"
                    )
            for hook in each.get("webhooks", ()) if each["kind"].endswith("WebhookConfiguration") else ():
                versions = kind.versions or (version,)
                asked = any(_fits(rule, kind, operation, versions) for rule in hook["rules"])
                if asked and hook.get("failurePolicy") != "Ignore" and not self.answers(hook):
                    raise RefusedError(
                        f'Error from server (InternalError): failed calling webhook "{hook["name"]}"'
                    )

    def bound(self, policy: JsonObject) -> bool:
        name = policy["metadata"]["name"]
        return any(
            each["spec"]["policyName"] == name
            for key, each in self.objects.items()
            if key.kind == "ValidatingAdmissionPolicyBinding"
        )

    def answers(self, hook: JsonObject) -> bool:
        service = hook["clientConfig"]["service"]
        found = self.objects.get(Key("", "Service", service["namespace"], service["name"]))
        selector = found["spec"]["selector"].items() if found else [("", "")]
        return any(
            (key.namespace, key.name) in self.ready
            and key.namespace == service["namespace"]
            and selector <= each["spec"]["template"]["metadata"]["labels"].items()
            for key, each in self.objects.items()
            if key.kind == "Deployment"
        )

    def remove(self, key: Key, *, orphan: bool = False) -> None:
        """Delete an object, and what it holds or owns."""
        body = self.objects[key]
        meta = body["metadata"]
        operator, finalizer = self.finalizing.get((key.group, key.kind), ((), ""))
        if finalizer in meta.get("finalizers", ()) and operator in self.ready:
            meta["finalizers"].remove(finalizer)
            # It answers by deleting what it made, whoever owns that now.
            for child in [k for k, each in self.objects.items() if _made_for(each) == key.name]:
                self.remove(child)
        if meta.get("finalizers"):
            raise RefusedError(
                f"error: timed out waiting for the condition on {key.kind}/{key.name}: finalizers"
            )
        if key.kind == "CustomResourceDefinition":
            names = body["spec"]["group"], body["spec"]["names"]["kind"]
            self.remove_all(k for k in self.objects if (k.group, k.kind) == names)
        if key.kind == "Namespace":
            self.remove_all(k for k in self.objects if k.namespace == key.name)
        self.objects.pop(key, None)
        self.ready.discard((key.namespace, key.name)) if key.kind == "Deployment" else None
        for child, each in [*self.objects.items()]:
            owners = each["metadata"].get("ownerReferences", [])
            left = [one for one in owners if one["uid"] != meta["uid"]]
            if left == owners:
                continue
            if orphan or left:
                each["metadata"]["ownerReferences"] = left
            elif child in self.objects:
                self.remove(child)
        self.act(key, None)

    def remove_all(self, keys: Iterable[Key]) -> None:
        for each in [*keys]:
            if each in self.objects:
                self.remove(each)

    # Commands

    def run(self, words: list[str], folder: Path, given: str) -> tuple[int, str, str]:
        """Return the exit code and what a command prints."""
        options, rest = _parsed(words)
        verb, *rest = rest
        out: list[str] = []
        try:
            code = getattr(self, f"do_{verb.replace('-', '_')}")(rest, options, folder, given, out)
        except RefusedError as error:
            return 1, "".join(out), f"{error}\n"
        return code or 0, "".join(out), ""

    def bodies(self, options: dict[str, Any], folder: Path, given: str) -> list[JsonObject]:
        found: list[JsonObject] = []
        for each in options.get("-k", ()):
            listed = next(iter(read_all((folder / each / "kustomization.yaml").read_text())))
            found += [
                one for name in listed["resources"] for one in _objects((folder / each / name).read_text())
            ]
        for each in options.get("-f", ()):
            path = folder / each
            files = sorted(path.iterdir()) if each != "-" and path.is_dir() else [path]
            for file in files:
                found += _objects(given if each == "-" else file.read_text())
        if not found:
            raise RefusedError("error: no objects passed")
        return found

    def chosen(self, rest: list[str], options: dict[str, Any]) -> list[tuple[Key, Type, str]]:
        """Return the objects that a command names by kind, and by name or label."""
        words, *names = rest
        if "/" in words:
            words, _, name = words.partition("/")
            names = [name]
        home = options.get("-n", ["default"])[0]
        found = []
        for word in words.split(","):
            kind, version = self.named(word)
            for key, body in [*self.objects.items()]:
                if (key.group, key.kind) != (kind.group, kind.kind) or (names and key.name not in names):
                    continue
                if kind.namespaced and "-A" not in options and key.namespace != home:
                    continue
                labels = body["metadata"].get("labels") or {}
                wanted = options.get("--selector", options.get("-l", [""]))[0]
                if all(_has(labels, each) for each in wanted.split(",") if each):
                    found.append((key, kind, version))
        if names and not found and "--ignore-not-found" not in options:
            raise RefusedError(f'Error from server (NotFound): {words} "{names[0]}" not found')
        return found

    def do_get(
        self, rest: list[str], options: dict[str, Any], folder: Path, given: str, out: list[str]
    ) -> None:
        if "-f" in options:
            named = [(self.key(each), self.type_of(each)) for each in self.bodies(options, folder, given)]
            if missing := [key.name for key, _ in named if key not in self.objects]:
                raise RefusedError(f'Error from server (NotFound): "{missing[0]}" not found')
            found = [(key, kind, "") for key, kind in named]
        else:
            found = self.chosen(rest, options)
        bodies = [self.at(*each) for each in found]
        form = options.get("-o", [""])[0]
        one = len(rest) > 1 and bodies
        whole = bodies[0] if one else {"apiVersion": "v1", "items": bodies, "kind": "List"}
        name, _, said = form.partition("=")
        match name:
            case "yaml":
                out.append(dump(whole))
            case "json":
                out.append(json.dumps(whole))
            case "name":
                out += [f"{each['kind'].lower()}/{each['metadata']['name']}\n" for each in bodies]
            case "jsonpath":
                out.append(json_path(said, whole))
            case "go-template":
                out.append(go_template(said, whole))
            case "custom-columns":
                out.append(columns(said, bodies, headers="--no-headers" not in options and bool(bodies)))
            case _:
                out += [f"{each['metadata']['name']}\n" for each in bodies]

    def do_apply(
        self, rest: list[str], options: dict[str, Any], folder: Path, given: str, out: list[str]
    ) -> int:
        return self.each(options, folder, given, out, "applied")

    def do_create(
        self, rest: list[str], options: dict[str, Any], folder: Path, given: str, out: list[str]
    ) -> int:
        if rest[:1] == ["clusterrolebinding"]:
            reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole"}
            body = {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "ClusterRoleBinding",
                "metadata": {"name": rest[1]},
                "roleRef": {**reference, "name": options["--clusterrole"][0]},
            }
            out.append(f"{self.put(body, new=True)} created\n")
            return 0
        return self.each(options, folder, given, out, "created", new=True)

    def each(
        self,
        options: dict[str, Any],
        folder: Path,
        given: str,
        out: list[str],
        word: str,
        *,
        new: bool = False,
    ) -> int:
        """Write all objects; what is refused keeps none of the others from it."""
        faults = []
        dry = options.get("--dry-run", [""])[0] == "server"
        for body in self.bodies(options, folder, given):
            try:
                out.append(f"{self.put(body, options.get('-n', [''])[0], dry=dry, new=new)} {word}\n")
            except RefusedError as error:
                faults.append(str(error))
        if faults:
            raise RefusedError("\n".join(faults))
        return 0

    def do_diff(
        self, rest: list[str], options: dict[str, Any], folder: Path, given: str, out: list[str]
    ) -> int:
        code = 0
        for body in self.bodies(options, folder, given):
            self.put(body, dry=True)
            old = self.objects.get(self.key(body), {})
            if _plain(old) != _plain(body):
                out.append(f"diff {body['kind']}/{body['metadata']['name']}\n")
                code = 1
        return code

    def do_delete(
        self, rest: list[str], options: dict[str, Any], folder: Path, given: str, out: list[str]
    ) -> None:
        orphan = options.get("--cascade", [""])[0] == "orphan"
        if "-f" in options:
            found = []
            for body in self.bodies(options, folder, given):
                try:
                    key = self.key(body)
                except RefusedError:
                    if "--ignore-not-found" in options:
                        continue
                    raise
                if key not in self.objects and "--ignore-not-found" not in options:
                    raise RefusedError(f'Error from server (NotFound): "{key.name}" not found')
                found += [key] if key in self.objects else []
        else:
            assert len(rest) > 1 or "--all" in options
            found = [key for key, _, _ in self.chosen(rest, options)]
        for key in found:
            self.remove(key, orphan=orphan)
            out.append(f"{key.kind}/{key.name} deleted\n")

    def do_patch(
        self, rest: list[str], options: dict[str, Any], folder: Path, given: str, out: list[str]
    ) -> None:
        patch = json.loads(options["-p"][0])
        kind = options["--type"][0]
        if "--local" in options:
            patched = (_patched(each, patch, kind) for each in self.bodies(options, folder, given))
            out += [json.dumps(each, indent=4) + "\n" for each in patched]
            return
        for key, _, _ in self.chosen(rest, options):
            body = _patched(self.objects[key], patch, kind)
            if "--subresource" in options:
                self.objects[key]["status"] = body["status"]
            else:
                self.admit(key, body, "UPDATE")
                self.validate(key, body, self.objects[key])
                self.objects[key] = body
                self.act(key, body)
            out.append(f"{key.kind}/{key.name} patched\n")

    def do_replace(
        self, rest: list[str], options: dict[str, Any], folder: Path, given: str, out: list[str]
    ) -> int:
        for body in self.bodies(options, folder, given):
            old = self.objects.get(self.key(body))
            if old is None:
                raise RefusedError(f'Error from server (NotFound): "{body["metadata"]["name"]}" not found')
            version = body["metadata"].get("resourceVersion")
            if version and version != old["metadata"]["resourceVersion"]:
                raise RefusedError("Error from server (Conflict): the object has been modified")
        return self.each(options, folder, given, out, "replaced")

    def do_edit(
        self, rest: list[str], options: dict[str, Any], folder: Path, given: str, out: list[str]
    ) -> None:
        for key, _, _ in self.chosen(rest, options):
            body = deepcopy(self.objects[key])
            body["data"] = {"config.yaml": "edited\n"}
            self.put(body)

    def do_scale(
        self, rest: list[str], options: dict[str, Any], folder: Path, given: str, out: list[str]
    ) -> None:
        for key, _, _ in self.chosen(rest, options):
            self.objects[key]["spec"]["replicas"] = int(options["--replicas"][0])
            self.ready.discard((key.namespace, key.name))

    def do_rollout(
        self, rest: list[str], options: dict[str, Any], folder: Path, given: str, out: list[str]
    ) -> None:
        verb, *rest = rest
        for key, _, _ in self.chosen(rest, options):
            name = key.namespace, key.name
            self.started(name, self.objects[key]) if verb == "status" else self.ready.discard(name)

    def do_wait(
        self, rest: list[str], options: dict[str, Any], folder: Path, given: str, out: list[str]
    ) -> None:
        assert options["--for"] == ["condition=Established"]
        self.chosen(rest, options)

    def do_api_resources(
        self, rest: list[str], options: dict[str, Any], folder: Path, given: str, out: list[str]
    ) -> None:
        kinds = {(key.group, key.kind) for key in self.objects}  # others would show nothing, and take time
        known = (each for each in self.types() if (each.group, each.kind) in kinds)
        out += [f"{each.plural}.{each.group}".rstrip(".") + "\n" for each in known]

    def do_config(self, *_: Any) -> None:
        """Say which cluster it is."""

    do_version = do_config


def _fits(rule: JsonObject, kind: Type, operation: str, versions: Iterable[str]) -> bool:
    return (
        bool({kind.group, "*"} & {*rule["apiGroups"]})
        and bool({kind.plural, "*"} & {*rule["resources"]})
        and bool({operation, "*"} & {*rule["operations"]})
        and bool({*versions, "*"} & {*rule["apiVersions"]} or "*" in rule["apiVersions"])
    )


def _made_for(body: JsonObject) -> str:
    return str((body["metadata"].get("labels") or {}).get("made-for", ""))


def _has(labels: dict[str, str], wanted: str) -> bool:
    key, _, value = wanted.partition("=")
    return labels.get(key) == value if value else key in labels


def _plain(body: JsonObject) -> JsonObject:
    meta = {name: each for name, each in body.get("metadata", {}).items() if name not in SERVER_SET}
    return {**body, "metadata": meta, "status": None}


def _patched(body: JsonObject, patch: Any, kind: str) -> JsonObject:
    made = deepcopy(body)
    if kind == "json":
        for each in patch:
            *path, last = each["path"].strip("/").split("/")
            at = made
            for step in path:
                at = at[int(step)] if isinstance(at, list) else at[step]
            last = int(last) if isinstance(at, list) else last
            if each["op"] == "remove":
                del at[last]
            else:
                at[last] = each["value"]
        return made

    def merged(one: Any, other: Any) -> Any:
        if not isinstance(other, dict):
            return other
        one = dict(one) if isinstance(one, dict) else {}
        for name, value in other.items():
            one = (
                {k: v for k, v in one.items() if k != name}
                if value is None
                else {**one, name: merged(one.get(name), value)}
            )
        return one

    return merged(made, patch)


def _objects(text: str) -> Iterator[JsonObject]:
    """Yield what a file or an export holds; JSON may come as one object behind the other."""
    if text.lstrip().startswith("{"):
        decoder, found = json.JSONDecoder(), text.strip()
        documents = []
        while found:
            one, end = decoder.raw_decode(found)
            documents.append(one)
            found = found[end:].lstrip()
    else:
        documents = [each for each in read_all(text) if each]
    for each in documents:
        yield from each["items"] if each.get("kind") == "List" or "items" in each else [each]


def _parsed(words: list[str]) -> tuple[dict[str, Any], list[str]]:
    options: dict[str, list[str]] = {}
    rest, some = [], iter(words)
    for each in some:
        if not each.startswith("-") or each == "-":
            rest.append(each)
        elif each in VALUED:
            options.setdefault(each, []).append(next(some))
        else:
            name, _, value = each.partition("=")
            options.setdefault(name, []).append(value)
    return options, rest


@contextmanager
def commands(cluster: Cluster, folder: Path) -> Iterator[dict[str, str]]:
    """Put kubectl and kitgen into a folder, and return the environment that finds them; they run in here."""
    address = str(folder / "api")

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            (program, *words), given = json.loads(self.rfile.readline())
            if program.endswith("kubectl"):
                answer = cluster.run(words, Path.cwd(), given)
            else:  # in this process, since many short commands would take long to start
                done = run(*words, stdin=given)
                answer = done.code, done.out, done.err
            self.wfile.write(json.dumps(answer).encode())

    for name in ("kubectl", "kitgen"):
        (folder / name).write_text(CLIENT.format(python=sys.executable, address=address))
        (folder / name).chmod(0o755)
    with socketserver.UnixStreamServer(address, Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C"}
        server.shutdown()
        thread.join()
