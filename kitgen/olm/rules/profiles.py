"""Profiles: who is to take a bundle, which rules that asks for, and how bad it is to break them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from msgspec.structs import replace

from kitgen.findings import Finding, Severity


class Profile(StrEnum):
    """Who is to take a bundle; each asks for all that those before it do."""

    OLM = "olm"
    OPERATORHUB = "operatorhub"
    COMMUNITY = "community"
    CERTIFIED = "certified"


ASKED: dict[Profile, tuple[str, ...]] = {
    Profile.OLM: (
        *("bundle-folders", "csv-single", "bundle-nested", "bundle-stray"),
        *("bundle-documents", "bundle-kind", "bundle-size", "bundle-size-near"),
        *("bundle-annotation", "bundle-media-type", "bundle-path"),
        *("bundle-default-channel", "bundle-default-elsewhere", "bundle-labels"),
        *("bundle-dependency", "bundle-property"),
        *("csv-api", "csv-name", "csv-required", "csv-install-modes", "csv-kube-version"),
        *("csv-annotation-case", "csv-owned-name", "csv-release"),
        *("bundle-crd-missing", "bundle-crd-unowned", "bundle-crd-twice"),
        *("csv-install", "csv-webhook", "csv-webhook-refused", "csv-account"),
        "bundle-namespace",
        *("bundle-account", "bundle-related-image"),
        *("bundle-api-removed", "bundle-api-going"),
        *("graph-range", "graph-self", "graph-heads", "graph-loop"),
        *("graph-stranded", "graph-missing", "graph-twice", "graph-pruned"),
        "graph-backwards",
        *("bundle-upgrade-stored", "bundle-upgrade-schema"),
    ),
    Profile.OPERATORHUB: (
        *("csv-kube-version-missing", "csv-name-form", "csv-properties"),
        *("csv-examples-missing", "csv-examples-twice", "csv-examples-form"),
        *("csv-examples-yaml", "csv-example-owned", "csv-example-missing"),
        *("csv-example-invalid", "bundle-channel-name"),
        *("csv-provider", "csv-maintainer", "csv-link", "csv-version"),
        *("csv-icon", "csv-icon-data", "csv-icon-missing", "csv-image-differs"),
        *("csv-capability", "csv-category"),
        *("csv-category-apart", "csv-requests", "csv-description"),
        "csv-architecture",
        *("bundle-budget", "bundle-priority", "bundle-grants-budgets"),
        *("bundle-grants-constraints", "bundle-grants-crds"),
    ),
    Profile.COMMUNITY: (
        *("csv-file", "bundle-tidy", "bundle-openshift", "bundle-openshift-list"),
        *("bundle-package-name", "package-mixed", "graph-openshift"),
        *("csv-community", "csv-community-wanted", "csv-display-name"),
        *("bundle-kube-range", "bundle-version-folder", "bundle-network-policy"),
        *(
            "ci-config",
            "ci-update-graph",
            "ci-no-catalog",
            "release-config",
        ),
        *("csv-image-unpinned", "csv-image-unlisted"),
    ),
    Profile.CERTIFIED: (
        "csv-features",
        "csv-disconnected",
        "csv-constraints",
    ),
}
"""Profile → the rules that it adds to those of the profiles before it."""
GRADES: dict[Profile, dict[str, Severity]] = {
    # OLM itself installs what has these faults; only operator-sdk refuses it.
    Profile.OLM: {
        "csv-annotation-case": Severity.WARNING,
        "bundle-api-removed": Severity.WARNING,
    },
}
"""Profile → rules that are graded otherwise there, and there alone."""


def apply_profile(profile: Profile, findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that count for a profile, as bad as they are there; others than bundles' all do."""
    profiles = list(Profile)
    first = {rule: since for since, rules in ASKED.items() for rule in rules}
    grades = GRADES.get(profile, {})
    return [
        replace(each, graded=grades[each.rule.id]) if each.rule.id in grades else each
        for each in findings
        if profiles.index(first.get(each.rule.id, Profile.OLM)) <= profiles.index(profile)
    ]
