"""Numbers of thousands of digits are refused in one line, wherever a spec or the command line has them."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

MANY = "9" * 5_000
COMPONENT = "components/hello/v1.0.0/component.yaml"


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (COMPONENT, 'kubernetes: "1.29"', f'kubernetes: "1.{MANY}"'),
        (COMPONENT, "version: v1.0.0\n", f"version: v1.0.{MANY}\n"),
        (COMPONENT, "version: v1.0.0\n", f"version: v1.0.0-{MANY}\n"),
        ("releases/v1.0.0.yaml", "hello: v1.0.0", f"hello: v1.0.{MANY}"),
        ("kit.yaml", "kubernetes: ", f'kubernetes: ">=1.{MANY}" # '),
    ],
)
def test_a_long_number_in_a_spec_is_a_finding(tmp_path: Path, file: str, old: str, new: str) -> None:
    root = kits.make_kit(tmp_path)
    text = (root / file).read_text()
    assert old in text
    (root / file).write_text(text.replace(old, new, 1))
    for command in (["check"], ["render"], ["crd", "outline", "hello@v1.0.0"]):
        done = run(*command, "--root", root)
        assert (done.code, "kitgen failed" in done.err) == (1, False)


@pytest.mark.parametrize("group", ["batch", "apps"])
def test_a_long_number_in_a_version_of_an_api_is_a_finding(tmp_path: Path, group: str) -> None:
    root = kits.make_kit(tmp_path)
    with (root / COMPONENT).open("a") as stream:
        stream.write(f"objects:\n- {{apiVersion: {group}/v{MANY}, kind: Job, metadata: {{name: a}}}}\n")
    done = run("check", "-o", "lines", "--root", root)
    assert (done.code, "kitgen failed" in done.err) == (1, False)


def test_a_long_number_in_a_path_is_no_index(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path)
    done = run("why", "olm", "Deployment/hello-manager", f"spec/{MANY}", "--root", root)
    assert (done.code, "kitgen failed" in done.err) == (2, False)
