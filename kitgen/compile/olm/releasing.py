"""What a release says of its bundle: name and version, its place among the others, its day."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.olm.listed import NOTES
from kitgen.compile.olm.parts import Piece, made
from kitgen.findings import Path
from kitgen.model import Release


def released(release: Release, package: str, minor: int | None) -> Iterator[tuple[Path, Piece]]:
    """Yield what follows from the release; the minor is the oldest that it is for, if the bundle says it."""
    at = release.origin.at
    created = f"{release.date}T00:00:00Z" if release.date else ""
    replaces = f"{package}.{release.replaces}" if release.replaces else ""
    skips = [f"{package}.{each}" for each in release.skips]
    said = at("kubernetes") if release.minors else release.origin
    yield ("metadata", "name"), Piece(f"{package}.{release.name}", (made(at("release")),))
    yield ("metadata", "namespace"), Piece("placeholder")
    yield (*NOTES, "createdAt"), Piece(created, (made(at("date")),))
    yield (*NOTES, "olm.skipRange"), Piece(release.skip_range, (made(at("skipRange")),))
    yield ("spec", "version"), Piece(release.name.removeprefix("v"), (made(at("release")),))
    yield ("spec", "minKubeVersion"), Piece("" if minor is None else f"1.{minor}.0", (made(said),))
    yield ("spec", "replaces"), Piece(replaces, (made(at("replaces")),))
    yield ("spec", "skips"), Piece(skips, (made(at("skips")),))
