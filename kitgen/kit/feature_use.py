"""Detect which features of kitgen a kit uses, by the keys and files of its specs."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from kitgen.files.root import MARK
from kitgen.findings import Finding, Origin, make_problem
from kitgen.kit.model import Kit
from kitgen.kit.model.publishing import Publishing


def find_used_features(kit: Kit, migrations: list[str]) -> Iterator[tuple[str, Origin]]:
    """Yield the folder of each feature that a kit uses, and where it does; the first use comes first."""
    for target in kit.targets.values():
        if target.bundle is not None:
            yield "olm", target.origin.at("bundle")
        if target.argocd is not None:
            yield "argocd", target.origin.at("argocd")
    if kit.fleet is not None:
        yield "argocd", kit.fleet.origin
    if kit.publishing != Publishing():
        yield "release", Origin(MARK, ("publishing",))
    if kit.matrix is not None:
        yield "release", Origin(MARK, ("matrix",))
    yield from (("images", each.lock.origin) for each in kit.releases.values() if each.lock is not None)
    yield from (("migrate", Origin(f"migrations/{name}")) for name in migrations if name.endswith(".yaml"))


def check_features(kit: Kit, migrations: list[str]) -> Iterator[Finding]:
    """Yield one finding for each feature that a kit uses and that is not installed."""
    used: dict[str, Origin] = {}
    for feature, origin in find_used_features(kit, migrations):
        used.setdefault(feature, origin)
    for feature, origin in used.items():
        if find_spec(f"kitgen.{feature}") is None:
            yield make_problem(
                "feature-missing",
                f"found a use of the feature {feature} of kitgen, which is not installed",
                hint="install kitgen again",
            ).to_finding(origin)
