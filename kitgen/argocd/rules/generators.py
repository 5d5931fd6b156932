"""Generators: the values that each of them has for the templates of an ApplicationSet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from msgspec import Struct

from kitgen.findings import Path
from kitgen.text.values import entries_at, map_at, text_at
from kitgen.text.yaml import Json, JsonObject

Tree: TypeAlias = object
"""Keys and what is below them; ANYTHING where nobody knows."""
Has: TypeAlias = Callable[[Tree], bool]


class _Anything:
    """Stands for values that only Argo CD can know."""


ANYTHING: Final = _Anything()
WORD: Final = ""
"""Stands for a text."""
MAX_DEPTH = 4
"""How deep generators stand in each other; Argo CD takes two."""
CLUSTER = ("name", "nameNormalized", "server", "project")
REPOSITORY = (
    *("organization", "repository", "repository_id", "url", "branch", "branchNormalized", "sha"),
    *("short_sha", "short_sha_7"),
)
PULL = (
    *("number", "title", "branch", "branch_slug", "target_branch", "target_branch_slug", "head_sha"),
    *("head_short_sha", "head_short_sha_7", "author"),
)
PATH = ("path", "basename", "basenameNormalized")


class Case(Struct, frozen=True, kw_only=True):
    """Values that come together."""

    called: str
    tree: Tree
    labels: frozenset[str] | None = None
    """Labels that every cluster has, if it is about clusters."""


class GeneratorValues(Struct, frozen=True, kw_only=True):
    """What a generator has to give: cases of its own, or what others in it have."""

    cases: tuple[Case, ...] = ()
    chosen: bool = False
    """A selector leaves some of the cases out."""
    every: tuple[GeneratorValues, ...] = ()
    """Generators of which each case comes with each case of the others."""
    base: GeneratorValues | None = None
    """A generator whose cases get more from others, where these fit."""
    more: tuple[GeneratorValues, ...] = ()

    def lacking(self, has: Has) -> str:
        """Name what comes without something; empty if all has it, or nobody knows."""
        if self.base is not None:
            found = self.base.lacking(has)
            return "" if any(each.may(has) for each in self.more) else found
        if self.every:
            names = [each.lacking(has) for each in self.every]
            return " with ".join(names) if all(names) else ""
        without = [each for each in self.cases if not has(each.tree)]
        if not without or (self.chosen and len(without) < len(self.cases)):
            return ""
        return without[0].called

    def may(self, has: Has) -> bool:
        """Tell whether something may come with it."""
        inside = (*self.every, *self.more, *([self.base] if self.base else ()))
        return any(has(each.tree) for each in self.cases) or any(each.may(has) for each in inside)

    def unlabelled(self, key: str) -> bool:
        """Tell whether it gives clusters that need not have a label."""
        first = (self.base,) if self.base is not None else self.every
        own = any(each.labels is not None and key not in each.labels for each in self.cases)
        return own or any(each.unlabelled(key) for each in first)

    def known(self) -> dict[str, None]:
        """Return the first steps that are known, each once."""
        own = {key: None for each in self.cases if isinstance(each.tree, Mapping) for key in each.tree}
        inside = (*self.every, *self.more, *([self.base] if self.base else ()))
        return own | {key: None for each in inside for key in each.known()}


OPEN = GeneratorValues(cases=(Case(called="", tree=ANYTHING),))


def holds(tree: Tree, steps: tuple[str, ...]) -> bool:
    """Tell whether a field is there."""
    for step in steps:
        if tree is ANYTHING:
            return True
        if not isinstance(tree, Mapping) or step not in tree:
            return False
        tree = tree[step]
    return True


def is_map(tree: Tree, steps: tuple[str, ...]) -> bool:
    """Tell whether a field is surely a map."""
    for step in steps:
        tree = tree.get(step) if isinstance(tree, Mapping) else None
    return isinstance(tree, Mapping)


def holds_flat(tree: Tree, key: str) -> bool:
    """Tell whether a flat key is there: its steps may be joined in any way."""
    if tree is ANYTHING:
        return True
    if not isinstance(tree, Mapping):
        return False
    if key in tree or key.partition("[")[0] in tree:
        return True
    ends = (index for index, sign in enumerate(key) if sign == ".")
    return any(key[:at] in tree and holds_flat(tree[key[:at]], key[at + 1 :]) for at in ends)


def generators(
    entry: JsonObject, *, flat: bool, depth: int = 0
) -> Iterator[tuple[str, JsonObject, GeneratorValues]]:
    """Yield the generators of an entry of the list, each with its key and what it gives."""
    chosen = isinstance(entry.get("selector"), dict)
    for key, body in entry.items():
        if key != "selector" and isinstance(body, dict):
            yield key, body, _given(key, body, chosen=chosen, flat=flat, depth=depth)


def inner(body: JsonObject) -> list[tuple[Path, JsonObject]]:
    """Return the entries of generators inside another one, with their paths."""
    return [(("generators", index), each) for index, each in entries_at(body, "generators")]


def _given(key: str, body: JsonObject, *, chosen: bool, flat: bool, depth: int) -> GeneratorValues:
    if key in ("matrix", "merge"):
        if depth >= MAX_DEPTH:
            return OPEN
        below_ = [
            next((given for *_, given in generators(each, flat=flat, depth=depth + 1)), OPEN)
            for _, each in inner(body)
        ]
        if key == "matrix":
            return GeneratorValues(every=tuple(below_))
        return GeneratorValues(base=below_[0], more=tuple(below_[1:])) if below_ else OPEN
    if key == "list":
        return _listed(body, chosen=chosen)
    tree, called = _tree(key, body, flat=flat), f"the generator {key}"
    if tree is None:
        return OPEN
    whole = {**tree, "values": dict.fromkeys(map_at(body, "values"), WORD)}
    labels = _labels(body) if key == "clusters" else None
    return GeneratorValues(cases=(Case(called=called, tree=whole, labels=labels),))


def _listed(body: JsonObject, *, chosen: bool) -> GeneratorValues:
    if body.get("elementsYaml"):
        return OPEN
    return GeneratorValues(
        cases=tuple(
            Case(called=f"elements/{index} of the list", tree=element)
            for index, element in entries_at(body, "elements")
        ),
        chosen=chosen,
    )


def _tree(key: str, body: JsonObject, *, flat: bool) -> dict[str, Tree] | None:
    """Return what a generator gives beside values; None if nobody knows."""
    if key == "clusters" and not body.get("flatList"):
        more: Tree = {"labels": ANYTHING, "annotations": ANYTHING}
        return {**dict.fromkeys(CLUSTER, WORD), "metadata": more}
    if key == "git" and entries_at(body, "directories"):
        found: dict[str, Tree] = {"path": {**dict.fromkeys(PATH, WORD), "segments": ANYTHING}}
        prefix = text_at(body, "pathParamPrefix")
        if "{{" in prefix:
            return None
        return {prefix: found} if prefix else found
    if key == "scmProvider":
        return dict.fromkeys((*REPOSITORY, "labels"), WORD)
    if key == "pullRequest":
        return {**dict.fromkeys(PULL, WORD), **({} if flat else {"labels": ANYTHING})}
    return None


def _labels(body: JsonObject) -> frozenset[str]:
    """Return the labels that a selector demands."""
    terms = entries_at(body, "selector", "matchExpressions")
    demanded = (text_at(each, "key") for _, each in terms if each.get("operator") in ("In", "Exists"))
    exact = map_at(body, "selector", "matchLabels")
    return frozenset((*exact, *demanded, "argocd.argoproj.io/secret-type"))


def texts(value: Json, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield every text inside a value that may be a template, keys of mappings too."""
    todo: list[tuple[Path, Json]] = [(path, value)]
    while todo:
        at, here = todo.pop()
        if isinstance(here, str):
            if "{{" in here:
                yield at, here
        elif isinstance(here, dict):
            yield from (((*at, key), key) for key in here if isinstance(key, str) and "{{" in key)
            todo += [((*at, str(key)), each) for key, each in reversed(here.items())]
        elif isinstance(here, list):
            todo += [((*at, index), each) for index, each in reversed([*enumerate(here)])]
