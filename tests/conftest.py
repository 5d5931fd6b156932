"""What all tests have in common."""

# ruff: noqa: E402 # what is imported before the first line that counts would be compiled by every worker

from __future__ import annotations

import sys

sys.dont_write_bytecode = False  # workers, and the next run, need not compile everything again

import gc
import os
import pickle
import tempfile
from collections.abc import Iterator
from pathlib import Path

import kits
import pytest
from hypothesis import HealthCheck, settings
from project import project
from running import run

from kitgen.check import engine
from kitgen.kit import spec_files as specfiles
from kitgen.text import yaml as yamlio
from kitgen.text.yaml import Json, Values
from kitgen.workspace.kit import OpenedKit

pytest.register_assert_rewrite("normal", "recorded", "routes")

collect_ignore = ["cases", "data"]

# Most of what is made here stays: modules, tests, what kitgen keeps of schemas. To look through it for
# garbage again and again takes a fifth of the time.
gc.set_threshold(200_000, 20, 50)

# How long an example takes says more of the machine than of the code. CI tries the same examples every
# time, so that a change is red because of itself; elsewhere they are new ones. Attacks try more of them.
settings.register_profile(
    "kitgen",
    max_examples=10,
    deadline=None,
    derandomize="CI" in os.environ,
    print_blob=True,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.function_scoped_fixture,
    ],
)
settings.register_profile("attacks", settings.get_profile("kitgen"), max_examples=100)
settings.load_profile("kitgen")


# Kits are many small files that live for a moment: to take them to a disk takes longer than most tests.
ROOMS, MEMORY, ENOUGH = ("PYTEST_DEBUG_TEMPROOT", "TMPDIR"), "/dev/shm", 2 * 1024**3


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--record",
        action="store_true",
        help="Keep what the real kustomize builds now, and take builds into the reference that it lacks.",
    )
    parser.addoption(
        "--record-reference",
        action="store_true",
        help="Take the kit's objects of now for what the downstreams ship, also where it has others.",
    )


def pytest_configure(config: pytest.Config) -> None:
    recording = config.getoption("--record") or config.getoption("--record-reference")
    if recording and config.getoption("numprocesses", None):
        raise pytest.UsageError("results are kept in one file: record without -n")
    if _has_room(MEMORY):
        for each in ROOMS:
            os.environ.setdefault(each, MEMORY)
        tempfile.tempdir = None  # pytest has asked before


def _has_room(folder: str) -> bool:
    """Tell whether a folder can hold what tests write, programs that they run among that."""
    if not os.access(folder, os.W_OK) or os.name != "posix":
        return False
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize > ENOUGH and not found.f_flag & os.ST_NOEXEC


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.getoption("--record") or session.config.getoption("--record-reference"):
        import recorded

        recorded.write_recordings()


@pytest.fixture
def record(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--record"))


@pytest.fixture
def record_reference(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--record-reference"))


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the memory of renders out of the home folder, and let processes share compiled code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        patch.setenv("KITGEN_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True, scope="session")
def specs_read_once() -> Iterator[None]:
    """Parse the same text of a spec once: most kits here are the same but for a line. Each gets a copy."""
    known: dict[str, tuple[bytes, int]] = {}

    def read(text: str, *, values: Values) -> Json:
        if text in known and known[text][1] <= values.left:
            values.left -= known[text][1]
            return pickle.loads(known[text][0])
        before = values.left
        found = yamlio.read_yaml(text, values=values)
        known[text] = pickle.dumps(found), before - values.left
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(specfiles, "read_yaml", read)
        yield


SECURITY = "kitgen.check.security.objects:check"
WITHOUT_PODS = tuple(each for each in engine.CHECKS if each != SECURITY)


@pytest.fixture(autouse=True, scope="session")
def plain_pods() -> Iterator[None]:
    """Let the pods of small examples run as they like, unless a test asks for `how_pods_run`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "CHECKS", WITHOUT_PODS)
        yield


@pytest.fixture
def how_pods_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at how pods run, too, as everybody else does."""
    monkeypatch.setattr(engine, "CHECKS", (*WITHOUT_PODS, SECURITY))


@pytest.fixture(scope="session")
def small_overlays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the minimal kit renders, for copies: most tests that need it are not about the render."""
    root = kits.make_kit(tmp_path_factory.mktemp("small") / "kit")
    assert run("render", "--quiet", "--root", root).code == 0
    return root / "overlays"


@pytest.fixture(scope="session")
def opened() -> OpenedKit:
    """This project's own kit."""
    return project()
