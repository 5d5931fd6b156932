"""What the kit builds, imported as the next version, changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from kits import PROJECT
from running import run

from kitgen.pipeline.imports.importing import import_component
from kitgen.pipeline.imports.request import ImportRequest
from kitgen.pipeline.opened import Opened, open_kit
from kitgen.yamlio import read

NEXT = "v99.0.0"


def pairs() -> list[tuple[str, str]]:
    """Return every target with each component that it builds."""
    opened = open_kit(PROJECT)
    plans = {name: opened.plan(target) for name, target in opened.kit.targets.items()}
    return [(name, unit.context.component.name) for name, plan in plans.items() for unit in plan.units]


@pytest.mark.parametrize(("target", "component"), pairs())
def test_a_target_gives_nothing_but_a_version(
    target: str, component: str, tmp_path: Path, opened: Opened
) -> None:
    real = tmp_path / "real.yaml"
    built = run("build", target, component, "--root", PROJECT)
    assert built.code == 0
    real.write_text(built.out, encoding="utf-8")
    chosen = opened.target(target)
    version = chosen.takes(opened.release(chosen, None))[component]
    made = import_component(
        ImportRequest(
            root=PROJECT,
            real=str(real),
            component=component,
            version=NEXT,
            older=version,
            targets=((target, str(real)),),
            dry_run=True,
        )
    )
    assert not made.differences
    spec = f"components/{component}/{NEXT}/component.yaml"
    assert read(made.texts[spec]) == {"version": NEXT, "from": version}
    assert list(made.texts) == [spec]
