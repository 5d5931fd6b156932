"""No text of a megabyte takes kitgen much memory or time, whichever command reads it as whatever."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import kits
import pytest
from compared import COMPARED, HEAD, labelled
from limits import taken
from payloads import DATA, LUA, OBJECTS, SPECS, TARGETS, TEMPLATES
from settings import (
    COMPONENTS,
    DECLARATIONS,
    MOVING,
    SETTINGS,
    chosen,
    labels_of_target,
    many_containers,
    migration,
    settled,
    typed,
)

pytestmark = pytest.mark.exhaustive

COMPONENT = "components/hello/v1.0.0/component.yaml"
CONFIG = "components/hello/v1.0.0/config.yaml"
GREETING = "---\napiVersion: example.com/v1\nkind: Greeting\nmetadata: {name: a, namespace: n}\n"


class Reader(NamedTuple):
    """A command that reads a payload."""

    command: tuple[str, ...]
    file: str
    """Where the payload stands."""
    payloads: Mapping[str, Callable[[], str]]
    around: Callable[[str, str], str] = lambda payload, _: payload
    """What is written there, by the payload and what stood there before."""
    beside: Mapping[str, Callable[[], str]] = {}
    """Other files that the command reads."""
    case: str = ""
    """The valid case whose kit it is; empty for the small one."""


def in_place(payload: str, old: str) -> str:
    """Put a section of a spec in place of the one that it has."""
    blocks = old.split("\n\n")
    return (
        "\n\n".join([each for each in blocks if not each.startswith(payload.partition(":")[0])])
        + "\n"
        + payload
    )


def some(table: Mapping[str, Callable[[], str]], *names: str) -> dict[str, Callable[[], str]]:
    return {name: table[name] for name in names}


READERS = [
    Reader(("check", "a.yaml"), "a.yaml", {**DATA, **OBJECTS}),
    Reader(("check",), "targets/olm.yaml", some(DATA, "values", "keys", "base 60", "brackets")),
    Reader(("check",), COMPONENT, SPECS, in_place),
    Reader(("check",), "targets/odh.yaml", TARGETS),
    Reader(("render",), COMPONENT, some(SPECS, "services", "labels of services"), in_place),
    Reader(("check",), COMPONENT, COMPONENTS, in_place, case="migration"),
    Reader(("release", "plan", "v1.0.0"), COMPONENT, COMPONENTS, in_place),
    Reader(("render",), "targets/odh.yaml", some(SETTINGS, "merged containers")),
    Reader(
        ("build", "odh"),
        *("targets/odh.yaml", some(SETTINGS, "variables")),
        beside={COMPONENT: many_containers},
    ),
    Reader(
        ("build", "odh"),
        *("targets/odh.yaml", some(SETTINGS, "items without fields", "items with other fields")),
        beside={CONFIG: typed},
    ),
    Reader(
        ("build", "odh"),
        *("targets/odh.yaml", some(SETTINGS, "items of no choice")),
        beside={CONFIG: chosen},
    ),
    Reader(("drift", "olm", "odh"), "targets/odh.yaml", {"labels": labels_of_target}),
    Reader(
        ("drift", "a.yaml", "b.yaml", "--declared", "odh/olm"),
        *("targets/odh.yaml", DECLARATIONS),
        beside={"a.yaml": lambda: settled("a"), "b.yaml": lambda: settled("b")},
    ),
    *(
        Reader(("check", "a.yaml", "-o", form), "a.yaml", some(OBJECTS, "amounts", "names alike"))
        for form in ("json", "sarif", "junit", "github")
    ),
    Reader(
        ("check", "t"),
        *("t/a.yaml", some(OBJECTS, "items", "bindings")),
        beside={"t/kustomization.yaml": lambda: "namePrefix: p-\nresources: [a.yaml]\n"},
    ),
    Reader(("rbac", "a.yaml"), "a.yaml", some(OBJECTS, "roles")),
    Reader(
        ("diff", "b.yaml", "a.yaml", "-o", "unified"),
        *("a.yaml", some(OBJECTS, "roles", "lines")),
        beside={"b.yaml": lambda: OBJECTS["other roles"]() + OBJECTS["other lines"]()},
    ),
    Reader(
        ("diff", "a.yaml", "b.yaml", "-a"),
        *("a.yaml", some(OBJECTS, "webhooks", "other webhooks")),
        beside={"b.yaml": OBJECTS["webhook rules"]},
    ),
    Reader(
        ("diff", "a.yaml", "b.yaml", "-a"),
        *("a.yaml", some(OBJECTS, "webhook rules")),
        beside={"b.yaml": OBJECTS["webhooks"]},
    ),
    Reader(
        ("import", "a.yaml", "--as", "other@v1.0.0", "--dry-run"),
        "a.yaml",
        some(OBJECTS, "crds", "schema words", "review versions", "pull secrets"),
    ),
    Reader(
        ("crd", "import", "a.yaml", "--component", "other", "--version", "v1.0.0"),
        *("a.yaml", some(OBJECTS, "unknown keys")),
    ),
    Reader(
        ("migrate", "resources", "new-group", "a.yaml"),
        *("a.yaml", some(OBJECTS, "exported")),
        case="migration",
    ),
    Reader(
        ("migrate", "resources", "new-group", "a.yaml"),
        *("a.yaml", MOVING),
        beside={"migrations/new-group.yaml": migration},
        case="migration",
    ),
    Reader(("crd", "validate", "a.yaml"), "a.yaml", some(DATA, "keys", "lists")),
    Reader(("images", "lock", "a.yaml"), "a.yaml", some(DATA, "values", "keys", "one value")),
    Reader(("notes", "v1.0.0"), "templates/notes.md.j2", TEMPLATES),
    Reader(
        ("argocd", "health", "--check", "a.yaml"),
        *("argocd/health/example.com_Greeting.lua", LUA),
        beside={"a.yaml": lambda: GREETING * 5_000},
    ),
    Reader(("drift", "odh", "olm", "-o", "json"), "targets/odh.yaml", {"labels of a role": labelled}),
    *(
        Reader(
            command,
            *("a.yaml", {name: pair.old}),
            beside={"b.yaml": pair.new, "targets/odh.yaml": partial("{}{}".format, HEAD, pair.target)},
        )
        for name, pair in COMPARED.items()
        for command in pair.commands
    ),
]
CASES = [
    pytest.param(reader, make, id=f"{' '.join(reader.command)}, {reader.file}: {name}")
    for reader in READERS
    for name, make in reader.payloads.items()
]


@pytest.mark.parametrize(("reader", "make"), CASES)
def test_a_payload_takes_little(tmp_path: Path, reader: Reader, make: Callable[[], str]) -> None:
    if reader.payloads is LUA:
        pytest.importorskip("lupa")
    kits.make_kit(tmp_path, kits.CASES / "valid" / reader.case if reader.case else None)
    old = (tmp_path / reader.file).read_text() if (tmp_path / reader.file).exists() else ""
    files = {
        reader.file: reader.around(make(), old),
        **{name: text() for name, text in reader.beside.items()},
    }
    kits.write(tmp_path, files)
    taken(tmp_path, *reader.command, codes=(0, 1, 2, 3))
    shutil.rmtree(tmp_path)
