"""How a package and a bundle ask to be taken in: ci.yaml and release-config.yaml."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from kitgen.findings import Path, Problem, rule
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.terms import BundleFault, BundleTerms
from kitgen.text.values import entries_at, text_at, texts_at, value_at
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import Json, JsonObject

CI_CONFIG = rule("ci-config")
CI_UPDATE_GRAPH = rule("ci-update-graph")
CI_NO_CATALOG = rule("ci-no-catalog")
RELEASE_CONFIG = rule("release-config")

GRAPHS = ("replaces-mode", "semver-mode")
PROMOTIONS = ("review-needed", "always", "never")
TYPES = ("olm.template.basic", "olm.semver")
SEMVER_CHANNELS = frozenset({"Candidate", "Fast", "Stable"})
FBC = ("enabled", "version_promotion_strategy", "catalog_mapping")


def uses_catalog(ci: Manifest | None) -> bool:
    """Tell whether a catalog says the channels of a package."""
    return ci is not None and value_at(ci.body, "fbc", "enabled") is True


def check_ci(ci: Manifest) -> Iterator[BundleFault]:
    """Yield what is wrong with what is said of a whole package."""
    body = ci.body
    for problem in chain(_simple(body), _fbc(body)):
        yield BundleFault(ci, problem)
    if not uses_catalog(ci):
        if body.get("updateGraph") is None:
            yield BundleFault(ci, CI_UPDATE_GRAPH(f"found no updateGraph, expected {choice(GRAPHS)}", line=1))
        yield BundleFault(
            ci, CI_NO_CATALOG("found no fbc that is enabled, which catalogs will ask for", line=1)
        )


def _simple(body: JsonObject) -> Iterator[Problem]:
    graph, reviewers = body.get("updateGraph"), body.get("reviewers")
    if graph is not None and graph not in GRAPHS:
        yield CI_CONFIG(f"found {shown(graph)}, expected {choice(GRAPHS)}", ("updateGraph",))
    if reviewers is not None and (
        not isinstance(reviewers, list) or not reviewers or len(texts_at(reviewers)) != len(reviewers)
    ):
        yield CI_CONFIG(f"found {shown(reviewers)}, expected a list of names", ("reviewers",))
    yield from _typed(body, "merge", bool, "true or false", ())
    yield from _typed(body, "cert_project_id", str, "a text", ())


def _typed(body: JsonObject, key: str, kind: type, expected: str, path: Path) -> Iterator[Problem]:
    if (value := body.get(key)) is not None and not isinstance(value, kind):
        yield CI_CONFIG(f"found {shown(value)}, expected {expected}", (*path, key))


def _fbc(body: JsonObject) -> Iterator[Problem]:
    fbc = body.get("fbc")
    if fbc is None:
        return
    if not isinstance(fbc, dict):
        yield CI_CONFIG(f"found {shown(fbc)}, expected a mapping", ("fbc",))
        return
    for key in fbc:
        if key not in FBC:
            yield CI_CONFIG(f"found the key {cut(str(key))}, expected {choice(FBC)}", ("fbc", str(key)))
    yield from _typed(fbc, "enabled", bool, "true or false", ("fbc",))
    promotion = fbc.get("version_promotion_strategy")
    if promotion is not None and promotion not in PROMOTIONS:
        path: Path = ("fbc", "version_promotion_strategy")
        yield CI_CONFIG(f"found {shown(promotion)}, expected {choice(PROMOTIONS)}", path)
    mapping = fbc.get("catalog_mapping")
    if mapping is not None and not isinstance(mapping, list):
        yield CI_CONFIG(f"found {shown(mapping)}, expected a list", ("fbc", "catalog_mapping"))
    seen: dict[str, str] = {}
    for at, each in entries_at(fbc, "catalog_mapping"):
        yield from _mapping(each, ("fbc", "catalog_mapping", at), seen)


def _mapping(each: JsonObject, path: Path, seen: dict[str, str]) -> Iterator[Problem]:
    """Yield what is wrong with one template's catalogs; those seen before are told with their template."""
    template, catalogs, kind = (each.get(key) for key in ("template_name", "catalog_names", "type"))
    if not text_at(template):
        yield CI_CONFIG(f"found {shown(template)} for template_name, expected a file's name", path)
    if kind not in TYPES:
        yield CI_CONFIG(f"found {shown(kind)} for type, expected {choice(TYPES)}", path)
    names = texts_at(catalogs)
    if not isinstance(catalogs, list) or not names or len(names) != len(catalogs):
        hint = "it is written catalog_names" if "catalogs_names" in each else ""
        yield CI_CONFIG(f"found {shown(catalogs)} for catalog_names, expected a list of names", path, hint)
    here: set[str] = set()
    for at, name in enumerate(names):
        other = seen.setdefault(name, text_at(template))
        if name in here:
            message = f"found the catalog {cut(name)} again, expected it once"
            yield CI_CONFIG(message, (*path, "catalog_names", at))
        elif other != text_at(template):
            message = f"found the catalog {cut(name)}, which the template {cut(other)} has too"
            yield CI_CONFIG(message, (*path, "catalog_names", at))
        here.add(name)


