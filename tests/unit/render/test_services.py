"""Ports of a Service that several layers say."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
import yaml
from running import run

COMPONENT = "components/hello/v1.0.0/component.yaml"


@pytest.mark.parametrize(
    ("ports", "want"),
    [
        ("{more: 9090}", ["metrics", "more"]),
        ("[{name: more, port: 9090}]", ["metrics", "more"]),
        ("[]", ["metrics"]),
        ("{}", ["metrics"]),
    ],
)
def test_a_feature_adds_ports_in_either_form(ports: str, want: list[str], tmp_path: Path) -> None:
    text = (kits.make_kit(tmp_path) / COMPONENT).read_text()
    service = next(line.strip() for line in text.split("services:\n")[1].splitlines()).partition(":")[0]
    more = "    deployment: {containers: {manager: {ports: {more: 9090}}}}\n"
    feature = f"  wide:\n    about: More ports\n    default: true\n{more}"
    feature += f"    services: {{{service}: {{ports: {ports}}}}}\n"
    kits.write(tmp_path, {COMPONENT: text + feature})
    built = run("build", "olm", "--root", tmp_path)
    assert built.code == 0, built.err
    found = next(each for each in yaml.safe_load_all(built.out) if each["kind"] == "Service")
    assert [each["name"] for each in found["spec"]["ports"]] == want
