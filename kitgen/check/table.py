"""The table of checks: each is a function from a context to hits. A new one is a module and a row.

Reading it imports none of them, so that a feature keeps its checks in its own folder.
"""

from __future__ import annotations

from typing import NamedTuple

CHECKS = (
    "kitgen.check.schemas.objects:check",
    "kitgen.check.server.objects:check",
    "kitgen.check.identity:check",
    "kitgen.check.images.objects:check",
    "kitgen.check.pods:check",
    "kitgen.compare.upgrade.check:check",
    "kitgen.check.references.objects:check",
    "kitgen.check.limits:check",
    "kitgen.check.security.objects:check",
    "kitgen.check.rbac.objects:check",
    "kitgen.check.cel.objects:check",
    "kitgen.argocd.rules.objects:check",
)
"""In the order in which they look."""


class BetweenTargets(NamedTuple):
    """A check of several targets: they need not be compiled together for it."""

    collect: str
    """Returns what it has to know of a plan, as plain data."""
    check: str
    """Yields hits from what is known of all."""


BETWEEN_TARGETS = (
    BetweenTargets("kitgen.argocd.names:collect_names", "kitgen.argocd.names:check_names"),
    BetweenTargets("kitgen.argocd.rules.owners:collect_owned", "kitgen.argocd.rules.owners:check_owners"),
)
OF_PLANS = (
    "kitgen.olm.target_bundles:check_packages",
    "kitgen.check.images.related_images:check_missing_variables",
)
"""Look at what plans have besides objects, once nothing else is wrong with them."""
RENDERED_FOLDERS = ("kitgen.argocd.synced_folders:list_rendered_folders",)
"""Return what plans render, by where others find it."""
NAMED_FOLDERS = ("kitgen.argocd.synced_folders:find_named_folders",)
"""Return what is known of folders that some manifests name."""
OF_KITS = (
    "kitgen.release.kit_releases:check_kit_releases",
    "kitgen.release.publishing:check_all_publishing",
    "kitgen.argocd.synced_folders:check_kit_folder",
    "kitgen.images.release_lock:check_kit_locks",
    "kitgen.migrate.moved_kinds:check_migrations",
)
"""Look at a whole opened kit, in one release or in all (None)."""
OF_PLACEMENTS = ("kitgen.release.rules.images:check_target_images",)
"""Look at a component as a target takes it; what they find is an error of a release, and a warning before."""
