"""Kill changes of people's files at every system call that changes the disk, and print what was found."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from kill_everywhere import killed
from trees import files_of, fill

from kitgen import write
from kitgen.pipeline.crds import importing
from kitgen.pipeline.starter import InitRequest, start_kit
from kitgen.yamlio import dump_all

KIT = {"kit.yaml": "kit: test\n", "mine.txt": "mine"}


def crds(*fields: str) -> str:
    def crd(kind: str) -> dict[str, object]:
        properties = {field: {"type": "string"} for field in fields}
        schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
        version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
        names = {
            "kind": kind,
            "plural": f"{kind.lower()}s",
            "singular": kind.lower(),
            "listKind": f"{kind}List",
        }
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{names['plural']}.example.com"},
            "spec": {"group": "example.com", "names": names, "scope": "Namespaced", "versions": [version]},
        }

    return dump_all([crd("Alpha"), crd("Beta")])


def remembered(function: Callable[..., object]) -> Callable[..., object]:
    """Do it once for the same input: what is killed is the write, not the thinking before it."""
    known: dict[str, object] = {}

    def wrapped(*args: object, **options: object) -> object:
        key = repr((args, options))
        if key not in known:
            known[key] = function(*args, **options)
        return known[key]

    return wrapped


def imports(root: Path, source: Path, text: str) -> Callable[[], object]:
    source.write_text(text, encoding="utf-8")
    request = importing.ImportRequest(root=root, files=(str(source),), component="thing", version="v1.0.0")
    return lambda: importing.crd_import(request)


def judge(root: Path, old: dict[str, str], new: dict[str, str]) -> str:
    """Repair, and name the tree that is there then."""
    write.recover_change(root)
    found = files_of(root) if root.exists() else {}
    left = list((root / ".kitgen").iterdir()) if (root / ".kitgen").exists() else []
    if any(path.name != "lock" for path in left) or found not in (old, new):
        return f"a mix: {sorted(found)} {left}"
    return "new" if found == new else "old"


def every(root: Path, old: dict[str, str], work: Callable[[], object]) -> list[str]:
    """Kill some work at each of its steps."""

    def prepare() -> None:
        shutil.rmtree(root, ignore_errors=True)
        fill(root, old)

    prepare()
    work()
    new = files_of(root)
    if (root / ".kitgen").exists():
        sys.exit("the work left its traces")
    results: list[str] = []
    while True:
        prepare()
        if not killed(work, len(results) + 1):
            return results
        results.append(judge(root, old, new))


def main(folder: Path) -> None:
    os.fsync = lambda _: None  # type: ignore[assignment]
    root, source = folder / "kit", folder / "in.yaml"
    importing.import_crds = remembered(importing.import_crds)  # type: ignore[assignment]
    first = imports(root, source, crds("a"))
    results = every(root, KIT, first)
    old = files_of(root)
    results += every(root, old, imports(root, source, crds("a", "b")))
    results += every(folder / "new", {}, lambda: start_kit(InitRequest(folder=folder / "new")))
    print(json.dumps(results))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))
