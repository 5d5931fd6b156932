"""Whatever something is called, commands answer: in words that do no harm, and with no file elsewhere."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import COMMANDS, NAME, Row, attacked_kit, leaf_commands, slots
from running import Run, run
from some import first
from writers import restore

from kitgen.files.cache_store import CacheStore
from kitgen.files.results import ResultCache, use_cache
from kitgen.kit import manifests

NAMES = (
    "\x1b[31mred\x07",
    "../x",
    "a\nb\r::error::x",
    "\udcff\udc80",
    "",
    ".",
    "..",
    "/",
    "ABSOLUTE/x",
    "a/../../x",
    "a\x01\x7f\x9b",
    "a\u2028b\u202ec\u200b\ufeff",
    "::error::x",
    "##[error]x",
    "%0A::error::x",
    "-x",
    "--help",
    "-",
    "n" * 300,
    "n" * 5_000,
    "/".join(["n"] * 2_500),
    "é",
    "e\u0301",
    "{{ 7*7 }}",
    "{{ images }}",
    "{% for",
    "$(touch x)",
    "`touch x`",
    ";touch x;",
    "'",
    '"',
    "*",
    "?[",
    "a@b@c",
    "a=b=c",
    "a:b:c",
    "a/b/c",
    "git:",
    "git:--output=x",
    "git:HEAD:",
    "target:",
    "release:",
    "component:",
    "path:",
    "path:..",
    "https://x/y",
    "~",
    "~root",
    "!!python/object:os.system",
    "[red]markup[/red]",
    "null",
    "1e999",
    "9" * 5_000,
)
SHAPES = (
    *(
        "target:NAME",
        "component:NAME",
        "release:NAME",
        "path:NAME",
        "git:NAME",
        "git:NAME:olm",
        "git:HEAD:NAME",
    ),
    *("olm@NAME", "olm/NAME", "hello@NAME", "NAME@v1.0.0", "NAME/hello", "component:hello@NAME"),
    *("olm=NAME", "NAME=v1.0.0", "NAME=real.yaml", "lab:NAME=a", "lab:a=NAME", "NAME:a=b"),
    *("Deployment/NAME", "NAME/hello-manager", "spec.NAME", "containers[name=NAME]", "get NAME", "NAME pods"),
)
"""How a name may stand in what some commands take; to others, it is a name like any."""
WORST = NAMES[:4]
MIXED = "../\x1b[31mx\n::error::y\udcff"
PLACES = (
    "targets/olm.yaml target: olm",
    "releases/v1.1.0.yaml",
    "components/hello/v1.0.0/component.yaml component: hello",
    "components/hello/v1.0.0/component.yaml version: v1.0.0",
    "components/hello/v1.0.0/component.yaml prefix: hello-",
    "components/hello/v1.0.0/component.yaml namespace: hello-system",
    "components/hello/v1.0.0/component.yaml manager: quay.io/example/hello:v1.0.0",
    "components/hello/v1.0.0/component.yaml serviceAccount: controller-manager",
    "components/hello/v1.0.0/component.yaml name: manager",
    "components/hello/v1.0.0/component.yaml     manager:",
    "components/hello/v1.0.0/component.yaml core/configmaps:",
    "components/hello/v1.0.0/component.yaml icon: v1.0.0/icon.svg",
    "components/hello/v1.0.0/component.yaml kinds: [example.com/v1/Greeting]",
    "components/hello/v1.0.0/component.yaml configMap: params",
    "components/hello/v1.0.0/component.yaml hello-image:",
    "components/hello/v1.0.0/config.yaml key: config.yaml",
    "components/hello/v1.0.0/config.yaml   workers:",
    "components/hello/v1.0.0/crds/greetings.yaml names: {kind: Greeting}",
    "components/hello/v1.0.0/crds/greetings.yaml group: example.com",
    "components/hello/v1.0.0/crds/greetings.yaml",
    "components/hello/v1.1.0/component.yaml from: v1.0.0",
    "components/hello/v1.1.0",
    "components/hello",
    "releases/v1.0.0.yaml release: v1.0.0",
    "releases/v1.0.0.yaml replaces: v0.9.1",
    "releases/v1.0.0.yaml {tester: v0.2.0}",
    "releases/v1.1.0.yaml {hello: v1.1.0}",
    "releases/tags.yaml example/tester:",
    "targets/olm.yaml release: v1.0.0",
    "targets/olm.yaml {name: hello-system",
    "targets/olm.yaml package: hello-operator",
    "targets/olm.yaml defaultChannel: stable",
    "targets/olm.yaml revision: main",
    "targets/olm.yaml repository: https://example.com/kit.git",
    "targets/odh.yaml folder: deploy/kit",
    "targets/odh.yaml {folder: hello",
    "targets/odh.yaml {repository: example/hello",
    "targets/odh.yaml features: [params]",
    "targets/odh.yaml {kueue: hello}",
    "targets/odh.yaml   hello:",
    "targets/odh.yaml",
    "kit.yaml kit: small",
    "kit.yaml project: hello",
    "kit.yaml {name: canary",
    "kit.yaml     odh:",
    "kit.yaml fork: example/operators",
    "migrations/new-group.yaml migration: new-group",
    "migrations/new-group.yaml component: hello",
    "migrations/new-group.yaml targets: [olm]",
    "migrations/new-group.yaml both: v1.1.0",
    "migrations/new-group.yaml {key: example.com/greeting",
    "migrations/new-group.yaml",
    "clusters.yaml {name: lab",
    "clusters.yaml server: https://lab",
    "greeting.yaml {name: a",
    "greeting.yaml kind: Greeting",
    "greeting.yaml {apiVersion: example.com/v1",
)
"""Where something in a file has a name, with the words before it; or the file or folder that has one."""
COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)
"""What a CI system would obey."""


@pytest.fixture(autouse=True, scope="module")
def results_kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep results, so that what a command makes of a kit is made once for all attacks."""
    with use_cache(ResultCache(CacheStore(str(tmp_path_factory.mktemp("results"))), "")):
        yield


