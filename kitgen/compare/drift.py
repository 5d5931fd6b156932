"""Hold two targets, or a target and the real thing, against each other: every difference is meant, or drift.

A difference is meant if a declaration says so, or if what makes it has a reason in the specs of one side: a
feature, a patch, a permission that is withheld.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compare.change import limit_results
from kitgen.compare.object_match import find_moved_namespaces, match_key_of
from kitgen.compare.objects.compare import compare_object_sets, compare_objects
from kitgen.compare.objects.difference import ABSENT, Difference, Found
from kitgen.findings import Cause, CauseKind, Origin, Path
from kitgen.kit.model import DeclaredDifference
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.text.patterns import compile_late
from kitgen.workspace.states import StateObjects

ROLES = ("ClusterRole", "Role")
MAX_DIFFERENCES = 100_000
"""Verb by verb."""
RULES = "rules["
CHOSEN = (CauseKind.FEATURE, CauseKind.PATCH)
WITHHELD = Cause(CauseKind.SETTING, "withhold")
"""The one setting that has a reason; of others, kitgen knows no more than who sets them."""
EDGE = "[A-Za-z0-9-]"
"""What the name of a namespace would go on with."""
WORD = compile_late(f"{EDGE}+")


class ExplainedDifference(Struct, frozen=True, kw_only=True):
    """A difference, and why it is meant, if it is."""

    difference: Difference
    component: str = ""
    reason: str = ""
    """Empty for drift."""
    said: Origin | None = None
    """Where the reason stands."""
    origin: Origin | None = None
    """Where the specs make the difference, if they do."""


class Drift(Struct, frozen=True, kw_only=True):
    """All differences between two sides."""

    names: tuple[str, str]
    """What the two sides are called."""
    both: int
    """How many objects both sides have."""
    found: tuple[ExplainedDifference, ...]
    stale: tuple[DeclaredDifference, ...]
    """Declarations that meet nothing."""

    @property
    def undeclared_differences(self) -> tuple[ExplainedDifference, ...]:
        """Return what nobody says is meant."""
        return tuple(each for each in self.found if not each.reason)


def compute_drift(
    names: tuple[str, str],
    left: StateObjects,
    right: StateObjects,
    declared: Sequence[DeclaredDifference],
) -> Drift:
    """Return every difference, with the declaration or the reason that it is meant by."""
    moved = [each for each in declared if each.namespace]
    spaces = find_moved_namespaces(left.objects, right.objects) if moved else {}
    there = [_map_namespace(each, spaces) for each in right.objects]
    compared = compare_object_sets([each.body for each in left.objects], [each.body for each in there])
    sides = _Sides(left.objects, there)
    used = {*moved} if spaces else set()
    found = []
    for difference in limit_results(_split_verbs(compared.differences), MAX_DIFFERENCES, "differences"):
        name = left.components.get(difference.object) or right.components.get(difference.object, "")
        if (
            by := next(
                (each for each in declared if _matches_declaration(each, difference, name, spaces)), None
            )
        ) is None:
            found.append(sides.explain_difference(difference, name))
        else:
            used.add(by)
            found.append(
                ExplainedDifference(difference=difference, component=name, reason=by.reason, said=by.origin)
            )
    return Drift(
        names=names,
        both=compared.both,
        found=tuple(found),
        stale=tuple(each for each in declared if each not in used),
    )


def _split_verbs(differences: Iterable[Difference]) -> Iterator[Difference]:
    """Yield differences, those of permissions verb by verb."""
    for each in differences:
        if each.object.kind not in ROLES or not each.field.startswith(RULES):
            yield each
            continue
        has, had = (set(side.split()) if isinstance(side, str) else set() for side in (each.left, each.right))
        for verb in sorted(has ^ had):
            yield replace(
                each,
                field=f"{each.field} {verb}",
                left=True if verb in has else ABSENT,
                right=True if verb in had else ABSENT,
            )


def _matches_declaration(
    declared: DeclaredDifference, difference: Difference, component: str, spaces: Mapping[str, str]
) -> bool:
    """Return whether a declaration is about a difference."""
    name = difference.object
    return (
        declared.component in ("", component)
        and (
            not declared.object
            or bool(_compile_pattern(declared.object).fullmatch(f"{name.kind}/{name.name}"))
        )
        and (not declared.field or bool(_compile_pattern(declared.field).fullmatch(difference.field)))
        and (not declared.namespace or _is_namespace_rename(difference, spaces))
    )


@cache
def _compile_pattern(text: str) -> re.Pattern[str]:
    """Return a pattern for a text in which stars stand for any text.

    What stands between two stars is looked for once: where it comes first leaves most to what is behind it.
    """
    first, *others = map(re.escape, text.split("*"))
    between = "".join(f"(?>.*?{each})" for each in others[:-1] if each)
    last = f".*{others[-1]}" if others else ""
    return re.compile(f"{first}{between}{last}", re.DOTALL)


def _map_namespace(manifest: Manifest, spaces: Mapping[str, str]) -> Manifest:
    """Return an object in the namespace that the other side has it in."""
    if (space := manifest.id.namespace) not in spaces:
        return manifest
    return Manifest(
        body={**manifest.body, "metadata": {**manifest.body["metadata"], "namespace": spaces[space]}},
        sources=manifest.sources,
    )


def _is_namespace_rename(difference: Difference, spaces: Mapping[str, str]) -> bool:
    """Return whether a difference is no more than the name of a namespace."""
    was, now = next(_find_changed_words(difference.right, difference.left), ("", ""))
    return (
        bool(was) and spaces.get(was) == now and _replace_word(difference.right, was, now) == difference.left
    )


def _find_changed_words(one: Found, other: Found) -> Iterator[tuple[str, str]]:
    """Yield the words of one value that are others in the same places of the other."""
    if isinstance(one, str) and isinstance(other, str):
        words = zip(WORD.findall(one), WORD.findall(other), strict=False)
        yield from (pair for pair in words if pair[0] != pair[1])
    elif isinstance(one, list) and isinstance(other, list):
        for each, its in zip(one, other, strict=False):
            yield from _find_changed_words(each, its)
    elif isinstance(one, dict) and isinstance(other, dict):
        for key, each in one.items():
            yield from _find_changed_words(each, other.get(key))


def _replace_word(value: Found, was: str, now: str) -> Found:
    if isinstance(value, str):
        return re.sub(f"(?<!{EDGE}){re.escape(was)}(?!{EDGE})", now, value)
    if isinstance(value, list):
        return [_replace_word(each, was, now) for each in value]
    if isinstance(value, dict):
        return {key: _replace_word(each, was, now) for key, each in value.items()}
    return value


class _Sides:
    """The objects of both sides, to be asked why they are as they are."""

    def __init__(self, left: Sequence[Manifest], right: Sequence[Manifest]) -> None:
        self.left, self.right = ({match_key_of(each.id): each for each in side} for side in (left, right))
        self._places: dict[ObjectId, dict[str, Path]] = {}

    def explain_difference(self, difference: Difference, component: str) -> ExplainedDifference:
        """Return a difference that no declaration is about, with what one side alone has a reason for."""
        key = match_key_of(difference.object)
        left, right = self.left.get(key), self.right.get(key)
        there = self._find_right_path(key, difference.field) if left and right else ()
        both = [(left, difference.path), (right, there)]
        reasons = [
            {(each.cause, each.why): each for each in _find_reasons(side, path, whole=not difference.field)}
            for side, path in both
        ]
        why = next(
            (
                source
                for mine, other in (reasons, reasons[::-1])
                for key, source in mine.items()
                if key not in other
            ),
            None,
        )
        return ExplainedDifference(
            difference=difference,
            component=component,
            reason=why.why if why else "",
            said=why.origin if why else None,
            origin=next((side.find_origin(path) for side, path in both if side and side.sources), None),
        )

    def _find_right_path(self, key: ObjectId, field: str) -> Path:
        """Return where a difference is in the right object; places are those of the left one."""
        if key not in self._places:
            self._places[key] = {
                each.field: each.path for each in compare_objects(self.right[key].body, self.left[key].body)
            }
        places = self._places[key]
        return places.get(field) or places.get(field.rpartition(" ")[0], ())


def _find_reasons(side: Manifest | None, path: Path, *, whole: bool) -> list[FieldSource]:
    """Return what targets choose with a reason, for a part of an object or for all of it.

    A reason for one field does not say why the object is there, unless a feature made it, or brought those
    whom a binding is for. That params.env may change a value is no reason for another one.
    """
    if side is None or not side.sources:
        return []
    made = not whole or bool(side.sources[0].feature)
    return [
        each
        for each in side.list_sources(path)
        if each.why
        and (each.feature or each.cause.kind in CHOSEN or each.cause == WITHHELD)
        and not (each.default or each.cause.kind is CauseKind.PARAMETER)
        and (made or each.path[:1] in ((), ("subjects",)))
    ]
