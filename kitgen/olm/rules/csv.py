"""The ClusterServiceVersion itself: what OLM and operator-sdk always ask of it."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Path, Problem, problem
from kitgen.olm.packages.records import PACKAGE, Bundle
from kitgen.olm.rules.terms import ANNOTATIONS, OWNED, BundleFault, BundleTerms
from kitgen.olm.rules.versions import is_strict
from kitgen.text.values import entries_at, map_at, text_at, value_at
from kitgen.text.wording import cut, shown
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


def check(bundle: Bundle, _terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield what is wrong with each ClusterServiceVersion beyond single fields."""
    for csv in bundle.csvs:
        body = csv.body
        found = (
            *_name_form(body),
            *_needed(body),
            *_modes(body),
            *_annotations(body),
            *_owned(body),
            *_release(body, text_at(bundle.note(PACKAGE))),
        )
        yield from (BundleFault(csv, each) for each in found)


def _name_form(body: JsonObject) -> Iterator[Problem]:
    name, version = text_at(body, "metadata", "name"), text_at(body, "spec", "version")
    tail = name.partition(".")[2]
    if value_at(body, "spec", "release"):
        return  # which asks for another form
    if name and not (tail.startswith("v") and is_strict(tail[1:])):
        yield problem(
            "csv-name-form",
            f"found {cut(name)}, expected a name such as {cut(name.partition('.')[0])[1:-1]}.v1.2.3",
            ("metadata", "name"),
        )
    elif version and tail[1:] not in (version, version.replace("+", "-")):  # no name has a plus
        yield problem(
            "csv-name-form", f"found {cut(name)}, but its version is {cut(version)}", ("metadata", "name")
        )


def _needed(body: JsonObject) -> Iterator[Problem]:
    told: list[Path] = []
    for path in NEEDED:
        if not value_at(body, *path) and not any(path[: len(each)] == each for each in told):
            told.append(path)
            there = next(path[:size] for size in range(len(path), -1, -1) if _is_there(body, path[:size]))
            named = ".".join(map(str, path))
            yield problem(
                "csv-required", f"found {shown(value_at(body, *path))} for {named}, expected a value", there
            )


def _is_there(body: JsonObject, path: Path) -> bool:
    return not path or path[-1] in map_at(body, *path[:-1])


def _modes(body: JsonObject) -> Iterator[Problem]:
    path: Path = ("spec", "installModes")
    if not (modes := entries_at(body, *path)):
        yield problem("csv-install-modes", "found no install modes, expected at least one", path[:1])
        return
    seen: set[str] = set()
    for at, mode in modes:
        if (kind := str(mode.get("type"))) in seen:
            yield problem(
                "csv-install-modes", f"found {cut(kind)} again, expected each once", (*path, at, "type")
            )
        seen.add(kind)
    if not (supported := {str(mode.get("type")): at for at, mode in modes if mode.get("supported") is True}):
        yield problem("csv-install-modes", "found no install mode that is supported, expected one", path)
    if any(hook.get("conversionCRDs") for _, hook in entries_at(body, "spec", "webhookdefinitions")):
        for kind, at in supported.items():
            if kind != "AllNamespaces":
                message = f"found {cut(kind)} supported, which conversion webhooks do not allow"
                yield problem("csv-install-modes", message, (*path, at), "support AllNamespaces alone")


def _annotations(body: JsonObject) -> Iterator[Problem]:
    right = {each.lower(): each for each in READ}
    for key in map_at(body, *ANNOTATIONS):
        if (wanted := right.get(str(key).lower())) and wanted != key:
            yield problem(
                "csv-annotation-case", f"found {cut(str(key))}, expected {wanted}", (*ANNOTATIONS, key)
            )


def _owned(body: JsonObject) -> Iterator[Problem]:
    for at, each in entries_at(body, *OWNED):
        if "." not in text_at(each, "name").strip("."):
            yield problem(
                "csv-owned-name",
                f"found {shown(each.get('name'))}, expected plural.group",
                (*OWNED, at, *(("name",) if "name" in each else ())),
            )


def _release(body: JsonObject, package: str) -> Iterator[Problem]:
    if (release := value_at(body, "spec", "release")) in (None, ""):
        return
    path: Path = ("spec", "release")
    name, version = text_at(body, "metadata", "name"), text_at(body, "spec", "version")
    wanted = f"{package or name.partition('-v')[0]}-v{version}-{release}"
    if name != wanted:
        yield problem("csv-release", f"found {cut(name)}, expected {cut(wanted)}", ("metadata", "name"))
    if value_at(body, *ANNOTATIONS, "olm.substitutesFor") is not None:
        yield problem("csv-release", "found a release and olm.substitutesFor, expected one of them", path)
