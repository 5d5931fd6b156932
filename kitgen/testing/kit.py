"""The test of a kit: its snapshots equal what it renders."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from os.path import relpath
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from kitgen.findings.errors import FindingsError, KitgenError
from kitgen.kit.spec_files import SpecFiles
from kitgen.render.snapshots import render_snapshots
from kitgen.report.forms import render_findings
from kitgen.testing.files import compare_snapshots
from kitgen.testing.messages import describe_mismatches
from kitgen.workspace.kit import open_kit, raise_on_errors

FOLDER = "snapshots"
"""Where a kit keeps them."""


class KitFile(pytest.File):
    """The file that marks a kit."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the one test."""
        yield pytest.Function.from_parent(self, name=FOLDER, callobj=snapshots_are_current)


def snapshots_are_current(request: pytest.FixtureRequest, snapshot: SnapshotAssertion) -> None:
    """Compare the kit of a test with its snapshots."""
    assert_snapshots(request.path.parent, request, snapshot)


def assert_snapshots(root: Path, request: pytest.FixtureRequest, snapshot: SnapshotAssertion) -> None:
    """Fail where snapshots of a kit are not what it renders, or update them if requested."""
    update = bool(request.config.getoption("update_snapshots"))
    try:
        opened = open_kit(root)
        plans = [
            opened.plan(target) for target in opened.kit.targets.values()
        ]  # in the release that each pins
        raise_on_errors(
            opened.apply_exceptions(finding for plan in plans for finding in plan.findings), opened.root
        )
        wrong = compare_snapshots(root / FOLDER, render_snapshots(plans), snapshot, update=update)
        told = describe_mismatches(FOLDER, wrong, _build_update_command(request)) if wrong else ""
    except FindingsError as error:
        told = f"the kit does not render\n{_format_findings(error, root)}"
    except KitgenError as error:
        told = f"{error.message} (hint: {error.hint})" if error.hint else error.message
    if told:  # not while an error is handled, which pytest would show as well
        pytest.fail(told, pytrace=False)


def _build_update_command(request: pytest.FixtureRequest) -> str:
    """Return what updates the snapshots of a kit, from where pytest was called."""
    name = f"{relpath(request.path, request.config.invocation_params.dir)}::{request.node.name}"
    return shlex.join(["pytest", name, "--snapshot-update"])


def _format_findings(error: FindingsError, root: Path) -> str:
    """Write what stands in the way, one line a finding."""

    def text(name: str) -> str | None:
        try:
            found = SpecFiles(root).read_text(name)
        except KitgenError:
            return None
        return found if isinstance(found, str) else None

    return render_findings([each for each in error.findings if each.is_blocking], read=text)
