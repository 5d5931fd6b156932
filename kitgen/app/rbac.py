"""Run `kitgen rbac`: resolve bindings, groups and aggregation to who can do what, and where.

A question may name one permission: a verb, and a resource by any of its names, as kubectl accepts them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from msgspec import Struct

from kitgen.app.rbac_report import Permissions, permissions_of
from kitgen.check.index import TargetIndex
from kitgen.check.rbac.api_groups import Below, declared_below, known_below, wrong_below
from kitgen.crd.definition import is_crd
from kitgen.crd.types import VERSION, names_of
from kitgen.findings import near
from kitgen.findings.errors import UsageError
from kitgen.kit.apis import Apis
from kitgen.kit.crd_names import DeclaredCrd, declarations, resources
from kitgen.kit.permissions import VIRTUAL, wrong_verb
from kitgen.kit.shipped_trees import read_real
from kitgen.kube import foreign_kinds
from kitgen.kube.definitions import groups, supported
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import ACCOUNT, Access, Holder
from kitgen.kube.rbac.rules import ALL, WORDS, Permit, covers, named
from kitgen.kube.rbac.subjects import people
from kitgen.kube.resources import SHORT
from kitgen.text.values import value_at
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import Json
from kitgen.workspace.compilation import compiled
from kitgen.workspace.kit import require
from kitgen.workspace.sources import FORMS, Kits, SourceKind, in_revision, parse_source

CORE = "core"
FORM = "write a verb and a resource, such as 'delete secrets', 'create pods/exec' or 'get /metrics'"
SHORTENED = re.compile(r"^names: \{.*shortNames: \[([\w, ]+)\]", re.MULTILINE)
MOST = 5_000
"""How many resources of roles are known by name."""


class Question(Struct, frozen=True):
    """A verb, and what it is for."""

    verb: str
    group: str | None
    """None for whichever has the resource."""
    resource: str
    url: str

    def narrowed(self, permits: Iterable[Permit]) -> Iterator[Permit]:
        """Yield what rules grant of it."""
        for each in permits:
            if not _any("verbs", each.verbs, self.verb):
                continue
            if self.url and _any("nonResourceURLs", each.urls, self.url):
                yield Permit(each.path, (self.verb,), urls=(self.url,))
            elif self.resource and _any("resources", each.resources, self.resource):
                fitting = self.group is None or _any("apiGroups", each.groups, self.group)
                groups = each.groups if self.group is None else (self.group,)
                if fitting:
                    yield Permit(each.path, (self.verb,), groups, (self.resource,), each.names)


def _any(key: str, have: Sequence[str], wanted: str) -> bool:
    return any(covers(key, each, wanted) for each in have)


class ResourceNames:
    """The resources that somebody can mean, by everything that they are called."""

    def __init__(self, access: Access, objects: Iterable[Manifest], declared: Iterable[DeclaredCrd]) -> None:
        """Take Kubernetes' own, those of CRDs here and in the kit, and what roles name."""
        self.words: dict[str, set[tuple[str, str]]] = {}
        """Plural, singular, kind and short names, in lower case → group and plural."""
        crds = [each.body for each in objects if is_crd(each.body)]
        self.below: Below = declared_below(crds)
        """What is below the resources of CRDs here."""
        self.groups = {group for minor in supported() for group in groups(minor)}
        self._own()
        for each in declared:
            self._declared(each.group, each.names)
        for body in crds:
            group, said = value_at(body, "spec", "group"), value_at(body, "spec", "names")
            if isinstance(group, str) and isinstance(said, dict):
                self._declared(group, said)
        self.known = frozenset(self.groups)
        """Groups of which it is known which resources they have."""
        for group in foreign_kinds.groups():
            for kind, plural in foreign_kinds.plurals(group).items():
                short = SHORTENED.search(foreign_kinds.texts(group)[plural])
                self._add(group, plural, (kind, *(short[1].replace(" ", "").split(",") if short else ())))
        permits = (permit for role in access.roles.values() for permit in role.permits if permit.size < MOST)
        for permit in permits:
            for group in permit.groups:
                for resource in permit.resources:
                    if group not in self.known and ALL not in group + resource:
                        self._add(group, resource.partition("/")[0], ())

    def _own(self) -> None:
        apis = Apis(tuple(sorted(supported(), reverse=True)), frozenset(), resources(()))
        for group in self.groups:
            for word, plural in apis.resources(group).items():
                self._add(group, plural, (word,))
            for plural in VIRTUAL.get(group or CORE, ()):
                self._add(group, plural, ())
            for word, plural in SHORT.get(group, {}).items():
                self._add(group, plural, (word,))

    def _declared(self, group: str, said: Mapping[str, Json]) -> None:
        kind = str(said.get("kind"))
        names = {**names_of(kind), **{key: value for key, value in said.items() if isinstance(value, str)}}
        short = said.get("shortNames")
        more = [each for each in short if isinstance(each, str)] if isinstance(short, list) else []
        self._add(group, names["plural"], (kind, names["singular"], *more))

    def _add(self, group: str, plural: str, words: Iterable[str]) -> None:
        self.groups.add(group)
        for word in {plural, *words}:
            self.words.setdefault(word.lower(), set()).add((group, plural))

    def is_group(self, word: str, resource: str) -> bool:
        """Return whether a word is a group that a resource follows; `apps` is a short name too."""
        group = _group(word)
        has = any(own == group for own, _ in self.words.get(resource.lower(), ()))
        return group in self.groups and (has or word.lower() not in self.words)

    def plurals(self, group: str | None = None) -> list[str]:
        """Return all resources, or those of a group."""
        found = (each for some in self.words.values() for each in some)
        return sorted({plural for own, plural in found if group in (None, own)})


