"""Every command with arguments that it takes, for tables of attacks on all of them.

A row says how a command is run in the kit of `attacked_kit`. Where names go is read off the command itself,
so that an argument or an option is attacked from the day on which it is there.
"""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import click
import kits
from publishing import PUBLISHING, README, TAGS
from running import run

from kitgen.app.main import cli

NAME = "NAME"
"""Stands in arguments where a name goes."""
CASES = kits.CASES / "valid"
DEPLOYMENT = "Deployment/hello-manager"
DIGEST = json.dumps({"Name": "quay.io/example/hello", "Digest": f"sha256:{'1' * 64}"})
CLUSTERS = "- {name: lab, server: https://lab, labels: {vendor: OpenShift, ring: canary, region: eu}}\n"
GREETING = (
    "{apiVersion: example.com/v1, kind: Greeting, metadata: {name: a, namespace: b}, spec: {text: c}}\n"
)
EXCEPTIONS = "[]\n"
SOURCE = """\
targets/odh.yaml
   hello:
+    source: {repository: example/hello, ref: main, path: config}
"""


@dataclass(frozen=True, slots=True)
class Row:
    """How a command is run, as a shell would read it, and what of it names where the command writes."""

    line: str
    reads: tuple[str, ...]
    """How it is given files of others: FILE, OTHER and EMPTY; none if it reads nothing but a kit."""
    code: int = 0
    """How it ends."""
    writes: tuple[str, ...] = ()
    """Parameters that name a folder or file to write, which may be anywhere."""

    @property
    def args(self) -> tuple[str, ...]:
        """Return the arguments, without the name of the command."""
        return tuple(shlex.split(self.line))


KIT: tuple[str, ...] = ()
"""What a command is given that reads nothing but a kit."""
COMMANDS: dict[str, Row] = {
    "render": Row("olm --release v1.0.0 --out out", KIT, writes=("out",)),
    "build": Row("olm hello", KIT),
    "check": Row("olm --release v1.0.0", ("FILE", "-", "FILE --baseline OTHER")),
    "diff": Row(
        "olm@v1.0.0 olm@v1.1.0",
        ("path:OTHER path:FILE -a", "path:EMPTY path:FILE -a", "path:FILE path:EMPTY -a"),
        code=1,
    ),
    "drift": Row("olm odh", ("path:FILE path:OTHER", "path:FILE path:EMPTY"), code=1),
    "conflicts": Row("olm odh", ("FILE OTHER", "FILE FILE"), code=1),
    "compare": Row("olm/hello real.yaml", ("path:FILE OTHER", "path:FILE EMPTY", "path:EMPTY FILE")),
    "import": Row(
        "real.yaml --as hello@v9.0.0 --from hello@v1.0.0 --target olm=real.yaml --dry-run",
        ("FILE --as x@v1.0.0 --dry-run", "FILE --as hello@v9.0.0 --target olm=OTHER --dry-run"),
    ),
    "list": Row("", KIT),
    "matrix": Row("README.md --release v1.0.0 --write", ("FILE --release v1.0.0 --check",)),
    "pin": Row("rhoai v1.1.0", KIT),
    "notes": Row("v1.1.0 --from v1.0.0 --target olm", KIT),
    "tags": Row("v1.0.0", KIT),
    "why": Row(f"olm {DEPLOYMENT} spec.replicas --release v1.0.0", KIT),
    "rbac": Row("olm", ("FILE",)),
    "show": Row("hello@v1.1.0", KIT),
    "flatten": Row("hello@v1.1.0", KIT),
    "export": Row("odh exported", KIT, writes=("folder",)),
    "sources": Row("odh --release v1.0.0", KIT),
    "images list": Row("olm --release v1.0.0", ("FILE",)),
    "images lock": Row("digests.json --release v1.0.0 --tool skopeo", ("FILE --release v1.0.0",)),
    "images check": Row("olm --release v1.0.0", ("path:FILE",), code=1),
    "mirror": Row(
        "olm --registry registry.example.com --out mirrored --release v1.0.0", KIT, writes=("out",)
    ),
    "bundle write": Row("catalog --release v1.0.0 --target olm", KIT, writes=("folder",)),
    "bundle check": Row("overlays/olm/bundle", ("FILE",)),
    "release new": Row("v2.1.0 --from v2.0.0 --date 2030-01-31 --reason because", KIT),
    "release check": Row("v1.0.0", ("v1.0.0 --against FILE --target olm",)),
    "release plan": Row("v1.0.0", KIT, writes=("script", "catalog")),
    "argocd health": Row("ClusterQueue", ("--check FILE",)),
    "fleet plan": Row(
        "--clusters clusters.yaml -l vendor --pin olm=v1.1.0 --label lab:ring=b", ("--clusters FILE",)
    ),
    "migrate plan": Row("new-group --target olm", KIT),
    "migrate render": Row("new-group --target olm --phase introduce --out phase", KIT, writes=("out",)),
    "migrate check": Row("new-group greeting.yaml", ("new-group FILE", "new-group FILE --baseline OTHER")),
    "migrate resources": Row(
        "new-group greeting.yaml --backup backup", ("new-group FILE",), writes=("backup",)
    ),
    "crd import": Row(
        "real.yaml --component hello --version v9.0.0", ("FILE --component hello --version v9.0.0",)
    ),
    "crd outline": Row("greetings", ("FILE",)),
    "crd diff": Row(
        "hello@v1.0.0 hello@v1.1.0 --exceptions exceptions.yaml",
        ("FILE OTHER", "hello@v1.0.0 hello@v1.1.0 --exceptions FILE"),
    ),
    "crd validate": Row("greeting.yaml --crds real.yaml", ("FILE", "greeting.yaml --crds FILE")),
    "retire": Row("hello@v2.0.0 --dry-run", KIT, code=1),
    "init": Row("started", KIT, writes=("folder",)),
    "upgrade": Row("", KIT),
    "cache": Row("--clear", KIT),
    "schema": Row("release", KIT),
    "completion": Row("bash", KIT),
}


