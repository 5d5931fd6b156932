"""A runbook is a program: its commands bring a cluster through every phase, and back from each of them.

They are run by sh as they are printed, with a stand-in for kubectl that refuses what a server refuses.
Nothing may fail, what must print nothing prints nothing, and every object is counted.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from copy import deepcopy
from itertools import count
from pathlib import Path
from typing import Any

import kits
import project
import pytest
from cluster import SERVER_SET, Key
from kubectl import Kubectl, commands
from moving import moving_kit
from running import run

from kitgen.kit.migrations import load_migrations
from kitgen.kit.spec_files import SpecFiles
from kitgen.migrate.phases.run import Phases, open_migration, resolve_target
from kitgen.text.yaml import JsonObject

ITEM = {
    "replicas": 1,
    "generictemplate": {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "work", "labels": {"appwrapper.mcad.ibm.com": "work"}},
        "spec": {"containers": [{"name": "main", "image": "quay.io/example/work:v1"}]},
    },
}
SPECS: dict[str, JsonObject] = {
    "AppWrapper": {"priority": 3, "resources": {"GenericItems": [ITEM]}},
    "QuotaSubtree": {"children": [{"name": "team", "quotas": {"requests": {"cpu": "8", "memory": "16Gi"}}}]},
    "SchedulingSpec": {"minAvailable": 2},
    "Greeting": {"text": "hello"},
    "Echo": {"text": "again"},
}
"""What resources of a kind say, by its name."""
FOLDERS = ("phases", "backup", "moved")
HOMES = ("team-a", "team-b")
QUEUES = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: plain}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: work, namespace: team-a}
spec: {clusterQueue: shared}
"""
VARIABLES = {"MOVER": "ann", "QUEUE": "work", "QUEUES": "queues", "PLAN": "install-next"}
SECONDS = count(1_900_000_000)
"""When the steps of runbooks are done."""


