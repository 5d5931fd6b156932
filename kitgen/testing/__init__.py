"""A pytest plugin that compares a kit with its snapshots, enabled by `kitgen_snapshots = true`.

In: a pytest configuration. Out: one test per kit. Without that setting the plugin only declares its two
options: everything it needs is imported where a kit enables it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

SETTING, KITS = "kitgen_snapshots", "kitgen_kits"
MARK = "kit.yaml"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Name the settings."""
    parser.addini(SETTING, "Hold what a kit renders against its snapshots/.", type="bool", default=False)
    parser.addini(KITS, "The folders of the kits; the root folder of pytest otherwise.", type="paths")


def pytest_configure(config: pytest.Config) -> None:
    """Look for kits if the configuration says so."""
    if not config.getini(SETTING):
        return
    if not config.pluginmanager.hasplugin("syrupy"):
        raise pytest.UsageError(f"{SETTING} needs syrupy: install kitgen[pytest]")
    kits = [Path(each) for each in config.getini(KITS) or [config.rootpath]]
    for kit in kits:
        if not (kit / MARK).is_file():
            raise pytest.UsageError(f"{SETTING}: {kit} has no {MARK}, name the folders of kits in {KITS}")
    if _runs_all_tests(config):
        config.args += [str(kit / MARK) for kit in kits]
    config.pluginmanager.register(_Kits(kits), "kitgen.testing.kits")


def _runs_all_tests(config: pytest.Config) -> bool:
    """Return whether pytest is to run all tests: then kits elsewhere are not left out."""
    source = pytest.Config.ArgsSource
    here = config.args_source is source.INVOCATION_DIR and config.invocation_params.dir == config.rootpath
    return here or config.args_source is source.TESTPATHS


class _Kits:
    """Take the mark of each kit for a file with one test."""

    def __init__(self, kits: list[Path]) -> None:
        self.kits = {kit.resolve() for kit in kits}

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Return what collects the test of a kit."""
        if file_path.name != MARK or file_path.parent.resolve() not in self.kits:
            return None
        from kitgen.testing.kit import KitFile

        return KitFile.from_parent(parent, path=file_path)
