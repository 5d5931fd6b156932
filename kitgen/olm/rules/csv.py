"""The ClusterServiceVersion itself: what OLM and operator-sdk always ask of it."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Path, Problem, make_problem
from kitgen.olm.packages.records import PACKAGE
from kitgen.olm.rules.terms import ANNOTATIONS, OWNED, CsvView
from kitgen.olm.rules.versions import is_strict_version
from kitgen.text.values import entries_at, map_at, text_at, value_at
from kitgen.text.wording import describe_value, quote_text
from kitgen.text.yaml import JsonObject

READ = (
    *("olm.skipRange", "olm.operatorGroup", "olm.operatorNamespace", "olm.targetNamespaces"),
    "olm.providedAPIs",
)
"""Annotations whose case counts."""
NEEDED: tuple[Path, ...] = (
    ("metadata",),
    ("spec",),
    ("spec", "displayName"),
    ("spec", "install"),
    ("spec", "install", "strategy"),
    ("spec", "install", "spec", "deployments"),
)


def check_name(csv: CsvView) -> Iterator[Problem]:
    """Yield that a name is not that of the version."""
    if value_at(csv.body, "spec", "release"):
        return  # which asks for another form
    name, version = csv.name, csv.version
    package, _, tail = name.partition(".")
    if name and not (tail.startswith("v") and is_strict_version(tail[1:])):
        message = f"found {quote_text(name)}, expected a name such as {quote_text(package)[1:-1]}.v1.2.3"
        yield make_problem("csv-name-form", message, ("metadata", "name"))
    elif version and tail[1:] not in (version, version.replace("+", "-")):  # no name has a plus
        message = f"found {quote_text(name)}, but its version is {quote_text(version)}"
        yield make_problem("csv-name-form", message, ("metadata", "name"))


def check_required(csv: CsvView) -> Iterator[Problem]:
    """Yield what is missing; of a mapping that is not there, what would be in it is not told."""
    body = csv.body
    for path in NEEDED:
        above = (path[:size] for size in range(1, len(path)) if path[:size] in NEEDED)
        if not value_at(body, *path) and all(value_at(body, *each) for each in above):
            there = next(path[:size] for size in range(len(path), -1, -1) if _has_path(body, path[:size]))
            message = (
                f"found {describe_value(value_at(body, *path))} for {'.'.join(map(str, path))}, "
                "expected a value"
            )
            yield make_problem("csv-required", message, there)


def _has_path(body: JsonObject, path: Path) -> bool:
    return not path or path[-1] in map_at(body, *path[:-1])


def check_install_modes(csv: CsvView) -> Iterator[Problem]:
    """Yield what is wrong with the install modes."""
    path: Path = ("spec", "installModes")
    if not (modes := entries_at(csv.body, *path)):
        yield make_problem("csv-install-modes", "found no install modes, expected at least one", path[:1])
        return
    first: dict[str, int] = {}
    for at, mode in modes:
        kind = str(mode.get("type"))
        if first.setdefault(kind, at) != at:
            message = f"found {quote_text(kind)} again, expected each once"
            yield make_problem("csv-install-modes", message, (*path, at, "type"))
    if not (supported := {str(mode.get("type")): at for at, mode in modes if mode.get("supported") is True}):
        yield make_problem("csv-install-modes", "found no install mode that is supported, expected one", path)
    if any(hook.get("conversionCRDs") for _, hook in entries_at(csv.body, "spec", "webhookdefinitions")):
        for kind, at in supported.items():
            if kind != "AllNamespaces":
                message = f"found {quote_text(kind)} supported, which conversion webhooks do not allow"
                yield make_problem("csv-install-modes", message, (*path, at), "support AllNamespaces alone")


def check_annotations(csv: CsvView) -> Iterator[Problem]:
    """Yield annotations that OLM reads, in a case in which it does not."""
    right = {each.lower(): each for each in READ}
    for key in map_at(csv.body, *ANNOTATIONS):
        if (wanted := right.get(str(key).lower())) and wanted != key:
            message = f"found {quote_text(str(key))}, expected {wanted}"
            yield make_problem("csv-annotation-case", message, (*ANNOTATIONS, key))


def check_owned_crds(csv: CsvView) -> Iterator[Problem]:
    """Yield CRDs that are owned by no name that a CRD can have."""
    for at, each in entries_at(csv.body, *OWNED):
        if "." not in text_at(each, "name").strip("."):
            message = f"found {describe_value(each.get('name'))}, expected plural.group"
            path = (*OWNED, at, *(("name",) if "name" in each else ()))
            yield make_problem("csv-owned-name", message, path)


def check_release(csv: CsvView) -> Iterator[Problem]:
    """Yield what is wrong with a release of a version, which has a name of another form."""
    path: Path = ("spec", "release")
    if (release := value_at(csv.body, *path)) in (None, ""):
        return
    package = text_at(csv.bundle.get_annotation(PACKAGE)) or csv.name.partition("-v")[0]
    wanted = f"{package}-v{csv.version}-{release}"
    if csv.name != wanted:
        yield make_problem(
            "csv-release",
            f"found {quote_text(csv.name)}, expected {quote_text(wanted)}",
            ("metadata", "name"),
        )
    if value_at(csv.body, *ANNOTATIONS, "olm.substitutesFor") is not None:
        yield make_problem(
            "csv-release", "found a release and olm.substitutesFor, expected one of them", path
        )