class Book:
    """A runbook, a cluster, and the folder of the kit that it is run in."""

    def __init__(self, root: Path, migration: str, target: str, by: str) -> None:
        self.root, self.by = root, by
        told = run("migrate", "plan", migration, "--target", target, "-o", "json", "--root", root)
        assert told.code == 0, told.err
        self.phases = {each["phase"]: each for each in json.loads(told.out)["phases"]}
        opening = open_migration(root, migration)
        self.made = Phases(opening, resolve_target(opening, target))
        self.migration = opening.migration
        self.cluster = Kubectl()
        self.env: dict[str, str] = {}
        self.release = self.migration.before
        self.started()

    def odh_operator(self, key: Key, body: JsonObject | None) -> None:
        """Bring or remove components as a DataScienceCluster says, with the manifests of a release."""
        if key.kind != "DataScienceCluster" or body is None:
            return
        names = self.made.target.data_science_cluster.components
        for key_, said in body["spec"]["components"].items():
            for unit in self.made.plans[self.release].units:
                if unit.context.component.name != names[key_]:
                    continue
                for each in unit.final:
                    # What people applied of a CRD, with more versions, is left for them to see here.
                    crd = each.id.kind == "CustomResourceDefinition" and self.cluster.key(each.body)
                    if crd in self.cluster.objects:
                        continue
                    if said["managementState"] == "Managed":
                        self.cluster.put(each.body)
                    elif each.id.kind != "CustomResourceDefinition":
                        self.cluster.remove_all([self.cluster.key(each.body)])

    def started(self) -> None:
        """Bring what is there before: the release, namespaces with resources, and what was made for them."""
        cluster, objects = self.cluster, self.made.releases[self.migration.before]
        homes = {"default", *HOMES, *(each.id.namespace for each in objects if each.id.namespace)}
        for name in sorted(homes):
            cluster.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        for each in objects:
            cluster.put(each.body)
        cluster.settle()
        moved = self.made.build(self.migration.phases[0]).moved
        for side in (each.old for each in moved.old):
            for home in HOMES if not side.cluster_wide else ("",):
                for number in range(3):
                    self.resource(side.name, f"{side.name.kind.lower()}-{home}-{number}", home)
        (operator,) = {(each.id.namespace, each.id.name) for each in objects if each.id.kind == "Deployment"}
        for each in moved.moving_kinds:
            for side in (each.old, each.new):
                cluster.finalizing[side.name.group, side.name.kind] = operator, f"{side.name.group}/finalizer"
        self.env["NAMESPACE"] = operator[0]
        settings = {"name": "codeflare-operator-config", "namespace": operator[0]}
        cluster.put(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": settings, "data": {"config.yaml": ""}}
        )
        cluster.settle()

    def resource(self, kind: Any, name: str, home: str) -> None:
        meta = {"name": name, "labels": {"team": home or "all"}, **({"namespace": home} if home else {})}
        body = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": meta, "spec": SPECS[kind.kind]}
        self.cluster.put(body)
        key = self.cluster.key(body)
        owner = {"apiVersion": kind.api_version, "kind": kind.kind, "name": name}
        owner["uid"] = self.cluster.objects[key]["metadata"]["uid"]
        child = {"name": f"child-{name}", "namespace": home or HOMES[0], "labels": {"made-for": name}}
        self.cluster.put(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**child, "ownerReferences": [owner]}}
        )

    def go(self, phase: str, *parts: str) -> None:
        """Work through parts of a phase, from top to bottom."""
        for part in parts:
            for step in self.phases[phase][part]:
                if step["by"] not in (None, self.by):
                    continue
                if named := re.search(r"ODH operator .*release (\S+)$", step["title"]):
                    self.release = named[1]
                for command in step["commands"]:
                    # Nobody does two steps within a second.
                    timed = command.replace("$(date +%s)", str(next(SECONDS)))
                    done = subprocess.run(
                        ["sh", "-c", timed], env=self.env, capture_output=True, text=True, check=False
                    )
                    where = f"{phase}, {part}, {step['title']}: {command}\n{done.stdout}{done.stderr}"
                    assert done.returncode == 0, where
                    if "crd validate" in command:
                        assert re.match(r"[1-9]\d* objects checked, 0 errors$", done.stdout), where
                    if "must print nothing" in (step["why"] or ""):
                        assert not done.stdout, where

    def state(self) -> dict[Key, JsonObject]:
        """Return every object, without what only the server says of it and without owners."""
        found = deepcopy(self.cluster.objects)
        for body in found.values():
            for name in (*SERVER_SET, "ownerReferences", "finalizers"):
                body["metadata"].pop(name, None)
        return found


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Path]:
    home = Path.cwd()
    yield tmp_path / "kit"
    os.chdir(home)


def played(root: Path, migration: str, target: str, by: str = "kubectl") -> None:
    """Go forward through all phases, back from each of them to the start, and forward again."""
    os.chdir(root)
    book = Book(root, migration, target, by)
    if any(step["by"] == "odh" for each in book.phases.values() for step in each["steps"]):
        book.by = by = "odh"
        book.cluster.actors.append(book.odh_operator)
    folder = root.parent / "bin"
    folder.mkdir()
    (root / "queues").mkdir()
    (root / "queues/queues.yaml").write_text(QUEUES)
    with commands(book.cluster, folder) as env:
        book.env = {**env, **VARIABLES, **book.env}
        saved, states = [], []
        for phase in book.phases:
            book.go(phase, "steps", "checks")
            states.append(book.state())
            saved.append((kept_files(root), book.release, book.cluster.saved()))
        complete(book, states)
        names = [*book.phases]
        for at, phase in enumerate(names):
            files, book.release, there = saved[at]
            book.cluster.load(there)
            for folder in FOLDERS:
                shutil.rmtree(root / folder, ignore_errors=True)
            kits.write(root, files)
            for back in range(at, -1, -1):
                book.go(names[back], "back")
                same(states[max(back - 1, 0)], book.state(), f"back from {phase}, in {names[back]}")
        for phase in names[1:]:
            book.go(phase, "steps", "checks")
        same(states[-1], book.state(), "forward again")


