"""Rules on single fields: tables of what a value has to be, and one function that reads them.

The table here is for the ClusterServiceVersion: what OLM, operator-sdk, the community's pipelines and
certification require of one field by itself. What crosses fields or files is code in the other modules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple, TypeAlias

from kitgen.findings import Path, Problem, Rule, get_rule
from kitgen.kube.names import NameForm
from kitgen.olm.rules.terms import ANNOTATIONS, CsvView
from kitgen.olm.rules.versions import is_strict_version
from kitgen.text.values import entries_at, text_at, texts_at, value_at
from kitgen.text.wording import describe_value, join_words
from kitgen.text.yaml import Json

Fits: TypeAlias = Callable[[Json], object]
"""Whether a value is right, by its truth."""
SPEC: Path = ("spec",)
PLAIN = "found {found}, expected {expected}"
NAMED = "found {found} for {path}, expected {expected}"


class FieldRule(NamedTuple):
    """What one field has to be."""

    rule: Rule
    path: Path
    fits: Fits
    expected: str
    message: str = PLAIN
    at: Path | None = None
    """Where it is reported, if that is not the field itself."""
    missing_at: Path | None = None
    """Where it is reported if there is no such field."""


def check_field_rules(body: Json, rows: Iterable[FieldRule]) -> Iterator[Problem]:
    """Yield every row of a table that a document does not follow."""
    for row in rows:
        value = value_at(body, *row.path)
        if not row.fits(value):
            other = row.at if row.at is not None else row.missing_at if value is None else None
            named = ".".join(map(str, row.path))
            yield row.rule(
                row.message.format(found=describe_value(value), path=named, expected=row.expected),
                row.path if other is None else other,
            )


def optional(fits: Fits, *blank: Json) -> Fits:
    """Accept nothing as well, and values that stand for nothing."""
    return lambda value: value is None or value in blank or fits(value)


def one_of(*values: Json) -> Fits:
    """Accept some values alone."""
    return lambda value: value in values


def is_present(value: Json) -> bool:
    """Return whether there is a value."""
    return value is not None


def is_non_empty(value: Json) -> bool:
    """Return whether there is a value that is not an empty string."""
    return value not in (None, "")


def of_type(kind: type) -> Fits:
    """Accept values of a type."""
    return lambda value: isinstance(value, kind)


def is_name_list(value: Json) -> bool:
    """Return whether a value is a list of strings, and not empty."""
    return bool(value) and texts_at(value) == value


def is_version(value: Json) -> bool:
    """Return whether a value is a semantic version."""
    return is_strict_version(text_at(value))


def _is_object_name(value: Json) -> bool:
    return isinstance(value, str) and len(value) <= LABEL and NameForm.SUBDOMAIN.matches(value)


def _is_timestamp(value: Json) -> bool:
    try:
        return datetime.fromisoformat(text_at(value).strip()) is not None
    except ValueError:
        return False


def _is_install_strategy(value: Json) -> bool:
    return text_at(value) in ("", STRATEGY)


def _is_short_name(value: Json) -> bool:
    return len(text_at(value)) <= LONGEST_NAME


def _has_min_length(least: int) -> Fits:
    return lambda value: len(text_at(value).strip()) >= least


def _matches_pattern(pattern: str) -> Fits:
    return lambda value: re.match(pattern, text_at(value)[:2_000])


def _has_entries_with(*keys: str) -> Fits:
    """Accept a list whose mappings all have some texts."""
    return lambda value: (
        entries_at(value) and all(text_at(each, key) for _, each in entries_at(value) for key in keys)
    )


API = "operators.coreos.com/v1alpha1"
STRATEGY = "deployment"
LABEL, LONGEST_NAME = 63, 50
LEVELS = ("Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot")
NAME = f"{NameForm.SUBDOMAIN.removesuffix('253 characters')}{LABEL} characters"
FEATURES = "features.operators.openshift.io/"
FEATURES_NEEDED = (
    *("disconnected", "fips-compliant", "proxy-aware", "tls-profiles"),
    *("token-auth-aws", "token-auth-azure", "token-auth-gcp"),
)
FEATURES_OPTIONAL = ("cnf", "cni", "csi")
CSV_INSTALL = get_rule("csv-install")
CSV_NAME = get_rule("csv-name")
CSV_FEATURES = get_rule("csv-features")
CSV_KUBE_VERSION_MISSING = get_rule("csv-kube-version-missing")
REFUSED, WANTED = get_rule("csv-community"), get_rule("csv-community-wanted")
COMMUNITY: tuple[tuple[Rule, Path, str, Fits], ...] = (
    (REFUSED, ("spec", "displayName"), "at least 3 characters", _has_min_length(3)),
    (REFUSED, ("spec", "description"), "at least 20 characters", _has_min_length(20)),
    (
        *(REFUSED, ("spec", "icon"), "a list with base64data and mediatype"),
        _has_entries_with("base64data", "mediatype"),
    ),
    (REFUSED, ("spec", "version"), "a version such as 1.2.3", is_version),
    (REFUSED, ("spec", "maintainers"), "one with name and email", _has_entries_with("name", "email")),
    (REFUSED, ("spec", "provider", "name"), "at least 3 characters", _has_min_length(3)),
    (REFUSED, ("spec", "links"), "one with name and url", _has_entries_with("name", "url")),
    (WANTED, ("spec", "keywords"), "a list of words", is_name_list),
    (WANTED, (*ANNOTATIONS, "capabilities"), "a level", _has_min_length(1)),
    (WANTED, (*ANNOTATIONS, "categories"), "categories", _has_min_length(1)),
    (
        *(WANTED, (*ANNOTATIONS, "containerImage"), "an image with a tag"),
        _matches_pattern(r"(?:[^/\s]+/)+[^/:\s]+:.+"),
    ),
    (WANTED, (*ANNOTATIONS, "createdAt"), "a time such as 2030-01-31T00:00:00Z", _is_timestamp),
    (WANTED, (*ANNOTATIONS, "repository"), "an address", _matches_pattern(r"https?://.+")),
    (WANTED, (*ANNOTATIONS, "support"), "at least 3 characters", _has_min_length(3)),
    (WANTED, (*ANNOTATIONS, "description"), "at least 10 characters", _has_min_length(10)),
)
"""What the community's pipelines refuse, and what they warn of."""
CSV_FIELDS = (
    FieldRule(get_rule("csv-api"), ("apiVersion",), one_of(API), API),
    FieldRule(CSV_NAME, ("metadata", "name"), _is_object_name, NAME),
    FieldRule(CSV_NAME, ("spec", "replaces"), optional(_is_object_name, ""), NAME),
    FieldRule(
        *(CSV_KUBE_VERSION_MISSING, ("spec", "minKubeVersion"), is_non_empty, "the oldest Kubernetes"),
        message="found no minKubeVersion, expected {expected}",
        at=SPEC,
    ),
    FieldRule(
        *(get_rule("csv-kube-version"), ("spec", "minKubeVersion"), optional(is_version, "")),
        expected="a version such as 1.25.0",
    ),
    FieldRule(
        *(get_rule("csv-properties"), (*ANNOTATIONS, "olm.properties"), one_of(None)),
        expected="metadata/properties.yaml instead",
        message="found olm.properties, expected {expected}",
    ),
    FieldRule(
        *(get_rule("csv-provider"), ("spec", "provider", "name"), text_at, "one"),
        message="found no name of a provider, expected {expected}",
        at=SPEC,
    ),
    FieldRule(
        *(CSV_INSTALL, ("spec", "install", "strategy"), _is_install_strategy, STRATEGY),
        message="found the strategy {found}, expected {expected}",
    ),
    FieldRule(
        get_rule("csv-version"),
        ("spec", "version"),
        bool,
        "one",
        "found no version, expected {expected}",
        SPEC,
    ),
    FieldRule(
        get_rule("csv-icon-missing"),
        ("spec", "icon"),
        entries_at,
        "one",
        "found no icon, expected {expected}",
        SPEC,
    ),
    FieldRule(
        *(
            get_rule("csv-capability"),
            (*ANNOTATIONS, "capabilities"),
            optional(one_of(*LEVELS)),
            join_words(LEVELS),
        ),
    ),
    FieldRule(
        *(get_rule("csv-display-name"), ("spec", "displayName"), _is_short_name, "at most that"),
        message=f"found more than {LONGEST_NAME} characters, expected {{expected}}",
    ),
    *(
        FieldRule(
            *(broken, path, fits, expected, NAMED),
            missing_at=path[:1] if "provider" in path else path[:-1],
        )
        for broken, path, expected, fits in COMMUNITY
    ),
    *(
        FieldRule(
            *(CSV_FEATURES, (*ANNOTATIONS, f"{FEATURES}{name}"), is_present, "true or false"),
            message=f"found no annotation {FEATURES}{name}, expected {{expected}}",
            at=("metadata",),
        )
        for name in FEATURES_NEEDED
    ),
    *(
        FieldRule(
            *(CSV_FEATURES, (*ANNOTATIONS, f"{FEATURES}{name}"), optional(one_of("true", "false"))),
            expected="true or false as a text",
        )
        for name in (*FEATURES_NEEDED, *FEATURES_OPTIONAL)
    ),
)


def check_fields(csv: CsvView) -> Iterator[Problem]:
    """Yield the fields of a ClusterServiceVersion that are not what they have to be."""
    return check_field_rules(csv.body, CSV_FIELDS)
