"""What more of something costs: twice as much of it may take about twice as long, never the square."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path

from benchmarks import versions
from benchmarks.kit import KIT, own_kit, plain_target
from benchmarks.timing import FINDINGS, KITGEN, Row, least, peak_megabytes, processor_time
from kitgen.olm.bundle import package_of
from kitgen.olm.bundle_files import render_bundle_files
from kitgen.render.file_tree import FileTree

GROWTH = 1.25
"""So much as many may take a quarter more than so many times as long."""
NONE, FEW, MANY = 3, 10_000, 40_000
"""Clusters of a fleet."""
IMAGES, SHORT, LONG = 500, 25_000, 100_000
"""Images that run, and lines of a list of digests."""
BUNDLES, MORE_BUNDLES = 10, 50
REPLACES = re.compile(r"^(  replaces: \S+\.v)\S+$", re.MULTILINE)


def rows() -> Iterator[Row]:
    """Measure versions, bundles, clusters and images."""
    yield from versions.rows()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        yield from _compare_bundles(root)
        yield from _compare_fleets(root)
        yield from _compare_images(root)


def _spend(*args: object, folder: Path = KIT) -> float:
    return processor_time([*FINDINGS, *KITGEN, *map(str, args)], folder)


def _compare_bundles(root: Path) -> Iterator[Row]:
    opened = own_kit()
    packages = [package_of(opened.plan(each)) for each in opened.kit.targets.values()]
    made = next(each for each in packages if each is not None)
    files = render_bundle_files(made)
    bundle = _write(root / "bundle", files)
    few, many = (_package(root / str(size), files, made.version, size) for size in (BUNDLES, MORE_BUNDLES))
    works = [partial(_spend, "check", bundle)]
    works += [partial(_spend, "bundle", "check", each) for each in (bundle, few, many)]
    plain, whole, short, long = least(3, *works)
    yield Row(name="bundle check", cost=whole / plain, unit="check of its manifests", goal=2)
    times = MORE_BUNDLES // BUNDLES
    unit = f"{times} packages of {BUNDLES}"
    yield Row(
        name=f"bundle check of {MORE_BUNDLES} versions", cost=long / short / times, unit=unit, goal=GROWTH
    )


def _compare_fleets(root: Path) -> Iterator[Row]:
    targets = [*own_kit().kit.targets]
    lists = [_clusters(root / f"{size}.yaml", size, targets) for size in (NONE, FEW, MANY)]
    none, few, many = least(2, *(partial(_spend, "fleet", "plan", "--clusters", each) for each in lists))
    cost = (many - none) / (few - none) / (MANY / FEW)
    unit = f"each of {FEW:,} (CPU)"
    yield Row(name=f"plan for each of {MANY:,} clusters", cost=cost, unit=unit, goal=GROWTH)


def _compare_images(root: Path) -> Iterator[Row]:
    kit, own = _kit(root / "images", IMAGES), plain_target(own_kit()).name
    short, long = (_digests(root / f"{size}.txt", size) for size in (SHORT, LONG))
    lock = ("images", "lock", "--check")
    built, usual, none, few, many = least(
        2,
        partial(_spend, "build", "all", folder=kit),
        partial(_spend, "build", own),
        partial(_spend, *lock, folder=kit),
        partial(_spend, *lock, short, folder=kit),
        partial(_spend, *lock, long, folder=kit),
    )
    yield Row(name=f"build of {IMAGES} images", cost=built / usual, unit=f"build of {own} (CPU)", goal=2)
    cost = (many - none) / (few - none) / (LONG / SHORT)
    yield Row(
        name=f"lock with each of {LONG:,} digests", cost=cost, unit=f"each of {SHORT:,} (CPU)", goal=GROWTH
    )
    memory = peak_megabytes([*KITGEN, *lock, str(long)], kit)
    yield Row(name=f"memory of a lock with {LONG:,} digests", cost=memory, unit="MB", goal=300)


def _package(folder: Path, files: FileTree, version: str, size: int) -> Path:
    """Write a package whose bundles replace each other, each with CRDs that are a little different."""
    for number in range(size):
        own, before = f"90.{number}.0", f"90.{number - 1}.0"
        tree = {}
        for path, text in files.items():
            renamed = text.replace(version, own).replace("\nspec:\n", f"\nspec:  # {own}\n", 1)
            tree[path] = REPLACES.sub(rf"\g<1>{before}", renamed)
        _write(folder / own, tree)
    return folder


def _write(folder: Path, files: FileTree) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def _clusters(path: Path, size: int, targets: list[str]) -> Path:
    """Write a list of clusters, every thirtieth a canary."""
    lines = []
    for number in range(size):
        lines.append(f"- name: cluster-{number}\n  server: https://c{number}.example.com:6443\n  labels:\n")
        lines.append(f"    kitgen.target: {targets[number % len(targets)]}\n    region: r{number % 7}\n")
        lines.append("    kitgen.wave: canary\n" if number % 30 == 0 else "")
    path.write_text("".join(lines))
    return path


def _kit(folder: Path, images: int) -> Path:
    """Write a kit whose target runs many images and names as many."""
    numbers = range(images)
    lines = [
        *(
            "component: many",
            "version: v1.0.0",
            "about: Many images",
            'kubernetes: "1.29"',
            "namespace: many",
        ),
        *("labels:", "- pairs: {app: many}", "  selectors: true", "serviceAccount: manager"),
        *("images:", *(f"  i{n}: quay.io/example/image-{n}:v1.0.0" for n in numbers), "runtimeImages:"),
        *(f"  r{n}: {{image: quay.io/code/image-{n}:v1.0.0, source: code}}" for n in numbers),
        *("deployment:", "  name: manager", "  containers:"),
        *(f"    c{n}: {{image: i{n}, resources: {{cpu: 100m, memory: 64Mi}}}}" for n in numbers),
        *("params:", "  configMap: params", "  keys:", *(f"    k{n}: {{image: i{n}}}" for n in numbers)),
    ]
    files = {
        "kit.yaml": 'kit: big\nformat: 2\nabout: Many images\nkubernetes: ">=1.29 <=1.30"\n',
        "releases/v1.0.0.yaml": "release: v1.0.0\ncomponents: {many: v1.0.0}\n",
        "targets/all.yaml": "target: all\nabout: All\nrelease: v1.0.0\ncomponents: {many: {}}\n",
        "components/many/v1.0.0/component.yaml": "\n".join([*lines, ""]),
        "digests.txt": "".join(
            f"{_digest(kind, n)} docker://quay.io/{kind}/image-{n}:v1.0.0\n"
            for kind in ("example", "code")
            for n in numbers
        ),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _digests(file: Path, size: int) -> Path:
    """Write a list of copies, none of which is an image of the kit."""
    place = "docker://registry.example.com/mirror/quay.io/other"
    lines = (f"{_digest('other', n)} {place}/image-{n}:v1.0.{n % 7}\n" for n in range(size))
    file.write_text("".join(lines), encoding="utf-8")
    return file


def _digest(*of: object) -> str:
    return f"sha256:{sha256(repr(of).encode()).hexdigest()}"