@pytest.fixture(autouse=True, scope="module")
def little_is_read() -> Iterator[None]:
    """Read little of what a name leads to: `/` is a folder like any, and holds all that the machine has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifests, "MAX_BYTES", 2**20)
        patch.setattr(manifests, "MAX_TOTAL", 2**20)
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return attacked_kit(tmp_path_factory.mktemp("made") / "kit")


class Ground:
    """A kit in a folder of its own, as it is again before each attack."""

    def __init__(self, made: Path, folder: Path) -> None:
        self.made, self.folder, self.root = made.parent, folder, folder / "kit"
        self.renew()
        self.before = self.listing()

    def renew(self) -> None:
        """Put everything back."""
        restore(self.made, self.folder)
        os.chdir(self.root)

    def listing(self) -> dict[str, tuple[int, int]]:
        """Return everything below and beside the kit."""
        found = {}
        ahead = [str(self.folder)]
        while ahead:
            for each in os.scandir(ahead.pop()):
                if each.is_dir(follow_symlinks=False):
                    ahead.append(each.path)
                stat = each.stat(follow_symlinks=False)
                found[each.path] = (stat.st_size, stat.st_mtime_ns)
        return found

    def attack(self, *args: str, allowed: Path | None = None, keep: bool = False) -> Run:
        """Run a command, check how it answers and what it left behind, and take that away."""
        done = run(*args)
        told = done.out + done.err
        assert done.code in range(4), (args, done)
        assert "kitgen failed" not in told, (args, told)
        assert "Traceback" not in told, (args, told)
        strange = {char for char in told if not char.isprintable()} - {"\n"}
        assert not strange, (args, strange, told)
        assert not COMMAND.search(told), (args, told)
        after = self.listing()
        if after != self.before:
            changed = {path for path, _ in self.before.items() ^ after.items()}
            outside = {path for path in changed if not Path(path).is_relative_to(self.root)}
            assert all(allowed and _leads(Path(path), allowed) for path in outside), (args, outside)
            if not keep:
                self.renew()
        return done


def _leads(path: Path, allowed: Path) -> bool:
    """Tell whether a path is what a command may write, is in it, or is a folder on the way to it."""
    return path.is_relative_to(allowed) or allowed.is_relative_to(path)


@pytest.fixture
def ground(made: Path, tmp_path: Path) -> Iterator[Ground]:
    before = Path.cwd()
    yield Ground(made, tmp_path / "ground")
    os.chdir(before)


def test_every_command_has_a_row() -> None:
    assert list(COMMANDS) == list(leaf_commands())


@pytest.mark.parametrize(("name", "row"), COMMANDS.items())
def test_rows_say_how_commands_are_run(ground: Ground, name: str, row: Row) -> None:
    done = ground.attack(*name.split(), *row.args)
    assert done.code == row.code, done


def attacks(ground: Ground, name: str, names: tuple[str, ...], shapes: tuple[str, ...] = (NAME,)) -> None:
    """Put each name into each parameter of a command, in each shape; a path has no shape."""
    for slot, args in slots(name, files=shapes == (NAME,)).items():
        for hostile in names:
            for shape in shapes:
                given = shape.replace(NAME, hostile.replace("ABSOLUTE", str(ground.folder)))
                line = [each.replace(NAME, given) for each in args]
                writes = slot in COMMANDS[name].writes
                allowed = (ground.root / given).resolve() if writes and len(given) < 300 else None
                ground.attack(*name.split(), *line, allowed=allowed)


@pytest.mark.parametrize("name", first(COMMANDS, 5))
def test_the_worst_names(ground: Ground, name: str) -> None:
    attacks(ground, name, WORST)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", COMMANDS)
def test_all_names(ground: Ground, name: str) -> None:
    attacks(ground, name, NAMES[len(WORST) :])


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", COMMANDS)
def test_names_within_others(ground: Ground, name: str) -> None:
    attacks(ground, name, (MIXED, "../../x"), SHAPES)


def say(ground: Ground, place: str, name: str) -> bool:
    """Call something in a file so; tell whether that can be."""
    file, _, old = place.partition(" ")
    path, new = ground.root / file, json.dumps(name)
    try:
        if old:
            text = path.read_text()
            assert text.count(old) == 1, place
            path.write_text(text.replace(old, old.replace(old.split()[-1].strip("{}[]:,"), new)))
        else:
            path.rename(path.with_name(f"{name}{path.suffix}"))
    except (OSError, ValueError):  # no file is called so
        return False
    return True


@pytest.mark.parametrize("place", first(PLACES, 3))
def test_names_in_files(ground: Ground, place: str) -> None:
    for name in (*WORST, MIXED.replace("/", ""), "{{ 7*7 }}", "{{ images }}", ""):
        if say(ground, place, name):
            for command in ("check", "list", "render"):
                ground.attack(command, keep=True)
        ground.renew()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", COMMANDS)
def test_names_in_files_of_all_commands(ground: Ground, name: str) -> None:
    for place in PLACES[::8]:
        if say(ground, place, MIXED.replace("/", "")):
            ground.attack(*name.split(), *COMMANDS[name].args, keep=True)
        ground.renew()
