"""Keys of labels, annotations and finalizers that carry the old group: each goes by its own policy.

They are looked for in metadata alone, of the object and of whatever it holds, such as templates of pods. A
key that a selector names keeps its old name too: selectors cannot change, and would find nothing any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Chapter, Problem, Rule, Severity, Step
from kitgen.migrating.kinds import Moves
from kitgen.migrating.parts import Part, over
from kitgen.model.migration import MovedKey, Policy
from kitgen.schema.wording import cut
from kitgen.yamlio import Json, JsonObject

MIGRATION_KEY_UNKNOWN = Rule(
    id="migration-key-unknown",
    chapter=Chapter.MIGRATION,
    checks="A migration says what becomes of every key that carries an old group. Others stay.",
    fix="Add it to `keys` of the migration, with the policy keep, both or move.",
    severity=Severity.WARNING,
)

MIGRATION_KEY_TWICE = Rule(
    id="migration-key-twice",
    chapter=Chapter.MIGRATION,
    checks="Where a key gets a new name, nothing else stands under that name. The object is not moved.",
    fix="Remove one of the two, or keep the key.",
)

MIGRATION_SELECTOR = Rule(
    id="migration-selector",
    chapter=Chapter.MIGRATION,
    checks="No selector names a key that moves. Where one does, the key stays beside its new name.",
    fix="Choose the policy both, until nothing selects by the old key.",
    severity=Severity.WARNING,
)

WORD = re.compile(r"[A-Za-z0-9][\w./-]*")
SETS = ("labels", "annotations")


def moved_keys(body: JsonObject, moves: Moves) -> Part:
    """Return an object with the keys that its metadata, and all that it holds, are to have."""
    if not (moves.keys or moves.retired):
        return Part(body)
    selected = (
        frozenset(_selected(body)) if any(each.policy is Policy.MOVE for each in moves.keys) else frozenset()
    )
    return _below(body, moves, selected)


def _below(value: Json, moves: Moves, selected: frozenset[str]) -> Part:
    def visit(step: Step, item: Json) -> Part:
        part = _below(item, moves, selected)
        if step != "metadata" or not isinstance(part.value, dict):
            return part
        made = _metadata(part.value, moves, selected)
        return Part(made.value, (*part.problems, *made.problems))

    return over(value, visit)


def _metadata(meta: JsonObject, moves: Moves, selected: frozenset[str]) -> Part:
    def visit(step: Step, item: Json) -> Part:
        if step in SETS and isinstance(item, dict):
            return _pairs(item, moves, selected)
        if step == "finalizers" and isinstance(item, list):
            return _names(item, moves)
        return Part(item)

    return over(meta, visit)


def _pairs(pairs: JsonObject, moves: Moves, selected: frozenset[str]) -> Part:
    made: JsonObject = {}
    problems: list[Problem] = []
    for key, value in pairs.items():
        said = policy_of(key, moves.keys)
        if said is None:
            problems += _unknown(key, moves)
        if said is None or said.policy is Policy.KEEP:
            made[key] = value
            continue
        new = said.to + key[len(said.key) :]
        if pairs.get(new, value) != value:
            message = f"found {cut(key)}, which becomes {cut(new)}, and that is there with another value"
            problems.append(MIGRATION_KEY_TWICE(message, (key,)))
        stays = said.policy is Policy.MOVE and key in selected
        if stays:
            message = f"found {cut(key)} in a selector, so it stays beside {cut(new)}"
            problems.append(MIGRATION_SELECTOR(message, (key,)))
        if stays or said.policy is Policy.BOTH:
            made[key] = value
        made[new] = value
    return Part(pairs if made == pairs else made, tuple(problems))


def _names(names: list[Json], moves: Moves) -> Part:
    """Return finalizers, each once and new ones behind the others; what is no text stays."""
    made: list[Json] = []
    more: list[Json] = []
    for name in names:
        said = policy_of(name, moves.keys) if isinstance(name, str) else None
        if said is None or said.policy is Policy.KEEP:
            made.append(name)
            continue
        new = said.to + name[len(said.key) :]
        made.append(new if said.policy is Policy.MOVE else name)
        more += [new] * (said.policy is Policy.BOTH)
    every = [*made, *more]
    odd = [name for name in every if not isinstance(name, str)]
    once = [*dict.fromkeys(name for name in every if isinstance(name, str)), *odd]
    return Part(names if names in (every, once) else once)


def policy_of(key: str, keys: tuple[MovedKey, ...]) -> MovedKey | None:
    """Return what is said of a key: of itself, or of all that start like it, up to a slash."""
    fitting = [each for each in keys if key == each.key or key.startswith(f"{each.key}/")]
    return max(fitting, key=lambda each: len(each.key), default=None)


def result_of(key: str, keys: tuple[MovedKey, ...]) -> bool:
    """Tell whether a key is the new name of another one."""
    return any(each.to and (key == each.to or key.startswith(f"{each.to}/")) for each in keys)


def _unknown(key: str, moves: Moves) -> Iterator[Problem]:
    domain = key.partition("/")[0]
    group = next(
        (each for each in sorted(moves.retired) if domain == each or domain.endswith(f".{each}")), ""
    )
    if group:
        message = (
            f"found {cut(key)}, which carries {group}, and the migration does not say what becomes of it"
        )
        yield MIGRATION_KEY_UNKNOWN(message, (key,), "it stays as it is; add it to keys of the migration")


def _selected(value: Json, above: str = "") -> Iterator[str]:
    """Yield the keys that selectors name, in whatever form."""
    if isinstance(value, list):
        for item in value:
            yield from _selected(item, above)
    elif isinstance(value, dict):
        if above == "matchExpressions":
            yield str(value.get("key"))
        elif above == "matchLabels" or above.lower().endswith("selector"):
            yield from value
        for key, item in value.items():
            yield from _selected(item, key)
    elif isinstance(value, str) and (above.lower().endswith("selector") or above == "matchLabelKeys"):
        yield from WORD.findall(value)
