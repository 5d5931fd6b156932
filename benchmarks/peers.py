"""What kitgen costs beside the tools that people use for the same: kustomize and ruamel.yaml."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.kit import copy_kit, declaring, most_crds, overlays, own_kit
from benchmarks.timing import (
    FINDINGS,
    KITGEN,
    Row,
    kustomize,
    least,
    peak_megabytes,
    processor_time,
    run,
    save,
    seconds,
)
from kitgen.crd.declaration import expand_crds
from kitgen.text.yaml import dump_yaml, dump_yaml_documents

FRESH = "benchmark@v1.0.0"
"""A component that the kit does not have: all of its spec is to be written."""
SMALL = "codeflare-operator"
PAIR = ("odh", "rhoai")
# What a fresh process does: read the declarations, expand them, write the CRDs.
EXPAND = """
import sys
from pathlib import Path
from kitgen.workspace.kit import open_kit
from kitgen.text.yaml import dump_yaml_documents
opened = open_kit(Path(sys.argv[1]))
for part in sys.argv[3:]:
    name, version = part.split("/")
    crds = opened.session.expand_crds(opened.kit.components[name][version]).value
    text = dump_yaml_documents(each.body for each in crds)
    (Path(sys.argv[2]) / f"{name}.yaml").write_text(text, encoding="utf-8")
"""


def rows() -> Iterator[Row]:
    """Compare with kustomize on the overlays of the project's kit, and with ruamel.yaml on its CRDs."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        kit = copy_kit(root / "kit")
        run([*KITGEN, "render", "-q"], kit)
        yield from _compare_rendering(kit)
        yield from _compare_builds(kit, root / "cache")
        yield from _compare_reading(kit, root)
        yield from _compare_crds(root)


def _build(folder: Path) -> list[str]:
    return [*kustomize(), str(folder)]


def _compare_rendering(kit: Path) -> Iterator[Row]:
    pairs = overlays(own_kit())
    unit = f"kustomize, {len(pairs)} overlays"

    def render() -> float:
        shutil.rmtree(kit / "overlays", ignore_errors=True)
        return seconds(partial(run, [*KITGEN, "render"], kit))

    def build() -> float:
        return sum(seconds(partial(run, _build(kit / "overlays" / pair), kit)) for pair in pairs)

    rendered, built = least(2, render, build)
    yield Row(name="render, with all checks", cost=rendered / built, unit=unit, goal=1 / 12)
    files = [save(_build(kit / "overlays" / pair), kit / f"{pair.replace('/', '-')}.yaml") for pair in pairs]
    checks = [*FINDINGS, *KITGEN, "check"]
    together = seconds(partial(run, [*checks, *map(str, files)], kit))
    yield Row(name="check of all that kustomize builds", cost=together / built, unit=unit, goal=1 / 4)
    for what, argv, goal in (
        ("render", [*KITGEN, "render", "--no-cache", "-q"], 200),
        ("check of all that kustomize builds", [*KITGEN, "check", *map(str, files)], 300),
    ):
        yield Row(name=f"memory of {what}", cost=peak_megabytes(argv, kit), unit="MB", goal=goal)
    for file in files:
        file.unlink()


def _compare_builds(kit: Path, cache: Path) -> Iterator[Row]:
    """Compare builds of single overlays, with an empty cache and then with a filled one."""
    target = PAIR[0]
    for name in ("kueue", "kuberay", SMALL):
        overlay, argv = kit / "overlays" / target / name, [*KITGEN, "build", target, name]
        run(argv, kit, cache)
        first, again, built = least(
            7,
            lambda argv=argv: seconds(partial(run, argv, kit)),  # type: ignore[misc]
            lambda argv=argv: seconds(partial(run, argv, kit, cache)),  # type: ignore[misc]
            lambda overlay=overlay: seconds(partial(run, _build(overlay), kit)),  # type: ignore[misc]
        )
        unit, is_small = f"kustomize, {target}/{name}", name == SMALL
        if not is_small:
            yield Row(name=f"build {target} {name}", cost=first / built, unit=unit, goal=1 / 1.5)
        goal = 1.0 if is_small else 1 / 2.5
        yield Row(name=f"build {target} {name}, again", cost=again / built, unit=unit, goal=goal)