def parse_question(text: str) -> tuple[str, str] | None:
    """Parse a verb and its resource; no words are no question."""
    if not (words := text.split()):
        return None
    if len(words) != 2:
        raise UsageError(f"{text!r} is no question", hint=FORM)
    verb, what = words
    if verb in WORDS:
        raise UsageError(f"{verb!r} stands for several verbs", hint=f"ask for one of {choice(WORDS[verb])}")
    if (wrong := wrong_verb(verb, urls=what.startswith("/"))) and wrong.sure:
        raise UsageError(wrong.message, hint=wrong.hint)
    return verb, what


def find_question(asked: tuple[str, str], names: ResourceNames) -> Question:
    """Find what is meant: `RESOURCE[.GROUP][/BELOW]`, `GROUP/RESOURCE[/BELOW]` or a URL."""
    verb, what = asked
    if what.startswith("/"):
        return Question(verb, "", "", what)
    first, slash, rest = what.partition("/")
    if slash and names.is_group(first, rest.partition("/")[0]):
        word, slash, inner = rest.partition("/")
        group: str | None = _group(first)
    else:
        word, dot, said = first.partition(".")
        version, _, after = said.partition(".")
        group = _group(after if VERSION.fullmatch(version) else said) if dot else None
        inner = rest
    meant = _meant(word, group, names)
    if slash:
        _hold(meant, inner, names)
    (plural,) = {plural for _, plural in meant}
    return Question(verb, group, f"{plural}{slash}{inner}", "")


def _group(word: str) -> str:
    return "" if word == CORE else word


def _meant(word: str, group: str | None, names: ResourceNames) -> Collection[tuple[str, str]]:
    """Return the resources that a word stands for, in a group or in any; all have one name."""
    low = word.lower()
    found = {each for each in names.words.get(low, ()) if group in (None, each[0])}
    found = {each for each in found if each[1] == low} or found
    if len({plural for _, plural in found}) > 1:
        several = sorted(f"{plural}.{own}" for own, plural in found)
        raise UsageError(f"{word!r} may be {choice(several)}", hint="write one of them")
    if found or word == ALL:
        return found or {(group or ALL, word)}
    if group is None:
        hint = near(low, sorted(names.words)) or "write it with its group, such as routes.route.openshift.io"
        raise UsageError(f"found no resource {cut(word)} in Kubernetes, CRDs or roles here", hint=hint)
    if group in names.known:
        _lacking(word, group, names)
    if "." not in group:
        hint = near(group, sorted({*names.groups, CORE} - {""}))
        raise UsageError(f"found no API group {cut(group)}", hint=hint or "the core group is written core")
    return {(group, low)}


def _lacking(word: str, group: str, names: ResourceNames) -> NoReturn:
    elsewhere = sorted(f"{plural}.{own or CORE}" for own, plural in names.words.get(word.lower(), ()))
    hint = near(word.lower(), names.plurals(group))
    if elsewhere:
        hint = f"there is {choice(elsewhere, last='and', most=3)}"
    raise UsageError(f"found no resource {cut(named(group, word))}", hint=hint)


def _hold(meant: Collection[tuple[str, str]], inner: str, names: ResourceNames) -> None:
    """Refuse a subresource that none of the matching resources has."""
    hints = []
    for group, plural in meant:
        known = known_below(group, plural, names.below)
        virtual = plural in VIRTUAL.get(group or CORE, ())
        hints.append(None if known is None or virtual else wrong_below(f"{plural}/{inner}", known))
    if all(hints):
        plural = next(iter(meant))[1]
        raise UsageError(f"found no resource {cut(f'{plural}/{inner}')}", hint=str(hints[0]))


def permissions(root: Path | None, source: str, can: str = "") -> Permissions:
    """Return everybody whom the objects of a source give a permission, and the accounts of their pods.

    With a verb and a resource or URL, return only those who may do that.
    """
    asked = parse_question(can)
    objects, declared = _objects(root, source)
    access = Access(objects)
    question = find_question(asked, ResourceNames(access, objects, declared)) if asked else None
    runs: dict[Holder, dict[str, None]] = {}
    for pod in TargetIndex(objects).pods:
        name = str(pod.spec.get("serviceAccountName") or pod.spec.get("serviceAccount") or "default")
        runs.setdefault(Holder(ACCOUNT, pod.namespace, name), {})[str(pod.manifest.id)] = None
    return permissions_of(people(access, objects, runs, question.narrowed if question else None))


def _objects(root: Path | None, source: str) -> tuple[Sequence[Manifest], list[DeclaredCrd]]:
    """Return the objects of a source, and what the CRDs of its kit are called."""
    kits = Kits(root)
    name = kits.resolve(parse_source(source))
    if name.foreign:
        real = read_real(name.file, kits.intake, most=None)
        real.stop()
        return real.manifests, []
    if name.kind not in (SourceKind.TARGET, SourceKind.COMPONENT):
        hint = (
            f"expected {FORMS[SourceKind.TARGET]}, {FORMS[SourceKind.COMPONENT]}, or {FORMS[SourceKind.PATH]}"
        )
        raise UsageError(f"{name} is neither a target nor a component", hint=hint)
    opened = kits.at(name.revision)
    with in_revision(opened):
        made = compiled(opened, name, checked=False)
        require(made.findings, opened.root)
    return made.objects, declarations(opened.kit)
