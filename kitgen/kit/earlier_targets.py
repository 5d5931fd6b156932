"""Targets as earlier files describe them, in a kit that is the same in all else."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.kit.inheritance import Chains
from kitgen.kit.model import Kit, Target
from kitgen.kit.spec_files import SpecFiles
from kitgen.kit.target import build_target

TARGETS = "targets/"


def load_earlier_targets(kit: Kit, files: SpecFiles, names: Iterable[str]) -> dict[str, Target] | None:
    """Return all targets, and those of some names as files describe them.

    None if these are wrong, or need anything else of the kit than it has.
    """
    listed = [f"{TARGETS}{name}" for name in files.files.list_names("targets") if name.endswith(".yaml")]
    chains = Chains(files, dict.fromkeys(listed, "target"))
    wanted = {name: f"{TARGETS}{name}.yaml" for name in names}
    specs = [chains.spec(file) for file in wanted.values() if file in listed]
    found = [
        build_target(each.data, each.origin, chains.describe_chain(each.origin.file))
        for each in specs
        if each is not None
    ]
    if len(found) < len(specs) or not all(_fits_kit(kit, each) for each in found):
        return None
    others = {name: each for name, each in kit.targets.items() if name not in wanted}
    return others | {each.name: each for each in found}


def _fits_kit(kit: Kit, target: Target) -> bool:
    """Return whether a kit has what a target takes, and the fleet that it is part of."""
    now, release = kit.targets.get(target.name), kit.releases.get(target.release)
    if release is None or (kit.fleet and (now is None or now.argocd != target.argocd)):
        return False
    taken = target.component_versions(release).items()
    return all(version in kit.components.get(name, {}) for name, version in taken)
