"""Decide who says what: the component, a feature that said it before, a new feature, or a target.

A place of the spec is looked at over all trees at once. What all of them have, the component says. What an
older spec has as a feature stays one. What only some have becomes a feature of those.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from kitgen.diff.objects import ABSENT, Absent
from kitgen.findings import Path
from kitgen.importer.expression import abstracted
from kitgen.importer.places import Merging, merging
from kitgen.yamlio import Json

Group: TypeAlias = frozenset[str]
"""Trees that a new feature is for, each by its target; empty for the component by itself."""
Owner: TypeAlias = str | Group
"""The component is the empty name, a feature goes by its own; a new one by its trees."""
Value: TypeAlias = Json | Absent
COMPONENT = ""


class Tree(Struct, frozen=True, kw_only=True):
    """One tree: what it wants, and what an older spec says for it, layer by layer."""

    who: str
    """The target that it is for; empty for the component by itself."""
    wanted: Mapping[Path, Json]
    said: Sequence[tuple[str, Mapping[Path, Json]]] = ()
    """Owner and places, in the order in which they are laid over each other."""
    namespace: str = ""


class Edit(Struct, frozen=True, kw_only=True):
    """What an owner says now, and no longer says."""

    new: dict[Path, Json] = field(default_factory=dict)
    gone: dict[Path, None] = field(default_factory=dict)


class Solution(Struct, frozen=True, kw_only=True):
    """All edits, and what targets are denied."""

    edits: dict[Owner, Edit] = field(default_factory=dict)
    withheld: dict[str, dict[Path, Json]] = field(default_factory=dict)
    """Target → permissions that the component grants and the target does not have."""

    def say(self, owner: Owner, path: Path, value: Json) -> None:
        """Note that an owner says something."""
        self.edits.setdefault(owner, Edit()).new[path] = value

    def drop(self, owner: Owner, path: Path) -> None:
        """Note that an owner says something no longer."""
        self.edits.setdefault(owner, Edit()).gone[path] = None


class _Place(Struct, frozen=True, kw_only=True):
    """One place over all trees."""

    path: Path
    wanted: dict[str, Value]
    said: dict[str, list[tuple[str, Json]]]
    on: Mapping[str, Group]

    @property
    def trees(self) -> Group:
        return frozenset(self.wanted)

    @property
    def owners(self) -> dict[str, Json]:
        """Return who says the place in an older spec, and what."""
        return {owner: value for some in self.said.values() for owner, value in some}

    @property
    def features(self) -> list[str]:
        return [owner for owner in self.owners if owner != COMPONENT]

    def wants(self, trees: Iterable[str]) -> list[Value]:
        """Return the values that some trees want, each once."""
        found: list[Value] = []
        for tree in trees:
            if self.wanted[tree] not in found:
                found.append(self.wanted[tree])
        return found


def solve(trees: Sequence[Tree]) -> Solution:
    """Decide for every place who says it; the first tree is the component's own, if there is one."""
    made = Solution()
    on = _on(trees)
    sayers = _sayers(trees)
    paths = dict.fromkeys(
        path for tree in trees for some in (tree.wanted, *(said for _, said in tree.said)) for path in some
    )
    for path in paths:
        place = _place(path, trees, on)
        known = (*place.wanted.values(), *place.owners.values())
        sample = next(each for each in known if each is not ABSENT)
        home = _home(place, sayers)
        match merging(path, sample):
            case Merging.UNION:
                _permissions(place, home, made)
            case Merging.EXTEND:
                _lists(place, home, made)
            case kind:
                _values(place, home, made, exclusive=kind is Merging.EXCLUSIVE)
    _drop_stubs(trees, made)
    return made


def _drop_stubs(trees: Sequence[Tree], made: Solution) -> None:
    """Drop what features say of a webhook if all that is left is its kind, which the component says too."""
    said = {owner: places for tree in trees for owner, places in tree.said}
    for owner, edit in list(made.edits.items()):
        places = said.get(owner, {}) if isinstance(owner, str) and owner != COMPONENT else {}
        for kind in {path[:3] for path in edit.gone if path[:2] == ("webhooks", "kinds")}:
            left = [path for path in (*places, *edit.new) if path[:3] == kind and path not in edit.gone]
            if left == [(*kind, "kind")] and left[0] in said.get(COMPONENT, {}):
                made.drop(owner, left[0])


def _place(path: Path, trees: Sequence[Tree], on: Mapping[str, Group]) -> _Place:
    """Return a place; what is not said yet may be said with an expression."""
    wanted = {tree.who: tree.wanted[path] for tree in trees if path in tree.wanted}
    said = {tree.who: [(o, s[path]) for o, s in tree.said if path in s] for tree in trees}
    if wanted and not any(said.values()):
        wanted = abstracted(wanted, {tree.who: tree.namespace for tree in trees}, path)
    every = {tree.who: wanted.get(tree.who, ABSENT) for tree in trees}
    return _Place(path=path, wanted=every, said=said, on=on)


