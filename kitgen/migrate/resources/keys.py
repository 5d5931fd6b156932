"""Convert keys of labels, annotations and finalizers that contain the old group, each by its policy.

Only metadata is searched, of the object and of objects embedded in it, such as pod templates. A key that some
selector uses keeps its old name too: selectors are immutable, and would match nothing any more.
"""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Problem, Step, make_problem
from kitgen.kit.model.migration import Policy
from kitgen.migrate.resources.kinds import MigrationMoves, rename_key
from kitgen.migrate.resources.selectors import find_moved_keys
from kitgen.migrate.walks import ConvertedValue, convert_children
from kitgen.text.wording import quote_text
from kitgen.text.yaml import Json, JsonObject

LABELS = "labels"


def rename_keys(body: JsonObject, moves: MigrationMoves) -> ConvertedValue:
    """Return an object with the keys that its metadata, and all that it holds, are to have."""
    if not (moves.keys.old or moves.retired):
        return ConvertedValue(body)
    stays = moves.selected | frozenset(each.key for each in find_moved_keys(body, moves.keys))

    def visit(step: Step, item: Json) -> ConvertedValue | None:
        part = convert_children(item, visit)
        if step != "metadata" or not isinstance(item, dict):
            return part
        problems = part.problems if part else ()
        if (made := _rename_in_metadata(part.value if part else item, moves, stays)) is None:
            return part
        return ConvertedValue(made.value, (*problems, *made.problems))

    return convert_children(body, visit) or ConvertedValue(body)


def _rename_in_metadata(
    meta: JsonObject, moves: MigrationMoves, stays: frozenset[str]
) -> ConvertedValue | None:
    def visit(step: Step, item: Json) -> ConvertedValue | None:
        if step in (LABELS, "annotations") and isinstance(item, dict):
            return _rename_mapping_keys(step, item, moves, stays)
        if step == "finalizers" and isinstance(item, list):
            return _rename_finalizers(item, moves)
        return None

    return convert_children(meta, visit)


def _rename_mapping_keys(
    where: Step, pairs: JsonObject, moves: MigrationMoves, stays: frozenset[str]
) -> ConvertedValue:
    made: JsonObject = {}
    problems: list[Problem] = []
    for key, value in pairs.items():
        if (said := moves.keys.find(key)) is None:
            problems += _check_undeclared_key(key, moves)
        if said is None or said.policy is Policy.KEEP:
            made[key] = value
            continue
        new = rename_key(key, said)
        if pairs.get(new, value) != value:
            message = (
                f"found {quote_text(key)}, which becomes {quote_text(new)}, and that is there "
                "with another value"
            )
            problems.append(make_problem("migration-key-twice", message, (key,)))
        if needed := said.policy is Policy.MOVE and where == LABELS and key in stays:
            message = (
                f"found {quote_text(key)}, which something selects by, so it stays beside {quote_text(new)}"
            )
            problems.append(make_problem("migration-selector", message, (key,)))
        if needed or said.policy is Policy.BOTH:
            made[key] = value
        made[new] = value
    return ConvertedValue(pairs if made == pairs else made, tuple(problems))


def _rename_finalizers(names: list[Json], moves: MigrationMoves) -> ConvertedValue:
    """Return finalizers, each once and new ones behind the others; what is no text stays."""
    made: list[Json] = []
    more: list[Json] = []
    for name in names:
        said = moves.keys.find(name) if isinstance(name, str) else None
        if said is None or said.policy is Policy.KEEP:
            made.append(name)
            continue
        new = rename_key(name, said)
        made.append(new if said.policy is Policy.MOVE else name)
        more += [new] * (said.policy is Policy.BOTH)
    every = [*made, *more]
    odd = [name for name in every if not isinstance(name, str)]
    once = [*dict.fromkeys(name for name in every if isinstance(name, str)), *odd]
    return ConvertedValue(names if names in (every, once) else once)


def _check_undeclared_key(key: str, moves: MigrationMoves) -> Iterator[Problem]:
    domain = key.partition("/")[0]
    if group := next((each for each in sorted(moves.retired) if f".{domain}".endswith(f".{each}")), ""):
        message = (
            f"found {quote_text(key)}, which carries {group}, and the migration does not say what "
            "becomes of it"
        )
        yield make_problem(
            "migration-key-unknown", message, (key,), "it stays as it is; add it to keys of the migration"
        )
