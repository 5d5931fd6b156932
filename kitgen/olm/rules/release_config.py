"""How a package and a bundle ask to be taken in: ci.yaml and release-config.yaml."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from kitgen.findings import Problem, get_rule, make_problem
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.fields import (
    NAMED,
    FieldRule,
    check_field_rules,
    is_name_list,
    of_type,
    one_of,
    optional,
)
from kitgen.olm.rules.terms import BundleFault, BundleTerms
from kitgen.text.values import entries_at, map_at, text_at, texts_at, value_at
from kitgen.text.wording import describe_value, join_words, quote_text
from kitgen.text.yaml import Json, JsonObject

CI_CONFIG = get_rule("ci-config")
RELEASE_CONFIG = get_rule("release-config")

GRAPHS = ("replaces-mode", "semver-mode")
PROMOTIONS = ("review-needed", "always", "never")
TYPES = ("olm.template.basic", "olm.semver")
SEMVER_CHANNELS = frozenset({"Candidate", "Fast", "Stable"})
FBC = ("enabled", "version_promotion_strategy", "catalog_mapping")


CI_FIELDS = tuple(
    FieldRule(CI_CONFIG, path, optional(fits), expected)
    for path, fits, expected in (
        (("updateGraph",), one_of(*GRAPHS), join_words(GRAPHS)),
        (("reviewers",), is_name_list, "a list of names"),
        (("merge",), of_type(bool), "true or false"),
        (("cert_project_id",), of_type(str), "a text"),
        (("fbc",), of_type(dict), "a mapping"),
        (("fbc", "enabled"), of_type(bool), "true or false"),
        (("fbc", "version_promotion_strategy"), one_of(*PROMOTIONS), join_words(PROMOTIONS)),
        (("fbc", "catalog_mapping"), of_type(list), "a list"),
    )
)
MAPPING_FIELDS = (
    FieldRule(CI_CONFIG, ("template_name",), text_at, "a file's name", NAMED, ()),
    FieldRule(CI_CONFIG, ("type",), one_of(*TYPES), join_words(TYPES), NAMED, ()),
)
RELEASE_FIELDS = (FieldRule(RELEASE_CONFIG, ("merge",), optional(of_type(bool)), "true or false"),)
TEMPLATE_FIELDS = (
    FieldRule(RELEASE_CONFIG, ("template_name",), text_at, "a file's name", NAMED, ()),
    FieldRule(RELEASE_CONFIG, ("channels",), is_name_list, "a list of names", NAMED, ()),
    FieldRule(RELEASE_CONFIG, ("defaultChannel",), optional(of_type(str)), "a channel"),
    FieldRule(RELEASE_CONFIG, ("replaces",), optional(of_type(str)), "the name of a bundle"),
    FieldRule(RELEASE_CONFIG, ("skips",), optional(of_type(list)), "a list of names"),
    FieldRule(RELEASE_CONFIG, ("skipRange",), optional(of_type(str)), "a range of versions"),
)


def uses_catalog(ci: Manifest | None) -> bool:
    """Tell whether a catalog says the channels of a package."""
    return ci is not None and value_at(ci.body, "fbc", "enabled") is True


def check_ci(ci: Manifest) -> Iterator[BundleFault]:
    """Yield what is wrong with what is said of a whole package."""
    yield from (
        BundleFault(ci, wrong) for wrong in chain(check_field_rules(ci.body, CI_FIELDS), _check_fbc(ci.body))
    )
    if not uses_catalog(ci):
        if ci.body.get("updateGraph") is None:
            yield BundleFault(
                ci,
                make_problem(
                    "ci-update-graph", f"found no updateGraph, expected {join_words(GRAPHS)}", line=1
                ),
            )
        yield BundleFault(
            ci,
            make_problem(
                "ci-no-catalog", "found no fbc that is enabled, which catalogs will ask for", line=1
            ),
        )


def _check_fbc(body: JsonObject) -> Iterator[Problem]:
    for key in map_at(body, "fbc"):
        if key not in FBC:
            yield CI_CONFIG(
                f"found the key {quote_text(str(key))}, expected {join_words(FBC)}", ("fbc", str(key))
            )
    seen: dict[str, str] = {}
    for at, each in entries_at(body, "fbc", "catalog_mapping"):
        yield from (one.prefix_path("fbc", "catalog_mapping", at) for one in _check_mapping(each, seen))


def _check_mapping(each: JsonObject, seen: dict[str, str]) -> Iterator[Problem]:
    """Yield what is wrong with one template's catalogs; those seen before are told with their template."""
    yield from check_field_rules(each, MAPPING_FIELDS)
    if not is_name_list(each.get("catalog_names")):
        hint = "it is written catalog_names" if "catalogs_names" in each else ""
        found = describe_value(each.get("catalog_names"))
        yield CI_CONFIG(f"found {found} for catalog_names, expected a list of names", (), hint)
    template = text_at(each, "template_name")
    here: set[str] = set()
    for at, name in enumerate(texts_at(each, "catalog_names")):
        other = seen.setdefault(name, template)
        if name in here:
            yield CI_CONFIG(
                f"found the catalog {quote_text(name)} again, expected it once", ("catalog_names", at)
            )
        elif other != template:
            yield CI_CONFIG(
                f"found the catalog {quote_text(name)}, which the template {quote_text(other)} has too",
                ("catalog_names", at),
            )
        here.add(name)


def check(bundle: Bundle, terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield what is wrong with how a bundle asks to be taken in."""
    if (release := bundle.release) is None:
        return
    templates: dict[str, Json] | None = None
    if uses_catalog(terms.ci) and terms.ci is not None:
        mapped = entries_at(terms.ci.body, "fbc", "catalog_mapping")
        templates = {text_at(each, "template_name"): each.get("type") for _, each in mapped}
    elif terms.ci is not None:
        yield BundleFault(
            release, RELEASE_CONFIG("found release-config.yaml, but ci.yaml does not enable fbc", line=1)
        )
    yield from (BundleFault(release, wrong) for wrong in check_field_rules(release.body, RELEASE_FIELDS))
    if not isinstance(said := release.body.get("catalog_templates"), list) or not said:
        yield BundleFault(
            release,
            RELEASE_CONFIG(f"found {describe_value(said)} for catalog_templates, expected a list", line=1),
        )
    for at, each in entries_at(release.body, "catalog_templates"):
        for wrong in _check_template(each, templates):
            yield BundleFault(release, wrong.prefix_path("catalog_templates", at))


def _check_template(each: JsonObject, templates: dict[str, Json] | None) -> Iterator[Problem]:
    yield from check_field_rules(each, TEMPLATE_FIELDS)
    name, channels = text_at(each, "template_name"), texts_at(each, "channels")
    if name and templates is not None and name not in templates:
        yield RELEASE_CONFIG(
            f"found {quote_text(name)}, which ci.yaml does not map to catalogs", ("template_name",)
        )
    if is_name_list(each.get("channels")) and len(set(channels)) != len(channels):
        yield RELEASE_CONFIG("found a channel twice, expected each once", ("channels",))
    if templates is not None and templates.get(name) == "olm.semver":
        for at, channel in enumerate(channels):
            if channel not in SEMVER_CHANNELS:
                yield RELEASE_CONFIG(
                    f"found {quote_text(channel)}, expected {join_words(sorted(SEMVER_CHANNELS))}",
                    ("channels", at),
                )