def _on(trees: Sequence[Tree]) -> dict[str, Group]:
    """Return the trees that each feature is on for."""
    found: dict[str, set[str]] = {}
    for tree in trees:
        for owner, _ in tree.said:
            found.setdefault(owner, set()).add(tree.who)
    return {owner: frozenset(some) for owner, some in found.items()}


def _sayers(trees: Sequence[Tree]) -> dict[Path, dict[str, None]]:
    """Return who says something at a place or below it."""
    found: dict[Path, dict[str, None]] = {}
    for tree in trees:
        for owner, said in tree.said:
            for path in said:
                for size in range(2, len(path) + 1):
                    found.setdefault(path[:size], {})[owner] = None
    return found


def _home(place: _Place, sayers: Mapping[Path, dict[str, None]]) -> Owner:
    """Return who is to say what nobody said before: whoever alone said what is around it, for these trees."""
    have = _have(place)
    if place.path[0] == "objects":
        return _heir(place, sayers) or (COMPONENT if have == place.trees else have)
    for size in range(len(place.path) - 1, 1, -1):
        around = list(sayers.get(place.path[:size], ()))
        if len(around) == 1 and around[0] != COMPONENT and place.on[around[0]] == have:
            return around[0]
        if around:
            break
    return COMPONENT if have == place.trees else have


def _heir(place: _Place, sayers: Mapping[Path, dict[str, None]]) -> Owner | None:
    """Return the feature whose object of the same name, but another kind, this one takes the place of."""
    name = str(place.path[1]).partition("/")[2]
    for path, owners in sayers.items():
        if len(path) == 2 and path[0] == "objects" and str(path[1]).partition("/")[2] == name:
            for owner in owners:
                if owner != COMPONENT and place.on[owner] == _have(place):
                    return owner
    return None


def _values(place: _Place, home: Owner, made: Solution, *, exclusive: bool) -> None:
    """Decide on a value that the last layer says, or that only one may say."""
    if _is_settled(place, exclusive=exclusive):
        return
    wants = place.wants(place.wanted)
    if len(wants) == 1:
        _common(place, wants[0], home, made, exclusive=exclusive)
        return
    got = _kept(place, made)
    rest = [who for who in place.wanted if who not in got]
    now: Value = ABSENT
    if rest and not exclusive and all(place.wanted[who] is not ABSENT for who in rest):
        now = place.wanted[rest[0]]  # the component's own tree comes first
    _put(place, now, made)
    for value in wants:
        lacking = frozenset(
            who for who, want in place.wanted.items() if want == value and got.get(who, now) != value
        )
        if value is not ABSENT and lacking:
            made.say(home if home == lacking or lacking == _have(place) else lacking, place.path, value)


def _common(place: _Place, value: Value, home: Owner, made: Solution, *, exclusive: bool) -> None:
    """Decide on what all trees want: the component says it, or a feature that is on for all and said it."""
    everywhere = [each for each in place.features if place.on[each] == place.trees]
    owner: Owner = everywhere[-1] if everywhere else home if not place.owners else COMPONENT
    for each, said in place.owners.items():
        if value is ABSENT or (each != owner and (each != COMPONENT or exclusive)):
            made.drop(each, place.path)
        elif each == owner and said != value:
            made.say(each, place.path, value)
    if value is not ABSENT and owner not in place.owners:
        made.say(owner, place.path, value)


def _kept(place: _Place, made: Solution) -> dict[str, Value]:
    """Let features go on saying what all their trees want, changed if need be; return what trees get."""
    got: dict[str, Value] = {}
    for owner in place.features:
        trees = place.on[owner]
        wants = place.wants(sorted(trees))
        if len(wants) > 1 or wants[0] is ABSENT:
            made.drop(owner, place.path)
            continue
        if wants[0] != place.owners[owner]:
            made.say(owner, place.path, wants[0])
        got |= dict.fromkeys(trees, wants[0])
    return got


def _have(place: _Place) -> Group:
    return frozenset(who for who, value in place.wanted.items() if value is not ABSENT)


def _is_settled(place: _Place, *, exclusive: bool) -> bool:
    """Tell whether the older spec gives every tree what it wants."""
    for who, want in place.wanted.items():
        said = [value for _, value in place.said[who]]
        if (said[-1] if said else ABSENT) != want or (exclusive and len(said) > 1):
            return False
    return True


