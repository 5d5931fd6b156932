"""Every folder in tests/cases/import is an import: what the small kit builds, changed, comes back as a spec.

`run.txt` holds the arguments, `kit/` what is different in the kit. The trees are own.yaml for the component
itself and one for each target. `trees.diff` edits them, `replace.txt` replaces a word in one of them wherever
it stands, `gone.txt` takes objects out, and NAME.more.yaml adds some. `expect.txt` is what is planned; with
--record it is written.
"""

from __future__ import annotations

import re
from pathlib import Path

import kits
import pytest
from running import run, trees
from some import first

from kitgen.kube.names import content_hash
from kitgen.text.yaml import Dialect, dump_yaml_documents, read_yaml_documents


def make_trees(case: Path, folder: Path, texts: dict[str, str]) -> None:
    """Write the trees of a case."""
    kits.write(folder, {f"{name}.yaml": text for name, text in texts.items()})
    if (gone := case / "gone.txt").exists():
        for line in gone.read_text().splitlines():
            take_out(folder, *line.split())
    for more in case.glob("*.more.yaml"):
        path = folder / more.name.replace(".more", "")
        path.write_text(f"{path.read_text()}---\n{more.read_text()}")
    if (edits := case / "trees.diff").exists():
        for part in kits.EDIT.split(edits.read_text())[1:]:
            kits.edit(folder, part)
    if (words := case / "replace.txt").exists():
        for line in words.read_text().splitlines():
            name, old, new = line.split()
            text = (folder / name).read_text()
            assert old in text
            (folder / name).write_text(text.replace(old, new))
    for path in folder.glob("*.yaml"):
        path.write_text(rehashed(path.read_text()))


def rehashed(text: str) -> str:
    """Return a tree whose generated ConfigMaps are called after what they hold now, as kustomize does."""
    for body in read_yaml_documents(text, dialect=Dialect.KUBECTL):
        if match := re.fullmatch(r"(hello-params-)[a-z0-9]{10}", body["metadata"]["name"]):
            text = text.replace(match[0], f"{match[1]}{content_hash(body['data'])}")
    return text


def take_out(folder: Path, file: str, kind: str, name: str) -> None:
    path = folder / file
    bodies = read_yaml_documents(path.read_text(), dialect=Dialect.KUBECTL)
    kept = [each for each in bodies if (each["kind"], each["metadata"]["name"]) != (kind, name)]
    assert len(kept) == len(bodies) - 1
    path.write_text(dump_yaml_documents(kept))


@pytest.mark.parametrize("name", first(kits.cases("import"), 6))
def test_a_case_is_imported(
    name: str, small_trees: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record: bool
) -> None:
    case = kits.CASES / "import" / name
    changes = case / "kit"
    root = kits.make_kit(tmp_path / "kit", changes if changes.exists() else None)
    monkeypatch.chdir(root)
    make_trees(case, tmp_path, trees(root) if changes.exists() else small_trees)
    args = ("import", *(case / "run.txt").read_text().split())
    planned = run(*args, "--dry-run")
    expected = case / "expect.txt"
    if record:
        expected.write_text(planned.out + planned.err)
    assert planned.out + planned.err == expected.read_text()
    done = run(*args)
    assert (done.code, done.err) == (0, "")
    reals = {args[1], *(each.partition("=")[2] for each in args if "=" in each)}
    assert done.out.count(" no differences; ") == len(reals)
    checked = run("check", "-o", "lines", "-q")
    assert checked.code == 0, checked.err
    # The same trees once more say nothing.
    later = re.sub(r"@\S+|--from \S+", lambda found: "@v9.9.9" * (found[0][0] == "@"), " ".join(args))
    again = run(*later.split(), "--dry-run")
    assert again.code == 0, again.err
    assert re.findall(r"would be .*", again.out) == [f"would be new: {spec_of(later)}, 3 lines"]


def spec_of(line: str) -> str:
    """Return the spec that an import writes."""
    name, _, version = line.partition("--as ")[2].split()[0].partition("@")
    return f"components/{name}/{version}/component.yaml"
