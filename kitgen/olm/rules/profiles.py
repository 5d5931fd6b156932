"""Profiles: who is to take a bundle, which rules that asks for, and how bad it is to break them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from msgspec.structs import replace

from kitgen.findings import Finding, Rule, Severity
from kitgen.olm.rules import (
    certification,
    community,
    contents,
    csv,
    dependencies,
    examples,
    install,
    layout,
    listing,
    metadata,
    release_config,
    removed_apis,
    updates,
    upgrade,
)


class Profile(StrEnum):
    """Who is to take a bundle; each asks for all that those before it do."""

    OLM = "olm"
    OPERATORHUB = "operatorhub"
    COMMUNITY = "community"
    CERTIFIED = "certified"


ASKED: dict[Profile, tuple[Rule, ...]] = {
    Profile.OLM: (
        *(layout.BUNDLE_FOLDERS, layout.CSV_SINGLE, layout.BUNDLE_NESTED, layout.BUNDLE_STRAY),
        *(layout.BUNDLE_DOCUMENTS, layout.BUNDLE_KIND, layout.BUNDLE_SIZE, layout.BUNDLE_SIZE_NEAR),
        *(metadata.BUNDLE_ANNOTATION, metadata.BUNDLE_MEDIA_TYPE, metadata.BUNDLE_PATH),
        *(metadata.BUNDLE_DEFAULT_CHANNEL, metadata.BUNDLE_DEFAULT_ELSEWHERE, metadata.BUNDLE_LABELS),
        *(dependencies.BUNDLE_DEPENDENCY, dependencies.BUNDLE_PROPERTY),
        *(csv.CSV_API, csv.CSV_NAME, csv.CSV_REQUIRED, csv.CSV_INSTALL_MODES, csv.CSV_KUBE_VERSION),
        *(csv.CSV_ANNOTATION_CASE, csv.CSV_OWNED_NAME, csv.CSV_RELEASE),
        *(contents.BUNDLE_CRD_MISSING, contents.BUNDLE_CRD_UNOWNED, contents.BUNDLE_CRD_TWICE),
        *(install.CSV_INSTALL, install.CSV_WEBHOOK, install.CSV_WEBHOOK_REFUSED, install.CSV_ACCOUNT),
        contents.BUNDLE_NAMESPACE,
        *(contents.BUNDLE_ACCOUNT, contents.BUNDLE_RELATED_IMAGE),
        *(removed_apis.BUNDLE_API_REMOVED, removed_apis.BUNDLE_API_GOING),
        *(updates.GRAPH_RANGE, updates.GRAPH_SELF, updates.GRAPH_HEADS, updates.GRAPH_LOOP),
        *(updates.GRAPH_STRANDED, updates.GRAPH_MISSING, updates.GRAPH_TWICE, updates.GRAPH_PRUNED),
        updates.GRAPH_BACKWARDS,
        *(upgrade.BUNDLE_UPGRADE_STORED, upgrade.BUNDLE_UPGRADE_SCHEMA),
    ),
    Profile.OPERATORHUB: (
        *(csv.CSV_KUBE_VERSION_MISSING, csv.CSV_NAME_FORM, csv.CSV_PROPERTIES),
        *(examples.CSV_EXAMPLES_MISSING, examples.CSV_EXAMPLES_TWICE, examples.CSV_EXAMPLES_FORM),
        *(examples.CSV_EXAMPLES_YAML, examples.CSV_EXAMPLE_OWNED, examples.CSV_EXAMPLE_MISSING),
        *(examples.CSV_EXAMPLE_INVALID, metadata.BUNDLE_CHANNEL_NAME),
        *(listing.CSV_PROVIDER, listing.CSV_MAINTAINER, listing.CSV_LINK, listing.CSV_VERSION),
        *(listing.CSV_ICON, listing.CSV_ICON_DATA, listing.CSV_ICON_MISSING, install.CSV_IMAGE_DIFFERS),
        *(listing.CSV_CAPABILITY, listing.CSV_CATEGORY),
        *(listing.CSV_CATEGORY_APART, listing.CSV_REQUESTS, listing.CSV_DESCRIPTION),
        listing.CSV_ARCHITECTURE,
        *(contents.BUNDLE_BUDGET, contents.BUNDLE_PRIORITY, contents.BUNDLE_GRANTS_BUDGETS),
        *(contents.BUNDLE_GRANTS_CONSTRAINTS, contents.BUNDLE_GRANTS_CRDS),
    ),
    Profile.COMMUNITY: (
        *(layout.CSV_FILE, layout.BUNDLE_TIDY, metadata.BUNDLE_OPENSHIFT, metadata.BUNDLE_OPENSHIFT_LIST),
        *(metadata.BUNDLE_PACKAGE_NAME, updates.PACKAGE_MIXED, updates.GRAPH_OPENSHIFT),
        *(community.CSV_COMMUNITY, community.CSV_COMMUNITY_WANTED, community.CSV_DISPLAY_NAME),
        *(community.BUNDLE_KUBE_RANGE, community.BUNDLE_VERSION_FOLDER, community.BUNDLE_NETWORK_POLICY),
        *(
            release_config.CI_CONFIG,
            release_config.CI_UPDATE_GRAPH,
            release_config.CI_NO_CATALOG,
            release_config.RELEASE_CONFIG,
        ),
        *(certification.CSV_IMAGE_UNPINNED, certification.CSV_IMAGE_UNLISTED),
    ),
    Profile.CERTIFIED: (
        certification.CSV_FEATURES,
        certification.CSV_DISCONNECTED,
        certification.CSV_CONSTRAINTS,
    ),
}
"""Profile → the rules that it adds to those of the profiles before it."""
GRADES: dict[Profile, dict[Rule, Severity]] = {
    # OLM itself installs what has these faults; only operator-sdk refuses it.
    Profile.OLM: {
        csv.CSV_ANNOTATION_CASE: Severity.WARNING,
        removed_apis.BUNDLE_API_REMOVED: Severity.WARNING,
    },
}
"""Profile → rules that are graded otherwise there, and there alone."""


def counted_in(profile: Profile, findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that count for a profile, as bad as they are there; others than bundles' all do."""
    profiles = list(Profile)
    first = {rule: since for since, rules in ASKED.items() for rule in rules}
    grades = GRADES.get(profile, {})
    return [
        replace(each, graded=grades[each.rule]) if each.rule in grades else each
        for each in findings
        if profiles.index(first.get(each.rule, Profile.OLM)) <= profiles.index(profile)
    ]