def _compare_reading(kit: Path, root: Path) -> Iterator[Row]:
    """Compare what reads what kustomize builds."""
    overlay = most_crds(own_kit())
    folder, unit = kit / "overlays" / overlay, f"kustomize, {overlay} (CPU)"
    real = save(_build(folder), root / "real.yaml")

    def import_tree() -> float:
        shutil.rmtree(kit / "components" / FRESH.partition("@")[0], ignore_errors=True)
        return processor_time([*KITGEN, "import", str(real), "--as", FRESH], kit)

    built, compared, imported = least(
        3,
        partial(processor_time, _build(folder), kit),
        partial(processor_time, [*KITGEN, "compare", f"target:{overlay}", str(folder)], kit),
        import_tree,
    )
    shutil.rmtree(kit / "components" / FRESH.partition("@")[0])
    yield Row(name=f"compare {overlay} with its overlay", cost=(compared - built) / built, unit=unit, goal=1)
    yield Row(name="import of what kustomize built", cost=imported / built, unit=unit, goal=2)
    stacks = [save(_build(kit / "overlays" / each), root / f"{each}.yaml") for each in PAIR]
    differ, both = least(
        3,
        partial(processor_time, [*FINDINGS, *KITGEN, "diff", *map(str, stacks)], kit),
        lambda: min(processor_time(_build(kit / "overlays" / each), kit) for each in PAIR),
    )
    yield Row(name="diff of two stacks", cost=differ / both, unit="kustomize, one of them (CPU)", goal=1 / 2)


def _compare_crds(root: Path) -> Iterator[Row]:
    """Compare expanding declarations with building the CRDs, and importing them with ruamel.yaml."""
    opened, out = own_kit(), root / "out"
    texts = {}
    for each in declaring(opened):
        bodies = expand_crds(
            [(origin, data) for origin, data in each.crds], minor=each.minor or opened.kit.minors[0]
        ).bodies
        folder = root / "crds" / each.name
        folder.mkdir(parents=True)
        (folder / "crds.yaml").write_text(dump_yaml_documents(bodies), encoding="utf-8")
        (folder / "kustomization.yaml").write_text(dump_yaml({"resources": ["crds.yaml"]}), encoding="utf-8")
        texts[each.name] = (folder / "crds.yaml", f"{each.name}/{each.version}")
    out.mkdir()
    parts = [part for _, part in texts.values()]
    expand = [sys.executable, "-c", EXPAND, str(opened.root), str(out), *parts]
    expanded, built = least(
        2,
        partial(processor_time, expand, root),
        lambda: sum(processor_time(_build(file.parent), root) for file, _ in texts.values()),
    )
    unit = "kustomize, as files (CPU)"
    yield Row(name="expand and write CRDs", cost=expanded / built, unit=unit, goal=1 / 5)
    file, part = max(texts.values(), key=lambda each: each[0].stat().st_size)
    kit = root / "empty"
    kit.mkdir()
    (kit / "kit.yaml").write_text("", encoding="utf-8")
    options = ["--component", part.partition("/")[0], "--version", "v9.9.9"]
    imported = seconds(partial(run, [*KITGEN, "crd", "import", str(file), *options], kit))
    trip = seconds(partial(_round_trip, file.read_text(encoding="utf-8")))
    yield Row(name="import the largest CRDs", cost=imported / trip, unit="ruamel.yaml round trip", goal=1 / 3)


def _round_trip(text: str) -> None:
    """Load and dump as one does to keep comments."""
    from ruamel.yaml import YAML

    yaml = YAML()
    for document in list(yaml.load_all(text)):
        yaml.dump(document, io.StringIO())