@cache
def leaf_commands() -> dict[str, click.Command]:
    """Return every command that does something, by its name."""
    return dict(_leaves(cli, click.Context(cli), ""))


def _leaves(command: click.Command, context: click.Context, name: str) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield name, command
        return
    for each in command.list_commands(context):
        inner = command.get_command(context, each)
        assert inner is not None
        yield from _leaves(inner, context, f"{name} {each}".strip())


def slots(name: str, *, files: bool = True) -> dict[str, tuple[str, ...]]:
    """Return the arguments of a command, once for each parameter that takes a text, with NAME for that one.

    Without files, parameters that take a path alone are left out.
    """
    command = leaf_commands()[name]
    given = command.make_context(name, list(COMMANDS[name].args)).params
    other = (click.Choice, click.types.BoolParamType, *(() if files else (click.Path,)))
    return {
        str(each.name): tuple(_line(command, {**given, str(each.name): _as_given(each)}))
        for each in command.params
        if not isinstance(each.type, other)
        if each.name != "root" or name == "list"  # every command finds the kit by the same words
    }


def _as_given(parameter: click.Parameter) -> object:
    several = parameter.nargs == -1 or getattr(parameter, "multiple", False)
    return (NAME,) if several else NAME


def _line(command: click.Command, given: dict[str, object]) -> Iterator[str]:
    """Yield what a shell hands over: options first, and arguments behind what ends the options."""
    for each in command.params:
        values = given.get(str(each.name))  # what ends a command by itself has none
        if isinstance(each, click.Option) and values is True:
            yield each.opts[-1]
        elif isinstance(each, click.Option) and values not in (None, False):
            for value in values if isinstance(values, tuple) else (values,):
                yield f"{each.opts[-1]}={value}"
    yield "--"
    for each in command.params:
        values = given.get(str(each.name))  # what ends a command by itself has none
        if isinstance(each, click.Argument) and values is not None:
            yield from map(str, values if isinstance(values, tuple) else (values,))


def attacked_kit(folder: Path) -> Path:
    """Make a small kit that each command finds something in: releases, a bundle, a fleet, a migration."""
    kits.make_kit(folder, CASES / "migration")
    bundle = CASES / "olm-bundle"
    for each in ("examples", "icon.svg"):
        copy = shutil.copytree if (bundle / "components/hello/v1.0.0" / each).is_dir() else shutil.copy
        copy(bundle / "components/hello/v1.0.0" / each, folder / "components/hello/v1.0.0" / each)
    for case in ("olm-bundle", "fleet"):
        for part in kits.EDIT.split((CASES / case / "edits.diff").read_text())[1:]:
            if "webhooks:" not in part:  # the migration has brought them
                kits.edit(folder, part)
            if "listing:" in part:
                newer = part.replace("/v1.0.0/component", "/v2.0.0/component").replace(":v1.0.0", ":v2.0.0")
                kits.edit(folder, newer.replace(", example: v1.0.0/examples/greeting.yaml", ""))
    kits.edit(folder, SOURCE)
    with (folder / "kit.yaml").open("a") as file:
        file.write(PUBLISHING)
    with (folder / "releases/v1.0.0.yaml").open("a") as file:
        file.write("records: {tester: v0.2.0}\n")
    files = {
        "releases/tags.yaml": TAGS,
        "README.md": README,
        "clusters.yaml": CLUSTERS,
        "digests.json": DIGEST,
    }
    kits.write(folder, {**files, "greeting.yaml": GREETING, "exceptions.yaml": EXCEPTIONS})
    assert run("render", "--root", folder, "-q").code == 0
    return kits.write(folder, {"real.yaml": run("build", "olm/hello", "--root", folder).out})
