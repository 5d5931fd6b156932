"""Record what every command prints, returns and writes, over all cases and the kit itself.

Run it in two checkouts and compare the files: a change of the code that is not to change anything shows here.

    python tests/everything.py before.json
    python tests/everything.py after.json
    python tests/everything.py --compare before.json after.json

Kinds of cases after the file record only these: project, rows, valid, import, invalid, check, bundle.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS.parent), str(TESTS), str(TESTS / "attacks"), str(TESTS / "cli")]

import bundles  # noqa: E402
import kits  # noqa: E402
from commands import COMMANDS, attacked_kit, leaf_commands  # noqa: E402
from running import run, trees  # noqa: E402
from test_import_cases import make_trees  # noqa: E402

KIT = ("kit.yaml", "components", "targets", "releases", "migrations", "locks", "overlays", "README.md")
"""What of the project is its kit."""
OF_A_KIT = (
    *(
        "check",
        "check -o json",
        "render",
        "list",
        "list -o json",
        "drift",
        "matrix",
        "images list",
        "images list -o json",
    ),
    *(
        "images check",
        "release check",
        "rbac olm",
        "rbac odh -o json",
        "build olm",
        "build odh",
        "conflicts olm odh",
    ),
    *("export odh exported", "diff olm odh -o json", "diff olm odh -o unified", "sources odh"),
)
OF_THE_PROJECT = (
    *OF_A_KIT,
    *(f"build {target} {part}" for target in ("olm", "odh", "rhoai") for part in ("kueue", "kuberay")),
    *(f"diff odh@v1.5.0 odh@v1.15.0 -o {form}" for form in ("text", "json", "markdown", "unified")),
    *(
        "diff rhoai@v1.5.0 rhoai@v1.16.0 --all",
        "crd diff odh@v1.5.0 odh@v1.15.0",
        "notes v1.16.0",
        "notes v1.5.0 -o json",
    ),
    *(
        "release plan v1.16.0",
        "release plan v1.16.0 -o json",
        "mirror olm --registry r.example.com --out mirrored",
    ),
    *(
        "bundle check overlays/olm/bundle",
        "bundle write catalog",
        "argocd health",
        "tags v1.16.0",
        "crd outline rayclusters",
    ),
    *(
        "why odh SecurityContextConstraints/run-as-ray-user runAsUser.uid",
        "show kueue@v0.11.6",
        "flatten kueue@v0.11.6",
    ),
    *(
        "migrate check mcad-groups",
        "migrate plan mcad-groups --target olm",
        "pin odh v1.16.0 --dry-run",
        "retire release:v1.0.0 --dry-run",
    ),
)


def changed(folder: Path, before: dict[str, str]) -> dict[str, str]:
    """Return what files of a folder hold now, where that is something else than before."""
    now = digests(folder)
    return {
        name: now.get(name, "gone") for name in sorted({*now, *before}) if now.get(name) != before.get(name)
    }


def digests(folder: Path) -> dict[str, str]:
    """Return a hash of every file below a folder."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for path in files
    }


def recorded(folder: Path, args: Iterable[str]) -> dict[str, object]:
    """Run a command in a folder, and return all that is to be seen of it."""
    before, here = digests(folder), Path.cwd()
    os.chdir(folder)
    os.environ["KITGEN_CACHE_DIR"] = str(folder.parent / "cache")
    try:
        done = run(*args)
        said = {"code": done.code, "out": done.out, "err": done.err}
    except Exception as error:  # noqa: BLE001 # a fault is recorded, too
        said = {"code": -1, "out": "", "err": f"{type(error).__name__}: {error}"}
    finally:
        os.chdir(here)
    shown = {
        key: text.replace(str(folder), "KIT").replace(str(folder.parent.parent), "PLACE")
        if isinstance(text, str)
        else text
        for key, text in said.items()
    }
    return {**shown, "files": changed(folder, before)}


def in_copies(
    name: str, kit: Path, lines: Iterable[Iterable[str]]
) -> Iterator[tuple[str, dict[str, object]]]:
    """Run commands, each in a copy of a kit of its own."""
    for line in lines:
        args = tuple(line)
        with tempfile.TemporaryDirectory(dir=kit.parent) as place:
            copy = shutil.copytree(kit, Path(place) / "kit", symlinks=True)
            yield f"{name}: {' '.join(args)}".replace(str(kit.parent), "PLACE"), recorded(copy, args)


def rows() -> Iterator[tuple[str, ...]]:
    """Yield every command with arguments, in each of its output forms."""
    for name, row in COMMANDS.items():
        yield (*name.split(), *row.args)
        yield (*name.split(), "--help")
        for each in leaf_commands()[name].params:
            if each.name == "output" and hasattr(each.type, "choices"):
                yield from ((*name.split(), *row.args, "-o", str(form)) for form in each.type.choices)


