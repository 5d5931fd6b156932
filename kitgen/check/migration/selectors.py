"""What selects by a key that moves: a selector, or the path to a field of a pod."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.migration.kinds import Kinds
from kitgen.findings import Problem
from kitgen.migrating.keys import MIGRATION_SELECTOR
from kitgen.migrating.policies import new_name, policies_of
from kitgen.migrating.selectors import selected
from kitgen.schema.wording import cut
from kitgen.yamlio import JsonObject

HINT = "choose the policy both in the migration until nothing selects by the old key, or name the new one"


def selecting(body: JsonObject, kinds: Kinds) -> Iterator[Problem]:
    """Yield where an object selects by a key of which the migration says that another takes its place."""
    for path, key, said in selected(body, policies_of(kinds.keys)):
        field = path[-1:] == ("fieldPath",)
        where = f"as a field of {key.where}" if field else "in a selector"
        message = f"found {cut(key.key)} {where}, which becomes {cut(new_name(key.key, said))}"
        yield MIGRATION_SELECTOR(message, path, HINT)
