"""How fast rendering is, beside the time that kustomize needs to build the result."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.kit import KIT, SPECS, overlays, own_kit
from benchmarks.timing import Row, best, peak_megabytes, run, table
from kitgen.text.semver import version_key

KITGEN = [sys.executable, "-m", "kitgen"]


def kustomize() -> list[str]:
    """Return the command that builds a folder."""
    if shutil.which("kustomize"):
        return ["kustomize", "build"]
    if shutil.which("kubectl"):
        return ["kubectl", "kustomize"]
    sys.exit("the benchmark needs kustomize or kubectl to compare with")


def main() -> bool:
    """Run every comparison; tell whether all limits hold."""
    with tempfile.TemporaryDirectory() as folder:
        kit = Path(folder) / "kit"
        kit.mkdir()
        for name in SPECS:
            source = KIT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, kit / name)
        env = {"KITGEN_CACHE_DIR": str(Path(folder) / "cache")}
        return _compare(kit, env)


def _compare(kit: Path, env: dict[str, str]) -> bool:
    def forget() -> None:
        shutil.rmtree(kit / "overlays", ignore_errors=True)
        shutil.rmtree(env["KITGEN_CACHE_DIR"], ignore_errors=True)

    def render() -> None:
        run([*KITGEN, "render"], cwd=kit, env=env)

    cold_time = best(render, 7, before=forget)
    again = best(render, 7)
    pairs = overlays(own_kit())
    built = best(lambda: [run([*kustomize(), str(kit / "overlays" / pair)]) for pair in pairs] and None, 2)
    click = best(lambda: run([sys.executable, "-c", "import click"]), 7)
    help_time = best(lambda: run([*KITGEN, "--help"]), 7)
    alike = best(render, 7, before=forget) if _pinned_alike(kit) else cold_time
    all_built = f"kustomize builds the {len(pairs)} overlays"
    good = table(
        "Rendering",
        [
            Row(name="render, cold", seconds=cold_time, peer=all_built, peer_seconds=built, limit=1 / 6),
            Row(
                name="render, nothing changed",
                seconds=again,
                peer=all_built,
                peer_seconds=built,
                limit=1 / 20,
            ),
            Row(
                name="render, cold, one release",
                seconds=alike,
                peer="import click",
                peer_seconds=click,
                limit=10,
            ),
            Row(name="kitgen --help", seconds=help_time, peer="import click", peer_seconds=click, limit=1.5),
        ],
    )
    shutil.rmtree(kit / "overlays")
    memory = peak_megabytes([*KITGEN, "render", "--no-cache", "-q"], kit, env)
    print(f"\nPeak memory of a cold render: {memory:.0f} MB (limit 200)")
    return _growth(kit, env) and good and memory < 200


def _pinned_alike(kit: Path) -> bool:
    """Pin all targets to the oldest release that all of them ship whole; tell whether that changes one.

    How much there is to render then does not depend on how far apart the targets are.
    """
    own = own_kit().kit
    common = [
        name
        for name, release in own.releases.items()
        if all(target.settings.keys() - {""} <= release.components.keys() for target in own.targets.values())
    ]
    oldest = min(common, key=version_key)
    for name, target in own.targets.items():
        file = kit / f"targets/{name}.yaml"
        text = file.read_text(encoding="utf-8")
        file.write_text(
            text.replace(f"release: {target.release}\n", f"release: {oldest}\n"), encoding="utf-8"
        )
    return any(target.release != oldest for target in own.targets.values())


def _growth(kit: Path, env: dict[str, str]) -> bool:
    """Render with more and more targets: the time of each must stay about the same."""
    first = next(iter(own_kit().kit.targets))
    spec = (kit / f"targets/{first}.yaml").read_text(encoding="utf-8")
    times = {}
    for count in (25, 50, 100):
        for number in range(count):
            name = f"t{number:03d}"
            text = spec.replace(f"target: {first}", f"target: {name}")
            (kit / f"targets/{name}.yaml").write_text(text, encoding="utf-8")
        shutil.rmtree(kit / "overlays", ignore_errors=True)
        times[count] = best(lambda: run([*KITGEN, "render", "--no-cache", "-q"], cwd=kit, env=env), 1)
    rows = [
        Row(
            name=f"{count} more targets",
            seconds=times[count],
            peer=f"{count // 2} more targets",
            peer_seconds=times[count // 2],
            limit=2.5,
        )
        for count in (50, 100)
    ]
    return table("Growth (twice the targets, about twice the time)", rows)
