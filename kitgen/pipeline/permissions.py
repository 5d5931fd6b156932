"""What `kitgen rbac` does: who can do what where, with bindings, groups and aggregation resolved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from kitgen.check.index import Index
from kitgen.errors import UsageError
from kitgen.load.real import read_real
from kitgen.objects import Manifest
from kitgen.objects.rbac.access import ACCOUNT, CLUSTER_ROLE, ROLES, Access, Held, Holder, Role
from kitgen.objects.rbac.folding import Given, Line, folded
from kitgen.objects.rbac.own import ADMIN, AGGREGATING
from kitgen.objects.rbac.rules import Permit, covers
from kitgen.pipeline.build import compiled
from kitgen.pipeline.opened import require
from kitgen.pipeline.sources import FORMS, Kind, Kits, in_revision, parse_source


class PermissionsRequest(Struct, frozen=True, kw_only=True):
    """Whose permissions to tell."""

    root: Path | None = None
    source: str
    can: str = ""
    """A verb and a resource or URL: only those who may do that."""


class Whole(Struct, frozen=True):
    """A role that somebody has and that is not told in lines."""

    role: str
    where: str | None
    through: str
    own: bool
    """Whether it is Kubernetes' own; else it is not here, and nobody knows what it grants."""


class Person(Struct, frozen=True, kw_only=True):
    """Somebody, and what he may do."""

    holder: Holder
    """A ClusterRole stands for whoever has it."""
    runs: tuple[str, ...] = ()
    """Objects whose pods run as this account."""
    wholes: tuple[Whole, ...] = ()
    lines: tuple[Line, ...] = ()


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


def parse_question(text: str) -> Question | None:
    """Read `VERB RESOURCE[.GROUP][/SUBRESOURCE]` or `VERB /URL`; nothing asks nothing."""
    words = text.split()
    if not words:
        return None
    if len(words) != 2:
        hint = "write a verb and a resource, such as 'delete secrets', 'create pods/exec' or 'get /metrics'"
        raise UsageError(f"{text!r} is no question", hint=hint)
    verb, what = words
    if what.startswith("/"):
        return Question(verb, "", "", what)
    whole, slash, below = what.partition("/")
    resource, dot, group = whole.partition(".")
    return Question(
        verb, ("" if group == "core" else group) if dot else None, f"{resource}{slash}{below}", ""
    )


def permissions(request: PermissionsRequest) -> list[Person]:
    """Return everybody whom the objects of a source give a permission, and the accounts of their pods."""
    question = parse_question(request.can)
    objects = _objects(request)
    access = Access(objects)
    runs: dict[Holder, dict[str, None]] = {}
    for pod in Index(objects).pods:
        name = str(pod.spec.get("serviceAccountName") or pod.spec.get("serviceAccount") or "default")
        runs.setdefault(Holder(ACCOUNT, pod.namespace, name), {})[str(pod.manifest.id)] = None
    own = (each.id for each in objects if (each.id.group, each.id.kind) == ("", ACCOUNT))
    accounts = (Holder(ACCOUNT, each.namespace, each.name) for each in own)
    people = [
        _person(access, each, tuple(runs.get(each, ())), question)
        for each in sorted({*access.held, *runs, *accounts}, key=_order)
    ]
    people += [found for name in AGGREGATING if (found := _aggregated(access, name, question))]
    return [each for each in people if question is None or each.lines or each.wholes]


def _order(holder: Holder) -> tuple[bool, Holder]:
    return holder.kind != ACCOUNT, holder


def _objects(request: PermissionsRequest) -> Sequence[Manifest]:
    kits = Kits(request.root)
    name = kits.resolve(parse_source(request.source))
    if name.foreign:
        real = read_real(name.file, kits.intake)
        real.stop()
        return real.manifests
    if name.kind not in (Kind.TARGET, Kind.COMPONENT):
        hint = f"expected {FORMS[Kind.TARGET]}, {FORMS[Kind.COMPONENT]}, or {FORMS[Kind.PATH]}"
        raise UsageError(f"{name} is neither a target nor a component", hint=hint)
    opened = kits.at(name.revision)
    with in_revision(opened):
        made = compiled(opened, name, checked=False)
        require(made.findings, opened.root)
    return made.objects


def _person(access: Access, holder: Holder, runs: tuple[str, ...], question: Question | None) -> Person:
    given, wholes = [], []
    for held in access.of(holder):
        role = access.role(held.role)
        through = held.holder.name if held.holder != holder else ""
        permits: Iterable[Permit] = access.permits(held.role)
        if question:
            permits = tuple(question.narrowed(permits))
        elif role.own or role.manifest is None:
            wholes.append(Whole(_named(role), held.where, through, role.own))
            permits = _more(access, held)
        given.append(Given(held.where, _named(role), through, permits))
    return Person(holder=holder, runs=runs, wholes=tuple(dict.fromkeys(wholes)), lines=tuple(folded(given)))


def _more(access: Access, held: Held) -> list[Permit]:
    """Return what the objects here add to a role of Kubernetes' own; to cluster-admin that is nothing."""
    if held.role[2] == ADMIN:
        return []
    parts = [each for each in access.parts(held.role) if each.manifest and each.selectors is None]
    return [permit for each in parts for permit in each.permits]


def _aggregated(access: Access, name: str, question: Question | None) -> Person | None:
    """Return what everybody gets who has a role of Kubernetes' own into which roles here are aggregated."""
    role = (CLUSTER_ROLE, "", name)
    parts = [each for each in access.parts(role) if each.manifest and each.selectors is None]
    given = [
        Given(None, _named(each), "", tuple(question.narrowed(each.permits)) if question else each.permits)
        for each in parts
    ]
    lines = folded(given)
    return Person(holder=Holder(CLUSTER_ROLE, "", name), lines=tuple(lines)) if lines else None


def _named(role: Role) -> str:
    return role.name if role.kind in ROLES else role.name.partition("/")[0]
