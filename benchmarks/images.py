"""How long the images of a target take: to list, to check, to lock and to mirror, beside a build of it.

Run: python -m benchmarks.images. Of a target with many images and of long lists, nothing may grow with the
square.
"""

from __future__ import annotations

import json
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

from benchmarks.kit import KIT, own_kit, plain_target
from benchmarks.real import spent
from benchmarks.render import KITGEN
from benchmarks.timing import Row, compile_bytecode, peak_megabytes, table

RUNS = 3
BESIDE = {"images": 1.25, "images check": 1.25, "images lock": 2.0, "mirror": 1.25, "mirror --rewrite": 2.0}
"""How many times as long as a build each may take. A lock is for all targets, a rewrite is a second build."""
GROWTH = 1.25
"""Four times as much may take a quarter more than four times as long."""
LISTED, CHECKED = 1.5, 2.0
"""Beside a build, of a target with long texts."""
OWN = 2.0
"""A build of many images may take twice that of the kit's own target, which has CRDs instead."""
MANY_BESIDE = {"images": 1.5, "images check": 2.5, "images lock": 1.5, "mirror": 1.5, "mirror --rewrite": 3.0}
MANY = 500
"""Images that run; as many are named by code."""
SHORT, LONG = 25_000, 100_000
"""Lines of a list of digests."""
TEXT = 1_000_000
"""Characters in a ConfigMap."""
SMALL, BIG = 7, 28
"""Megabytes of a catalog; what is read has at most 32 MiB."""
MEGABYTES = 300
REGISTRY = ("--registry", "registry.example.com/mirror")
FINDINGS = ["sh", "-c", '"$@" || test $? = 1', "sh"]
"""That digests are missing is what is to be found."""


def main() -> bool:
    """Measure the kit's own images, and many made-up ones; tell whether limits hold."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        good = [_own(root), _many(root), _long(root)]
    return all(good)


def _own(root: Path) -> bool:
    """Compare the commands with a build of the same target."""
    target = plain_target(own_kit())
    listed = ("--release", target.release)
    commands = {
        "build": ["build", target.name],
        "images": ["images", target.name],
        "images check": ["images", "check", target.name],
        "images lock": ["images", "lock", "--check", *listed],
        "mirror": ["mirror", target.name, *REGISTRY, "--out", str(root / "own")],
        "mirror --rewrite": ["mirror", target.name, *REGISTRY, "--rewrite", "--out", str(root / "renamed")],
    }
    least = _least(commands, KIT)
    rows = [
        _row(f"{name} of {target.name}", least[name], "its build", least["build"], limit)
        for name, limit in BESIDE.items()
    ]
    return table("Images (processor time)", rows)


def _many(root: Path) -> bool:
    """Compare a target of many images with the kit's own, and the commands with a build of it."""
    kit, own = _kit(root / "many", MANY), plain_target(own_kit()).name
    commands = {
        "build": ["build", "all"],
        "images": ["images"],
        "images check": ["images", "check"],
        "images lock": ["images", "lock", "--check", "digests.txt"],
        "mirror": ["mirror", "all", *REGISTRY, "--out", str(root / "mirror")],
        "mirror --rewrite": ["mirror", "all", *REGISTRY, "--rewrite", "--out", str(root / "many-renamed")],
        "own": ["build", own, "--root", str(KIT)],
    }
    least = _least(commands, kit)
    rows = [
        _row(f"build of {MANY} images", least["build"], f"build of {own}", least["own"], OWN),
        *(
            _row(f"{name} of {MANY} images", least[name], "its build", least["build"], limit)
            for name, limit in MANY_BESIDE.items()
        ),
    ]
    return table("Many images (processor time)", rows)


def _long(root: Path) -> bool:
    """Compare long inputs with short ones."""
    kit = _kit(root / "text", 5, texts=4)
    plain = _least({"build": ["build", "all"], "images": ["images"], "check": ["images", "check"]}, kit)
    many = root / "many"
    files = {
        **{f"{size:,} lines": _digests(root / f"{size}.txt", size) for size in (SHORT, LONG)},
        **{f"catalog, {size} MB": _catalog(root / f"{size}.json", size) for size in (SMALL, BIG)},
    }
    locks = {name: ["images", "lock", "--check", str(file)] for name, file in files.items()}
    least = _least({"": ["images", "lock", "--check"], **locks}, many)
    none = least[""]
    good = table(
        "Long texts (processor time)",
        [
            _row("images of 4 MB of texts", plain["images"], "a build", plain["build"], LISTED),
            _row("images check of 4 MB of texts", plain["check"], "a build", plain["build"], CHECKED),
            *(
                _row(
                    f"lock: {much}",
                    least[much] - none,
                    f"4 x {few}",
                    4 * (least[few] - none),
                    GROWTH,
                )
                for few, much in zip([*locks][::2], [*locks][1::2], strict=True)
            ),
        ],
    )
    most = max(peak_megabytes([*KITGEN, *each], many, {}) for each in locks.values())
    print(f"  most memory: {most:.0f} MB (limit {MEGABYTES})")
    return good and most < MEGABYTES


def _least(commands: dict[str, list[str]], kit: Path) -> dict[str, float]:
    """Return the processor time of commands: the least of several runs, since noise only ever adds."""
    runs = [
        {name: spent([*FINDINGS, *KITGEN, *each], kit) for name, each in commands.items()}
        for _ in range(RUNS)  # in turns, so that a busy machine is as busy for all
    ]
    return {name: min(run[name] for run in runs) for name in commands}


def _row(name: str, seconds: float, peer: str, peer_seconds: float, limit: float) -> Row:
    return Row(name=name, seconds=seconds, peer=peer, peer_seconds=peer_seconds, limit=limit)


def _kit(folder: Path, images: int, texts: int = 0) -> Path:
    """Write a kit whose target runs many images and names as many, or has long texts with images in them."""
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
        "objects:" if texts else "",
    ]
    for each in range(texts):
        lines += ["- apiVersion: v1", "  kind: ConfigMap", f"  metadata: {{name: text-{each}}}", "  data:"]
        lines += ["    script.sh: |", "      #!/bin/sh"]
        lines += (
            f"      run --image=quay.io/script/image-{n % 99}:v1.0.0 {n:041}" for n in range(TEXT // 100)
        )
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


def _catalog(file: Path, megabytes: int) -> Path:
    """Write a catalog as opm renders it, of bundles that list images of others."""
    texts: list[str] = []
    while sum(map(len, texts[:1])) * len(texts) < megabytes * 1_000_000:
        version = f"1.{len(texts)}.0"
        related = [
            {"name": f"i{n}", "image": f"quay.io/other/image-{n}@{_digest(version, n)}"} for n in range(40)
        ]
        properties = [
            {"type": "olm.package", "value": {"packageName": "other", "version": version}},
            {"type": "olm.bundle.object", "value": {"data": "QUJD" * 5_000}},
        ]
        bundle = {"schema": "olm.bundle", "name": f"other.v{version}", "package": "other"}
        texts.append(json.dumps({**bundle, "properties": properties, "relatedImages": related}, indent=4))
    file.write_text("\n".join(texts), encoding="utf-8")
    return file


def _digest(*of: object) -> str:
    return f"sha256:{sha256(repr(of).encode()).hexdigest()}"


if __name__ == "__main__":
    compile_bytecode()
    sys.exit(0 if main() else 1)