def _put(place: _Place, now: Value, made: Solution) -> None:
    """Make the component say a value, or no longer say it."""
    base = place.owners.get(COMPONENT, ABSENT)
    if now is ABSENT and base is not ABSENT:
        made.drop(COMPONENT, place.path)
    elif now is not ABSENT and now != base:
        made.say(COMPONENT, place.path, now)


def _lists(place: _Place, home: Owner, made: Solution) -> None:
    """Decide on a list that every layer adds to."""
    if all(_joined(place.said[who]) == want for who, want in place.wanted.items()):
        return
    wants = place.wants(place.wanted)
    if _features_stay(place, made) or (len(wants) == 1 and _last_says(place, wants[0], made)):
        return
    present = [value for value in place.wanted.values() if value is not ABSENT]
    start: Value = ABSENT
    if len(present) == len(place.wanted):
        first = min(present, key=len)
        start = first if all(value[: len(first)] == first for value in present) else ABSENT
    for owner in place.features:
        made.drop(owner, place.path)
    done = 0 if start is ABSENT else len(start)
    if start is not ABSENT and not place.owners and isinstance(home, str):
        made.say(home, place.path, start)
    else:
        _put(place, start, made)
    for value in wants:
        if value is not ABSENT and (added := value[done:]):
            trees = frozenset(who for who, want in place.wanted.items() if want == value)
            made.say(home if trees == _have(place) and not done else trees, place.path, added)


def _features_stay(place: _Place, made: Solution) -> bool:
    """Let the component say all but what features add at the end, if that gives every tree what it wants."""
    if COMPONENT not in place.owners or not place.features:
        return False
    rest: list[Json] = []
    for who, want in place.wanted.items():
        added = _joined([each for each in place.said[who] if each[0] != COMPONENT])
        size = 0 if added is ABSENT else len(added)
        if want is ABSENT or (size and want[-size:] != added) or len(want) == size:
            return False
        rest.append(want[: len(want) - size])
    if any(each != rest[0] for each in rest):
        return False
    _put(place, rest[0], made)
    return True


def _last_says(place: _Place, value: Value, made: Solution) -> bool:
    """Let the last layer that added to a list say the rest of what all trees want, if that is possible."""
    said = place.said[next(iter(place.wanted))]
    if not said or any(each != said for each in place.said.values()):
        return False
    before = [item for _, some in said[:-1] for item in some]
    if value is ABSENT or value[: len(before)] != before or len(value) == len(before):
        return False
    made.say(said[-1][0], place.path, value[len(before) :])
    return True


def _joined(said: Sequence[tuple[str, Json]]) -> Value:
    return [item for _, some in said for item in some] if said else ABSENT


def _permissions(place: _Place, home: Owner, made: Solution) -> None:
    """Decide on verbs, which add up; what a target lacks of the component's is withheld from it."""
    wanted = {who: _verbs(value) for who, value in place.wanted.items()}
    if all(wanted[who] == set[str]().union(*(_verbs(v) for _, v in place.said[who])) for who in wanted):
        return
    got = _granted(place, wanted, made)
    base = _verbs(place.owners.get(COMPONENT, ABSENT))
    own = next(iter(wanted))
    now = set[str]() if not base and home != COMPONENT else wanted[own] - got[own]
    if now != base:
        _put(place, _words(now) if now else ABSENT, made)
    more: dict[str, list[str]] = {}
    for who, verbs in wanted.items():
        if extra := verbs - got[who] - now:
            more.setdefault(_words(extra), []).append(who)
        if lacking := now - verbs:
            made.withheld.setdefault(who, {})[place.path] = _words(lacking)
    for words, trees in more.items():
        feature = isinstance(home, str) and home != COMPONENT
        made.say(home if feature else frozenset(trees), place.path, words)


def _granted(place: _Place, wanted: Mapping[str, set[str]], made: Solution) -> dict[str, set[str]]:
    """Let features go on granting what their trees want, unless all trees want it; return what trees get."""
    got: dict[str, set[str]] = {who: set() for who in wanted}
    for owner in place.features:
        verbs, trees = _verbs(place.owners[owner]), place.on[owner]
        others = [who for who in wanted if who not in trees]
        needed = not others or not all(verbs <= wanted[who] for who in others)
        kept = verbs.intersection(*(wanted[who] for who in trees)) if needed else set[str]()
        if not kept:
            made.drop(owner, place.path)
        elif kept != verbs:
            made.say(owner, place.path, _words(kept))
        for who in trees:
            got[who] |= kept
    return got


def _verbs(value: Value) -> set[str]:
    return set(value.split()) if isinstance(value, str) else set()


def _words(verbs: set[str]) -> str:
    return " ".join(sorted(verbs))