def check(bundle: Bundle, terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield what is wrong with how a bundle asks to be taken in."""
    release = bundle.release
    if release is None:
        return
    templates: dict[str, Json] | None = None
    if uses_catalog(terms.ci) and terms.ci is not None:
        mapped = entries_at(terms.ci.body, "fbc", "catalog_mapping")
        templates = {text_at(each, "template_name"): each.get("type") for _, each in mapped}
    elif terms.ci is not None:
        message = "found release-config.yaml, but ci.yaml does not enable fbc"
        yield BundleFault(release, RELEASE_CONFIG(message, line=1))
    merge = release.body.get("merge")
    if merge is not None and not isinstance(merge, bool):
        yield BundleFault(
            release, RELEASE_CONFIG(f"found {shown(merge)}, expected true or false", ("merge",))
        )
    said = release.body.get("catalog_templates")
    if not isinstance(said, list) or not said:
        message = f"found {shown(said)} for catalog_templates, expected a list"
        yield BundleFault(release, RELEASE_CONFIG(message, line=1))
    for at, each in entries_at(release.body, "catalog_templates"):
        for problem in _template(each, templates):
            yield BundleFault(release, problem.below("catalog_templates", at))


def _template(each: JsonObject, templates: dict[str, Json] | None) -> Iterator[Problem]:
    name, said = each.get("template_name"), each.get("channels")
    channels = texts_at(said)
    if not text_at(name):
        yield RELEASE_CONFIG(f"found {shown(name)} for template_name, expected a file's name")
    elif templates is not None and name not in templates:
        message = f"found {cut(str(name))}, which ci.yaml does not map to catalogs"
        yield RELEASE_CONFIG(message, ("template_name",))
    if not channels or not isinstance(said, list) or len(channels) != len(said):
        yield RELEASE_CONFIG(f"found {shown(said)} for channels, expected a list of names")
    elif len(set(channels)) != len(channels):
        yield RELEASE_CONFIG("found a channel twice, expected each once", ("channels",))
    if templates is not None and templates.get(text_at(name)) == "olm.semver":
        for at, channel in enumerate(channels):
            if channel not in SEMVER_CHANNELS:
                message = f"found {cut(channel)}, expected {choice(sorted(SEMVER_CHANNELS))}"
                yield RELEASE_CONFIG(message, ("channels", at))
    for key, kind, expected in (
        ("defaultChannel", str, "a channel"),
        ("replaces", str, "the name of a bundle"),
        ("skips", list, "a list of names"),
        ("skipRange", str, "a range of versions"),
    ):
        if (value := each.get(key)) is not None and not isinstance(value, kind):
            yield RELEASE_CONFIG(f"found {shown(value)}, expected {expected}", (key,))