def of_case(kind: str, name: str, folder: Path) -> Iterator[tuple[str, dict[str, object]]]:
    """Run all commands that are for a case."""
    case, title = kits.CASES / kind / name, f"{kind}/{name}"
    match kind:
        case "valid":
            yield from in_copies(
                title, kits.make_kit(folder / "kit", case), (line.split() for line in OF_A_KIT)
            )
        case "invalid":
            kit = kits.make_kit(folder / "kit", case)
            forms = ("text", "lines", "json", "sarif", "junit", "github")
            lines = [("check", "-o", form) for form in forms] + [("render",), ("build", "olm"), ("list",)]
            yield from in_copies(title, kit, lines)
        case "check":
            kit = shutil.copytree(case, folder / "kit")
            lines = [
                ("check", path.name, "-o", form)
                for path, form in product(sorted(kit.glob("*.yaml")), ("text", "json"))
            ]
            yield from in_copies(title, kit, lines)
        case "bundle":
            for each in sorted(path for path in case.iterdir() if path.is_dir()):
                made = bundles.make_case(folder / each.name, each)
                where = made.relative_to(folder / each.name).as_posix()
                lines = [("bundle", "check", where, "-o", form) for form in ("text", "json")]
                yield from in_copies(f"{title}/{each.name}", folder / each.name, lines)
        case "import":
            kit = kits.make_kit(folder / "kit", case / "kit" if (case / "kit").is_dir() else None)
            make_trees(case, folder, trees(kit))
            args = (case / "run.txt").read_text().split()
            here = [
                str(folder / each[3:]) if each.startswith("../") else each.replace("=../", f"={folder}/")
                for each in args
            ]
            yield from in_copies(title, kit, [("import", *here)])


def some(task: tuple[str, str]) -> dict[str, dict[str, object]]:
    """Record one task: a case, the small kit that each command finds something in, or the project's own."""
    kind, name = task
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:
        folder = Path(place)
        try:
            if kind == "rows":
                return dict(
                    in_copies(
                        "rows",
                        attacked_kit(folder / "kit"),
                        [r for i, r in enumerate(rows()) if i % 8 == int(name)],
                    )
                )
            if kind == "project":
                kit = folder / "kit"
                for each in KIT:
                    source = kits.PROJECT / each
                    if source.is_dir():
                        shutil.copytree(source, kit / each)
                    elif source.exists():
                        kit.mkdir(exist_ok=True)
                        shutil.copy(source, kit / each)
                return dict(
                    in_copies(
                        "project",
                        kit,
                        [line.split() for i, line in enumerate(OF_THE_PROJECT) if i % 8 == int(name)],
                    )
                )
            return dict(of_case(kind, name, folder))
        except Exception as error:  # noqa: BLE001
            return {f"{kind}/{name}": {"failed": f"{type(error).__name__}: {error}".replace(str(folder), "")}}


def main(args: list[str]) -> int:
    """Record, or compare two records."""
    if args[0] == "--compare":
        before, after = (json.loads(Path(path).read_text()) for path in args[1:])
        kinds = {key.split("/")[0].split(":")[0] for key in after}
        both = {key for key in {*before, *after} if key.split("/")[0].split(":")[0] in kinds}
        wrong = [key for key in sorted(both) if before.get(key) != after.get(key)]
        for key in wrong:
            print(f"different: {key}")  # noqa: T201
            for part in ("code", "out", "err", "files", "failed"):
                old, new = (side.get(key, {}).get(part) for side in (before, after))
                if old != new:
                    print(f"  {part}:\n    {str(old)[:1500]}\n    {str(new)[:1500]}")  # noqa: T201
        print(f"{len(wrong)} of {len(both)} are different")  # noqa: T201
        return 1 if wrong else 0
    kinds = args[1:] or ("project", "rows", "valid", "import", "invalid", "check", "bundle")
    tasks = [
        (kind, name)
        for kind in kinds
        for name in (map(str, range(8)) if kind in ("project", "rows") else kits.cases(kind))
        if (kind, name) != ("bundle", "base")
    ]
    found: dict[str, dict[str, object]] = {}
    with ProcessPoolExecutor(2) as pool:
        for each in pool.map(some, tasks):
            found |= each
    Path(args[0]).write_text(json.dumps(found, indent=1, sort_keys=True))
    failed = [key for key, value in found.items() if "failed" in value or value.get("code") == -1]
    print(f"{len(found)} recorded, {len(failed)} failed: {failed[:20]}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