def kept_files(root: Path) -> dict[str, str]:
    """Return what the commands have written so far."""
    files = (path for folder in FOLDERS for path in (root / folder).rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_text() for path in files}


def complete(book: Book, states: list[dict[Key, JsonObject]]) -> None:
    """Count the resources of every kind, and what was made for them."""
    first, last = states[0], states[-1]
    moved = book.made.build(book.migration.phases[0]).moved

    def named(state: dict[Key, JsonObject], side: Any) -> list[tuple[str, str]]:
        kind = (side.name.group, side.name.kind)
        return sorted((key.namespace, key.name) for key in state if (key.group, key.kind) == kind)

    for each in moved.moving_kinds:
        assert named(first, each.old) and named(first, each.old) == named(last, each.new)
    children = [key for key in first if key.name.startswith("child-")]
    assert children and not [key for key in children if key not in last]


def same(expected: dict[Key, JsonObject], found: dict[Key, JsonObject], where: str) -> None:
    # Whoever carries resources over is bound by hand, and again only if that is needed.
    known = {k: _managed(v) for k, v in expected.items() if not _binds_mover(k)}
    there = {k: _managed(v) for k, v in found.items() if not _binds_mover(k)}
    missing, more = known.keys() - there.keys(), there.keys() - known.keys()
    other = [key for key in known.keys() & there.keys() if known[key] != there[key]]
    assert not (missing or more or other), f"{where}: missing {missing}, more {more}, other {other}"


def _managed(body: JsonObject) -> JsonObject:
    """Return a DataScienceCluster without components that are removed: they may as well be absent."""
    if body["kind"] != "DataScienceCluster":
        return body
    some = body["spec"]["components"].items()
    return {k: v for k, v in some if v["managementState"] != "Removed"}


def _binds_mover(key: Key) -> bool:
    return key.kind == "ClusterRoleBinding" and key.name.endswith("-migration")


def own() -> Iterator[Any]:
    """Yield every migration of the project with each of its targets."""
    for name, each in load_migrations(SpecFiles(kits.PROJECT), project.project().kit).known.items():
        for target in each.targets:
            yield pytest.param(name, target, id=f"{name}-{target}")


@pytest.mark.parametrize(("migration", "target"), [*own()])
def test_the_migrations_of_the_kit_lose_nothing(kit: Path, migration: str, target: str) -> None:
    for name in ("kit.yaml", "components", "targets", "releases", "migrations"):
        source = kits.PROJECT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        kit.mkdir(exist_ok=True)
        copy(source, kit / name)
    played(kit, migration, target)


ECHO = """\
group: example.com
names: {kind: Echo, plural: echoes}
scope: Cluster
versions:
  v1:
    storage: true
    schema:
      type: object
      properties:
        spec: {type: object, properties: {text: {type: string}}}
"""


@pytest.mark.parametrize("path", ["progressive", "one-shot"])
def test_kinds_that_move_and_kinds_that_go_lose_nothing(kit: Path, path: str) -> None:
    kits.make_kit(kit, kits.CASES / "valid" / "migration")
    spec = kit / "migrations/new-group.yaml"
    text = spec.read_text() + "drops: [{kind: example.com/v1/Echo, reason: nobody listens}]\n"
    if path == "one-shot":
        text = text.replace("both: v1.1.0\n", "").replace("path: progressive", "path: one-shot")
    kits.write(
        kit, {"components/hello/v1.0.0/crds/echoes.yaml": ECHO, spec.relative_to(kit).as_posix(): text}
    )
    played(kit, "new-group", "olm")


@pytest.mark.parametrize("name", ["groups", "fields"])
def test_kinds_that_change_their_group_or_version_lose_nothing(
    kit: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    moving_kit(kit)
    for path in kit.glob("components/*/*/component.yaml"):
        path.write_text(path.read_text() + "labels: [{pairs: {app: hello}, selectors: true}]\n")
    monkeypatch.setitem(SPECS, "Greeting", {"text": "hello", "items": [{"text": "hi"}]})
    played(kit, name, "olm")
