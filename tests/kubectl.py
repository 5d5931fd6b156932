"""The commands of kubectl that runbooks use, against a cluster that is kept in memory."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

from cluster import SERVER_SET, Cluster, Key, RefusedError, Type
from running import run
from templates import columns, go_template, json_path

from kitgen.text.yaml import JsonObject, dump_yaml, read_yaml_documents

VALUED = {"-n", "-o", "-f", "-k", "-p", "-l", "--selector", "--type", "--for", "--timeout", "--subresource"}
CLIENT = """\
#!/bin/sh
call={folder}/$$
case " $* " in *" - "*) cat > "$call.in" ;; esac
printf '%s\\0' "$0" "$@" > "$call.words"
echo $$ > {folder}/calls
read -r whose code < {folder}/answers
test "$whose" = $$ || exit 70
test ! -s "$call.out" || cat "$call.out"
test ! -s "$call.err" || cat "$call.err" >&2
exit "$code"
"""
"""What stands for kubectl and kitgen; to start a Python for each call would take ten times as long.

Calls do not overlap: what reads from another one begins when that has its answer.
"""


class Kubectl(Cluster):
    """A cluster with the commands that change it."""

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
            listed = next(iter(read_yaml_documents((folder / each / "kustomization.yaml").read_text())))
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
                out.append(dump_yaml(whole))
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
        documents = [each for each in read_yaml_documents(text) if each]
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
def commands(cluster: Kubectl, folder: Path) -> Iterator[dict[str, str]]:
    """Put kubectl and kitgen into a folder, and return the environment that finds them; they run in here."""

    def answer(call: str) -> int:
        program, *words = (folder / f"{call}.words").read_text().split("\0")[:-1]
        given = (folder / f"{call}.in").read_text() if "-" in words else ""
        if program.endswith("kubectl"):
            code, out, err = cluster.run(words, Path.cwd(), given)
        else:  # in this process, since many short commands would take long to start
            done = run(*words, stdin=given)
            code, out, err = done.code, done.out, done.err
        (folder / f"{call}.out").write_text(out)
        (folder / f"{call}.err").write_text(err)
        return code

    def serve() -> None:
        # Both are open for reading and writing all the time, so that neither side ever meets an end.
        with (
            os.fdopen(os.open(folder / "calls", os.O_RDWR)) as calls,
            os.fdopen(os.open(folder / "answers", os.O_RDWR), "wb", buffering=0) as answers,
        ):
            while call := calls.readline().strip():
                code = 70
                try:
                    code = answer(call)
                finally:
                    answers.write(f"{call} {code}\n".encode())

    for name in ("kubectl", "kitgen"):
        (folder / name).write_text(CLIENT.format(folder=folder))
        (folder / name).chmod(0o755)
    for name in ("calls", "answers"):
        os.mkfifo(folder / name)
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C"}
    finally:
        (folder / "calls").write_text("\n")
        thread.join(timeout=10)
