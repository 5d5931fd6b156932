"""CRDs: changes that break those who use them, as `kitgen crd diff` judges them, and where they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from kitgen.compare.crd_match import Crds, find_moved_crds
from kitgen.compare.upgrade.rules import UPGRADE_CRD, UPGRADE_GROUP, UPGRADE_STORED_VERSION
from kitgen.compare.upgrade.values import shorten_text
from kitgen.findings import Path, Problem
from kitgen.kit.model.component import find_existing_prefix
from kitgen.kit.model.moves import NO_MOVES, DeclaredMoves
from kitgen.kube.schema_paths import PathError, parse_path
from kitgen.text.values import entries_at, group_pairs, list_at
from kitgen.text.wording import format_count, join_words, quote_text, text_of
from kitgen.text.yaml import JsonObject

if TYPE_CHECKING:
    from kitgen.compare.change import Change, ChangePlace

RULES = "x-kubernetes-validations"
SAYING: dict[str, Path] = {
    "conversion-changed": ("spec", "conversion", "strategy"),
    "version-removed": ("spec", "versions"),
}
"""Rule of a change of a whole CRD → where the CRD says it."""
KEYWORDS: dict[str, Path] = {
    "embedded-resource-added": ("x-kubernetes-embedded-resource",),
    "enum-added": ("enum",),
    "enum-value-removed": ("enum",),
    "format-added": ("format",),
    "format-changed": ("format",),
    "list-map-keys-changed": ("x-kubernetes-list-map-keys",),
    "list-type-changed": ("x-kubernetes-list-type",),
    "nullable-dropped": ("nullable",),
    "pattern-added": ("pattern",),
    "pattern-changed": ("pattern",),
    "scale-subresource-removed": ("subresources",),
    "selectable-field-removed": ("selectableFields",),
    "status-subresource-removed": ("subresources",),
    "type-changed": ("type",),
    "version-unserved": ("served",),
}
"""Rule of a change of a version or a field → what says it there."""
DETAILED = frozenset({"alternatives-tightened", "bound-tightened"})
"""Rules whose detail is the keyword."""


def locate_change(change: Change, body: JsonObject) -> Path:
    """Return where in a CRD a change is, as near as there is something."""
    place, rule = change.places[0], change.rule.id
    if not place.version:
        path = ("spec", "names", change.detail) if rule == "name-changed" else SAYING.get(rule, ("spec",))
        return find_existing_prefix(body, path)
    path = locate_place(place, body)
    if rule == "field-required":
        return _locate_required(path, body)
    if rule.startswith("cel-rule-"):
        return _locate_cel_rule(path, change.detail, body)
    keyword = (change.detail,) if rule in DETAILED else KEYWORDS.get(rule, ())
    return find_existing_prefix(body, (*path, *keyword))


def index_versions(body: JsonObject) -> dict[str, int]:
    """Return the places of versions in the list of a CRD, by name; of two with one name the first counts."""
    return {
        text_of(each.get("name")): index for index, each in reversed(entries_at(body, "spec", "versions"))
    }


def locate_place(place: ChangePlace, body: JsonObject, numbers: Mapping[str, int] | None = None) -> Path:
    """Return where in a CRD the place of a change is, or the nearest thing above it that there is.

    Who asks for many places of one CRD numbers its versions once.
    """
    if (index := (index_versions(body) if numbers is None else numbers).get(place.version)) is None:
        return ("spec",)
    version: Path = ("spec", "versions", index)
    try:
        steps = parse_path(place.path.removeprefix("."))
    except PathError:
        return version
    return find_existing_prefix(body, (*version, "schema", "openAPIV3Schema", *steps)) if steps else version


def _locate_required(path: Path, body: JsonObject) -> Path:
    """Return where a schema says that a field of it must be there."""
    within, name = path[:-2], path[-1]
    found = list_at(body, *within, "required")
    return (*within, "required", found.index(name)) if name in found else path


def _locate_cel_rule(path: Path, text: str, body: JsonObject) -> Path:
    """Return where a field has a rule of that text, blanks aside."""
    rules = entries_at(body, *path, RULES)
    numbers = (index for index, rule in rules if " ".join(text_of(rule.get("rule")).split()) == text)
    return next(((*path, RULES, index, "rule") for index in numbers), path)


ELSEWHERE = frozenset({"crd-removed", "scope-changed"})
"""What is told as an object that is gone, or as a field that never changes."""
NAMES = frozenset({"kind", "plural"})
STORED = "stored-version-removed"
MOVED = frozenset({"crd-moved", "crd-moved-declared"})
MOST = 4
"""How many fields of resources that do not fit are named."""


class BrokenCrd(NamedTuple):
    """What breaks."""

    crd: str
    """The CRD, as it is called now."""
    problem: Problem
    undeclared: bool = False
    """Whether no migration speaks of it, though the CRD moves."""


def check_crd_changes(old: Crds, new: Crds, said: DeclaredMoves = NO_MOVES) -> Iterator[BrokenCrd]:
    """Yield what breaks between two sets of CRDs."""
    if not old:
        return
    from kitgen.compare.crds.compare import compare_crds

    ways = {heir: was for was, heir in find_moved_crds(old, new, said).items()}
    changes = compare_crds(old.values(), new.values(), said)
    found = [
        each for each in changes if each.risk == "breaking" or (each.rule.id in MOVED and each.object in ways)
    ]
    stored = {(each.object, each.detail) for each in found if each.rule.id == STORED}
    for change in found:
        rule = change.rule.id
        twice = rule == "version-removed" and (change.object, change.detail) in stored
        elsewhere = rule in ELSEWHERE or (rule == "name-changed" and change.detail in NAMES)
        if not (change.places[0].former or twice or elsewhere):
            undeclared = rule not in MOVED and not change.accepted
            yield BrokenCrd(change.object, _report_change(change, new[change.object], ways), undeclared)
    # A move between versions is about what does not fit: nothing is read as it is stored.
    unfit = group_pairs((each.object, each) for each in found if each.places[0].former)
    yield from (BrokenCrd(name, _report_unfit_storage(some, new[name])) for name, some in unfit.items())


def _report_change(change: Change, body: JsonObject, ways: Mapping[str, str]) -> Problem:
    path = locate_change(change, body)
    if change.rule.id in MOVED:
        was = quote_text(ways[change.object])
        return UPGRADE_GROUP(
            f"found {quote_text(change.object)}, which was {was} before: the kind moved to another group",
            ("spec", "group"),
            "keep the old CRD until its resources were written anew in the new group; permissions name both",
        )
    if change.rule.id == STORED:
        return UPGRADE_STORED_VERSION(
            f"{shorten_text(change.message)}: {change.reason}", ("spec", "versions"), change.hint
        )
    versions = f" in {join_words(change.versions, last='and')}" if change.versions else ""
    where = shorten_text(change.path.removeprefix(".") or "the CRD")
    more = f" and {format_count(change.place_count - 1, 'more place')}" if change.place_count > 1 else ""
    message = f"{where}{versions}{more}: {shorten_text(change.message)}; {change.reason}"
    return UPGRADE_CRD(message, path, change.hint or shorten_text(f"felt by {change.felt_by}"))


def _report_unfit_storage(changes: list[Change], body: JsonObject) -> Problem:
    """Return that what is stored in one version does not fit the one that is stored from now on."""
    first = changes[0].places[0]
    fields = list(dict.fromkeys(each.path.removeprefix(".") for each in changes))
    named = join_words(fields, last="and", most=MOST)
    return UPGRADE_CRD(
        shorten_text(
            f"resources that are stored in {first.former} do not fit {first.version}: {named} changed"
        ),
        locate_place(replace(first, path=""), body),
        "convert them with a webhook, or write each anew as a step of the upgrade; kitgen crd diff tells how",
    )
