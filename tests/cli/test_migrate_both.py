"""The release that a migration names for both sides has both, and every command tells when it has not."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

from kitgen.text.yaml import read_yaml

CASE = kits.CASES / "valid" / "migration"
SPEC = "migrations/new-group.yaml"
COMMANDS: dict[str, tuple[object, ...]] = {
    "check": ("check",),
    "migrate check": ("migrate", "check", "new-group"),
    "render": ("migrate", "render", "new-group", "--target", "olm", "--phase", "before", "--out", "out"),
    "plan": ("migrate", "plan", "new-group", "--target", "olm"),
    "resources": ("migrate", "resources", "new-group", "-"),
}


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return kits.make_kit(tmp_path / "kit", CASE)


def said(kit: Path, old: str, new: str) -> None:
    text = (kit / SPEC).read_text()
    assert old in text
    (kit / SPEC).write_text(text.replace(old, new))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("key", "release"), [("before", "v1.0.0"), ("after", "v2.0.0")])
def test_it_is_neither_the_one_before_nor_the_one_after(
    kit: Path, command: str, key: str, release: str
) -> None:
    said(kit, "both: v1.1.0", f"both: {release}")
    found = run(*COMMANDS[command], "--root", kit, stdin="items: []\n")
    message = f"migration-path: found '{release}', which is the release {key}, expected one in between"
    assert (found.code, message in found.out + found.err) == (1, True)


@pytest.mark.parametrize("command", COMMANDS)
def test_it_has_the_kinds_of_both_sides(kit: Path, command: str) -> None:
    folder = kit / "components/hello/v1.1.0"
    (folder / "crds/welcomes.yaml").unlink()
    spec = folder / "component.yaml"
    spec.write_text(spec.read_text().partition("roles:")[0])
    found = run(*COMMANDS[command], "--root", kit, stdin="items: []\n")
    message = "found greetings.example.org/v1/Greeting, which no CRD of release v1.1.0 has"
    told = " ".join((found.out + found.err).split())
    assert (found.code, f"migration-kind: {message}" in told) == (1, True)
    assert "/both" in told or command == "check"  # which shows the line itself
    assert "1 error" in told


def test_nothing_follows_from_a_kind_that_is_not_there(kit: Path) -> None:
    said(kit, "from: example.com/v1/Greeting", "from: example.com/v1/Greting")
    drops = "drops: [{kind: example.com/v1/Greeting, reason: nobody uses it}]\nbefore:"
    said(kit, "before:", drops)
    found = run("migrate", "check", "new-group", "--root", kit)
    assert (found.code, "migration-loss" in found.out + found.err) == (1, False)
    assert "1 error in 1 file" in found.out + found.err


def test_its_own_webhooks_of_one_kind_in_two_groups_are_left_alone(kit: Path, tmp_path: Path) -> None:
    both, after = (kit / f"components/hello/{each}" for each in ("v1.1.0", "v2.0.0"))
    new = "webhooks: {kinds: [{kind: greetings.example.org/v1/Greeting, domain: greetings.example.org}]}\n"
    spec = both / "component.yaml"
    spec.write_text(f"{spec.read_text()}\n{new}")
    old = ["webhooks/kinds/example.com/v1/Greeting", "roles/manager-role/permissions/example.com~1greetings"]
    gone = "".join(f"- /{each}\n" for each in (*old, "crds/greetings.yaml"))
    head = "component: hello\nversion: v2.0.0\nfrom: v1.1.0\nabout: The new group alone\n"
    images = "images: {manager: quay.io/example/hello:v2.0.0}\n"
    (after / "component.yaml").write_text(f"{head}{images}remove:\n{gone}")
    (after / "crds/greetings.yaml").unlink()
    assert run("migrate", "check", "new-group", "--root", kit).code == 0
    for phase, groups in (
        ("introduce", ["example.com", "greetings.example.org"]),
        ("read-only", ["greetings.example.org"]),
    ):
        out = tmp_path / phase
        args = ("new-group", "--target", "olm", "--phase", phase, "--out", out, "--root", kit)
        assert run("migrate", "render", *args).code == 0
        (file,) = out.glob("validatingwebhookconfiguration-*.yaml")
        asked = [
            rule["apiGroups"] for hook in read_yaml(file.read_text())["webhooks"] for rule in hook["rules"]
        ]
        assert asked == [[each] for each in groups]
