"""What a target says under `versions` is laid over what it says of the component."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

from kitgen.text.yaml import JsonObject, dump_yaml, read_yaml


def rendered(folder: Path, settings: JsonObject) -> Path:
    spec = {
        "target": "odh",
        "release": "v1.0.0",
        "namespace": "opendatahub",
        "dataScienceCluster": {"name": "default-dsc", "components": {"kueue": "hello"}},
        "components": {"hello": settings},
    }
    root = kits.write(kits.make_kit(folder), {"targets/odh.yaml": dump_yaml(spec)})
    assert run("render", "--root", root).code == 0
    return root / "overlays/odh"


@pytest.mark.parametrize(
    ("own", "under", "state"),
    [
        ("Removed", {">=1.0.0": "Managed"}, "Managed"),
        ("Managed", {">=1.0.0": "Removed"}, "Removed"),
        (None, {">=1.0.0": "Removed"}, "Removed"),
        ("Managed", {">=1.0.0": "Unmanaged", "<2.0.0": "Removed"}, "Removed"),
    ],
)
def test_the_state_under_versions_wins(
    tmp_path: Path, own: str | None, under: dict[str, str], state: str
) -> None:
    settings: JsonObject = {"versions": {wanted: {"managementState": each} for wanted, each in under.items()}}
    odh = rendered(tmp_path, settings if own is None else {"managementState": own, **settings})
    cluster = read_yaml((odh / "datasciencecluster.yaml").read_text())
    assert cluster["spec"]["components"] == {"kueue": {"managementState": state}}
    assert (odh / "hello").exists() == (state == "Managed")
