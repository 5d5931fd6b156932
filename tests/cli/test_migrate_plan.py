"""kitgen migrate plan prints the runbook of a migration, and stops where a phase cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import run

ARGS = ("migrate", "plan", "new-group", "--target", "olm")


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    return kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "migration")


def test_it_is_markdown_for_people_and_the_same_twice(kit: Path) -> None:
    made = run(*ARGS, "--root", kit)
    assert (made.code, made.err) == (0, "")
    heads = [line for line in made.out.splitlines() if line.startswith(("# ", "## "))]
    assert heads == [
        "# new-group for olm: Greetings move to a group of their own",
        "## What moves",
        *(
            f"## Phase {number}: {name}"
            for number, name in enumerate(["before", "introduce", "switch", "migrate", "read-only", "after"])
        ),
        "## What no tool can do for you",
    ]
    assert run(*ARGS, "--root", kit).out == made.out


def test_a_part_reads_like_this(kit: Path) -> None:
    shown = run(*ARGS, "--root", kit).out
    part = """\
**2. See that nothing of the old kinds is left.** The commands must print nothing. What they print would be \
deleted with its children.

```sh
kubectl get greetings.example.com -A -o \
'jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name}{"\\n"}{end}' | sort
```

**3. See that there is a backup.**

```sh
ls -l backup/greetings.example.com.yaml
```

**4. Delete the old CRDs.** No tool does it: OLM and the ODH operator never delete CRDs, and the guards keep \
Argo CD from it. It is done before the policy goes that refuses new resources.

```sh
kubectl delete crd greetings.example.com
```
"""
    assert part in shown


def test_programs_get_the_same(kit: Path) -> None:
    shown, told = run(*ARGS, "--root", kit).out, run(*ARGS, "-o", "json", "--root", kit).out
    data = json.loads(told)
    assert (data["migration"], data["target"], data["path"]) == ("new-group", "olm", "progressive")
    for phase in data["phases"]:
        for step in (*phase["steps"], *phase["back"], *phase["checks"]):
            assert step["title"] in shown
            assert all(command in shown for command in step["commands"])


EXPORT = "Export all resources, and keep the export"
STEPS = """\
steps:
- {phase: switch, title: Tell the teams, place: first}
- {phase: switch, title: Watch the dashboard., why: It shows who is left., commands: [open it, look]}
- {phase: switch, title: Nobody complains, place: check, commands: ["true"]}
- {phase: switch, title: Apologise, place: back}
- {phase: switch, title: Nothing stands still here, place: stopped}
- {phase: migrate, title: Stop what it made, place: stopped}
"""


def test_steps_of_its_own_stand_where_they_are_said_to(kit: Path) -> None:
    spec = kit / "migrations/new-group.yaml"
    before = json.loads(run(*ARGS, "-o", "json", "--root", kit).out)["phases"]
    spec.write_text(spec.read_text() + STEPS)
    made = run(*ARGS, "-o", "json", "--root", kit)
    assert (made.code, made.err) == (0, "")
    after = json.loads(made.out)["phases"]
    phases = [each["phase"] for each in after]
    assert [each for each in after if each["phase"] not in ("switch", "migrate")] == [
        each for each in before if each["phase"] not in ("switch", "migrate")
    ]
    was, now = (some[phases.index("switch")] for some in (before, after))
    own = {"title": "Tell the teams", "why": None, "commands": [], "by": None}
    watched = {
        "title": "Watch the dashboard",
        "why": "It shows who is left.",
        "commands": ["open it", "look"],
    }
    still = {**own, "title": "Nothing stands still here"}
    assert now["steps"] == [own, *was["steps"], still, {**own, **watched}]
    assert now["checks"] == [*was["checks"], {**own, "title": "Nobody complains", "commands": ["true"]}]
    assert now["back"] == [*was["back"], {**own, "title": "Apologise"}]
    moving = [each["title"] for each in after[phases.index("migrate")]["steps"]]
    at = moving.index("Stop what it made")
    assert moving[at - 1 : at + 2] == ["Take its webhooks away", "Stop what it made", EXPORT]
    assert "**1. Tell the teams.**" in run(*ARGS, "--root", kit).out


def test_a_phase_that_cannot_be_is_told_instead(kit: Path) -> None:
    spec = kit / "components/hello/v2.0.0/component.yaml"
    spec.write_text(spec.read_text().replace("quay.io/example/hello:v2.0.0", "quay.io/example/hello"))
    found = run(*ARGS, "--root", kit)
    assert (found.code, found.out) == (1, "")
    assert "image-tag" in found.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("new-grup", "--target", "olm"), "no migration 'new-grup' in this kit (hint: did you mean"),
        (("new-group", "--target", "odh"), "new-group is not for the target 'odh'"),
        (("new-group",), "Missing option '--target'"),
    ],
)
def test_wrong_usage_is_told(kit: Path, args: tuple[str, ...], message: str) -> None:
    found = run("migrate", "plan", *args, "--root", kit)
    assert (found.code, found.out) == (2, "")
    assert message in found.err
