"""Durations become nanoseconds wherever they stand, and numbers are compared with fractions too."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest

from kitgen.app.build import build_objects
from kitgen.findings.errors import FindingsError
from kitgen.text.yaml import Json, read_yaml

CONFIG = """
configMap: config
key: config.yaml
fields:
  pauses: {type: array, items: {type: nanoseconds}}
  limits: {type: object, additionalProperties: {type: nanoseconds}}
  low: {type: number}
  high: {type: number, default: 2.5}
rules: [{field: low, atMost: high}]
"""


def rendered(folder: Path, values: str) -> Json:
    target = f"target: olm\nrelease: v1.0.0\ncomponents: {{hello: {{config: {values}}}}}\n"
    files = {"components/hello/v1.0.0/config.yaml": CONFIG, "targets/olm.yaml": target}
    made = build_objects(kits.write(kits.make_kit(folder), files), "target:olm").objects
    return read_yaml(next(m for m in made if m.id.name == "hello-config").body["data"]["config.yaml"])


def test_durations_in_lists_and_maps(tmp_path: Path) -> None:
    got = rendered(tmp_path, '{pauses: [1s, "0"], limits: {a: 2ms}, low: 2.5}')
    assert got == {"pauses": [10**9, 0], "limits": {"a": 2 * 10**6}, "low": 2.5}


def test_fractions_are_compared(tmp_path: Path) -> None:
    with pytest.raises(FindingsError) as raised:
        rendered(tmp_path, "{low: 2.6}")
    assert [finding.rule.id for finding in raised.value.findings] == ["config-rule"]
