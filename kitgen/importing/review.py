"""Collect what a person should review after an import: what changes on a cluster, and what people know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.compare.bundled_versions import choose_bundled_versions
from kitgen.compare.report.review_text import as_text
from kitgen.compare.report.review_view import View
from kitgen.compare.review.change import join_changes
from kitgen.compare.review.review import review_scope
from kitgen.compare.review.scope import ReviewScope
from kitgen.findings import Finding
from kitgen.findings.errors import KitgenError
from kitgen.importing.files import find_new_fields
from kitgen.importing.ownership import compile_objects
from kitgen.importing.request import ReviewItem
from kitgen.importing.target_checks import FoundIn
from kitgen.importing.verification import SpecTrial
from kitgen.kit.model import Component
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import JsonObject


def collect_review_items(
    trial: SpecTrial, before: Component | None, checks: Sequence[FoundIn]
) -> Iterator[ReviewItem]:
    """Yield everything that is worth a review, what matters most first.

    `before` is the version that is changed, whether the new one builds on it or not. Of a new component, all
    is new.
    """
    known = before.config_type[1] if before and before.config_type else None
    fields = (name for read in trial.reads for name in find_new_fields(read.taken.config_fields, known))
    items = {
        f"changes on a cluster that has {before.version}" if before else "": _list_changes(trial, before),
        "configuration fields that config.yaml did not know (their types are guesses)": dict.fromkeys(fields),
        "images that no object of the trees names, now in runtimeImages": [
            f"{name}: {each['image']}" for name, each in trial.spec.data.get("runtimeImages", {}).items()
        ],
        "reasons that are missing": [
            f"about of the feature {name}, which wants a better name too"
            for name, feature in trial.spec.data.get("features", {}).items()
            if feature.get("about") == ""
        ],
        "CRDs of components that this one carries, in a form that the kit does not have": [
            f"{crd}: import that one first, with kitgen import REAL --as {name}@VERSION"
            for name, crd in trial.declared.missing
        ],
        "versions that a release with this one needs": dict.fromkeys(_list_carried_versions(trial)),
        "what kitgen check will say": dict.fromkeys(format_finding(*each) for each in checks),
    }
    yield from (ReviewItem(title=title, lines=tuple(lines)) for title, lines in items.items() if lines)


def _list_changes(trial: SpecTrial, before: Component | None) -> list[str]:
    """Return what changes with the trees of those that have an older version, as `kitgen diff` writes it."""
    several = len(trial.reads) > 1
    scopes = [
        ReviewScope(
            name=(read.given.who or "by itself") if several else "",
            before=_to_manifests(objects),
            after=_to_manifests(read.given.bodies),
            minor=min(trial.opened.kit.minors),
        )
        for read in trial.reads
        if before and (objects := compile_objects(trial.opened, before, read.given.who)) is not None
    ]
    try:
        found = join_changes(each for scope in scopes for each in review_scope(scope))
    except KitgenError as error:  # there are too many to list, which says enough
        return [str(error)]
    view = View(found, [each.name for each in scopes if each.name], lambda _: None)
    return as_text(view, whole=False).splitlines()


def _to_manifests(bodies: Sequence[JsonObject]) -> list[Manifest]:
    return [Manifest(body=body, sources=()) for body in bodies]


def _list_carried_versions(trial: SpecTrial) -> Iterator[str]:
    """Yield versions of what the component carries that the release of a target does not have."""
    for who in (read.given.who for read in trial.reads):
        found = choose_bundled_versions(trial.kit, who, trial.component, trial.declared.fitting)
        for name, (before, version) in found.items():
            pins = f"; {who} pins {trial.kit.target(who).release}, with {before or 'none'}" if who else ""
            yield f"{name} {version}, or another version with the same CRDs{pins}"


def format_finding(finding: Finding, whos: Sequence[str]) -> str:
    """Return what `kitgen check` finds as one line, with the targets if it is not all of them."""
    line = f":{finding.origin.line}" if finding.origin.line else ""
    hint = f" (hint: {finding.hint})" if finding.hint else ""
    only = f" [{', '.join(whos)}]" if whos else ""
    place = f"{finding.origin.file}{line}"
    return f"{finding.severity}: {place}: {finding.rule.id}: {finding.message}{only}{hint}"
