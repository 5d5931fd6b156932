"""Decide on a list that several layers append to: which layer owns each item.

The list of a tree is compared with that of its layers. An item that is unchanged or replaced belongs to its
layer, and a new item to the layer of the item before it. A layer then keeps what all of its trees have; what
remains of a tree is new.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from difflib import SequenceMatcher
from itertools import takewhile

from msgspec import Struct

from kitgen.compare.objects.difference import ABSENT
from kitgen.importing.places import COMPONENT, Owner, Solution, SpecPlace, distinct
from kitgen.kube.schema_interning import freeze_value
from kitgen.text.yaml import Json

MOST_PAIRS = 250_000
"""Longer lists are matched by the place of their items alone."""


class _Rest(Struct):
    """What is left of the list of a tree, once the layers before have said their parts."""

    items: list[Json]
    whose: list[int]
    """The layer that each is of, by its number; they only go up."""
    is_told: bool = False
    """Whether a layer says something of the list."""

    def count_up_to(self, layer: int) -> int:
        """Return how many items are of a layer, or of one before it."""
        return bisect_right(self.whose, layer)

    def drop_items(self, count: int) -> None:
        """Leave to a layer what it says."""
        del self.items[:count], self.whose[:count]
        self.is_told = True


def decide_list(place: SpecPlace, home: Owner, made: Solution) -> None:
    """Decide on a list that every layer adds to."""
    joined = {who: [item for _, some in said for item in some] for who, said in place.said.items()}
    if all((joined[who] if place.said[who] else ABSENT) == want for who, want in place.wanted.items()):
        return
    lists = [each for each in place.wanted.values() if each is not ABSENT]
    # A spec must say the ports of a Service, whatever features add to them.
    is_needed = place.path[0] == "services" and place.path[-1] == "ports"
    if is_needed and len(lists) == len(place.wanted) and not _common_start(lists):
        _set_first_list(place, lists[0], made)
        return
    layers = _order_layers(place, home)
    rests = {who: _build_rest(place, who, layers) for who in place.wanted}
    for number, owner in enumerate(layers):
        trees = [who for who in rests if owner == COMPONENT or who in place.on[owner]]
        _decide_layer_items(place, owner, number, {who: rests[who] for who in trees}, made)
    new = {who: r.items for who, r in rests.items() if r.items or (place.wanted[who] == [] and not r.is_told)}
    for items in distinct(new.values()):
        made.set_value(
            frozenset([who for who in place.trees_with_value if rests[who].items == items]), place.path, items
        )


def _set_first_list(place: SpecPlace, value: list[Json], made: Solution) -> None:
    """Set in the component what the first tree has; the others are left to patches."""
    for owner in place.features:
        made.drop_value(owner, place.path)
    if place.owners.get(COMPONENT) != value:
        made.set_value(COMPONENT, place.path, value)


def _decide_layer_items(
    place: SpecPlace, owner: str, number: int, rests: dict[str, _Rest], made: Solution
) -> None:
    """Set in a layer what all of its trees keep, as far as it is the layer's in one of them."""
    old = {who: dict(place.said[who]).get(owner, ABSENT) for who in rests}
    most = max(rest.count_up_to(number) for rest in rests.values())
    share = _common_start([rest.items for rest in rests.values()])[:most]
    # The lists may still start with what the layer said, which then has nothing more to say.
    if all(
        said is not ABSENT and len(said) >= len(share) and rests[who].items[: len(said)] == list(said)
        for who, said in old.items()
    ):
        for who, rest in rests.items():
            rest.drop_items(len(old[who]))
    elif share or all(place.wanted[who] == [] and not rest.is_told for who, rest in rests.items()):
        made.set_value(owner, place.path, share)
        for rest in rests.values():
            rest.drop_items(len(share))
    elif owner in place.owners:
        made.drop_value(owner, place.path)


def _common_start(lists: Sequence[Sequence[Json]]) -> list[Json]:
    same = takewhile(lambda items: all(each == items[0] for each in items), zip(*lists, strict=False))
    return [items[0] for items in same]


def _order_layers(place: SpecPlace, home: Owner) -> list[str]:
    """Return who may say a part of the list, in the order in which they are laid over each other."""
    first = home if isinstance(home, str) else COMPONENT
    orders = [[owner for owner, _ in some] for some in place.said.values()]
    found: list[str] = []
    while todo := [some for order in orders if (some := [each for each in order if each not in found])]:
        later = {owner for some in todo for owner in some[1:]}
        found.append(next((some[0] for some in todo if some[0] not in later), todo[0][0]))
    return found if first in found else [first, *found]


def _build_rest(place: SpecPlace, who: str, layers: Sequence[str]) -> _Rest:
    """Return the list that a tree wants, each item with its layer."""
    want = place.wanted[who]
    items = [] if want is ABSENT else list(want)
    said = [(layers.index(owner), item) for owner, some in place.said[who] for item in some]
    return _Rest(items, _match_layers(said, items, 0, (freeze_value, identify_item)))


def _match_layers(
    said: Sequence[tuple[int, Json]],
    items: Sequence[Json],
    before: int,
    keys: Sequence[Callable[[Json], Hashable]],
) -> list[int]:
    """Return the layer of each item: what has the same key is matched first, the rest by its place."""
    if not said or not keys or len(said) * len(items) > MOST_PAIRS:
        return [said[min(at, len(said) - 1)][0] if said else before for at in range(len(items))]
    old, new = [keys[0](item) for _, item in said], [keys[0](item) for item in items]
    found: list[int] = []
    for tag, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        some = said[start:end]
        if tag == "equal":
            found += [layer for layer, _ in some]
        else:
            found += _match_layers(some, items[first:last], said[start - 1][0] if start else before, keys[1:])
    return found


def identify_item(item: Json) -> Hashable:
    """Return what an item keeps when its value changes: the name of an argument, or of a thing."""
    if isinstance(item, str):
        return item.partition("=")[0]
    name = item.get("name", item.get("key")) if isinstance(item, dict) else None
    return name if isinstance(name, str) else freeze_value(item)
