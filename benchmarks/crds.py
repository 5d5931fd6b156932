"""How fast declarations are expanded and CRDs imported, beside the tools that people use today.

Run: python -m benchmarks.crds. All input is made from the declarations, so that it runs anywhere.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.kit import KIT, declaring, own_kit
from benchmarks.timing import Row, best, compile_bytecode, run, table
from kitgen.crd.declaration import expand_crds
from kitgen.findings import Origin
from kitgen.text.yaml import JsonObject, dump_yaml, dump_yaml_documents, read_yaml

RELEASE = {each.name: each.version for each in declaring(own_kit())}
EXPAND_LIMIT = 1 / 5
IMPORT_LIMIT = 1 / 3
# What a fresh process does: read the declarations, expand them, write the CRDs.
EXPAND = """
import sys
from pathlib import Path
from kitgen.crd.declaration import expand_crds
from kitgen.findings import Origin
from kitgen.text.yaml import dump_yaml_documents, read_yaml
folder, out = Path(sys.argv[1]), Path(sys.argv[2])
for part in sys.argv[3:]:
    spec = read_yaml((folder / part / "component.yaml").read_text(encoding="utf-8"))
    paths = sorted((folder / part / "crds").glob("*.yaml"))
    files = [(Origin(path.name), read_yaml(path.read_text(encoding="utf-8"))) for path in paths]
    expansion = expand_crds(files, minor=int(spec["kubernetes"][2:]))
    assert not expansion.findings
    text = dump_yaml_documents(expansion.bodies)
    (out / (part.replace("/", "-") + ".yaml")).write_text(text, encoding="utf-8")
"""


def bodies(component: str, version: str) -> list[JsonObject]:
    """Return the CRDs of a component, expanded."""
    folder = KIT / "components" / component / version
    minor = int(read_yaml((folder / "component.yaml").read_text(encoding="utf-8"))["kubernetes"][2:])
    paths = sorted((folder / "crds").glob("*.yaml"))
    files = [(Origin(path.name), read_yaml(path.read_text(encoding="utf-8"))) for path in paths]
    return list(expand_crds(files, minor=minor).bodies)


def kustomize() -> list[str] | None:
    """Return the command that builds a kustomization, if there is one."""
    if shutil.which("kustomize"):
        return ["kustomize", "build"]
    return ["kubectl", "kustomize"] if shutil.which("kubectl") else None


def folders(root: Path) -> list[Path]:
    """Write a folder per component that holds its CRDs as resources."""
    made = []
    for component, version in RELEASE.items():
        folder = root / component
        folder.mkdir()
        names = []
        for body in bodies(component, version):
            name = f"{body['metadata']['name']}.yaml"
            (folder / name).write_text(dump_yaml(body), encoding="utf-8")
            names.append(name)
        (folder / "kustomization.yaml").write_text(dump_yaml({"resources": names}), encoding="utf-8")
        made.append(folder)
    return made


def compare_expanding(root: Path) -> list[Row]:
    """Compare expanding and writing the CRDs with building them from files."""
    out = root / "out"
    out.mkdir()
    parts = [f"{component}/{version}" for component, version in RELEASE.items()]
    command = [sys.executable, "-c", EXPAND, str(KIT / "components"), str(out), *parts]
    made = folders(root)
    count = sum(len(list(folder.glob("*.yaml"))) - 1 for folder in made)
    own = best(lambda: run(command))
    tool = kustomize()
    if tool is None:
        return [Row(name=f"expand and write {count} CRDs (no kustomize here)", seconds=own)]

    def build() -> None:
        for folder in made:
            run([*tool, str(folder)])

    return [
        Row(
            name=f"expand and write {count} CRDs",
            seconds=own,
            peer=f"{' '.join(tool)} of the same as files",
            peer_seconds=best(build),
            limit=EXPAND_LIMIT,
        )
    ]


def compare_importing(root: Path) -> list[Row]:
    """Compare importing the longest CRDs with loading and dumping them round-trip."""
    texts = {name: dump_yaml_documents(bodies(name, version)) for name, version in RELEASE.items()}
    name, text = max(texts.items(), key=lambda each: len(each[1]))
    file = root / f"{name}.yaml"
    file.write_text(text, encoding="utf-8")
    kit = root / "kit"
    kit.mkdir()
    (kit / "kit.yaml").write_text("", encoding="utf-8")
    options = ["--component", name, "--version", "v9.9.9", "--root", str(kit)]
    command = [sys.executable, "-m", "kitgen", "crd", "import", str(file), *options]
    return [
        Row(
            name=f"import the CRDs of {name}",
            seconds=best(lambda: run(command, cwd=KIT)),
            peer="ruamel.yaml load and dump",
            peer_seconds=best(lambda: round_trip(text), times=1),
            limit=IMPORT_LIMIT,
        )
    ]


def round_trip(text: str) -> None:
    """Load and dump as one does to keep comments."""
    from ruamel.yaml import YAML

    yaml = YAML()
    for document in list(yaml.load_all(text)):
        yaml.dump(document, io.StringIO())


def main() -> bool:
    """Run both comparisons; tell whether their limits hold."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        rows = [*compare_expanding(root), *compare_importing(root)]
    return table("CRDs", rows)


if __name__ == "__main__":
    compile_bytecode()
    sys.exit(0 if main() else 1)
