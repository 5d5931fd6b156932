"""Views of the objects that are checked: what they have in common is looked at once.

Most objects stand in several targets and releases alike. They share a view, which keeps what was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from msgspec import msgpack

from kitgen.crd.definition import check_crd_shape, is_crd
from kitgen.crd.validate.rules import Effort
from kitgen.findings import Finding, Origin, Path, Problem
from kitgen.kube.definitions import Kind
from kitgen.kube.identity import ObjectId, split_api_version
from kitgen.kube.image_mentions import ImageMention, find_mentions
from kitgen.kube.manifest import Manifest
from kitgen.kube.object_size import measure_object_size
from kitgen.kube.rbac.rules import Permit, read_rules
from kitgen.kube.schema_interning import drop_type_details, has_types
from kitgen.text.values import COLLECTIONS
from kitgen.text.yaml import Json, JsonObject

PATTERNS = frozenset(
    {
        "apiextensions.crossplane.io",
        "kyverno.io",
        "mutations.gatekeeper.sh",
        "policies.kyverno.io",
        "policy.open-cluster-management.io",
    }
)
"""Groups whose objects hold patterns and parts of other objects."""
NULL = msgpack.encode(None)
"""A byte that no text has, and few numbers."""
Minors: TypeAlias = tuple[int, ...]
P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


class CrdFacts:
    """What is known of CRDs, each looked at once: one stands in many targets with the same spec."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._known: dict[tuple[object, int], tuple[Json, Any]] = {}

    def get(
        self,
        look: Callable[Concatenate[JsonObject, P], T],
        crd: JsonObject,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Return what a function finds in a CRD."""
        spec = crd.get("spec")
        if (key := (look, id(spec))) not in self._known:
            # The spec is kept beside the result so that its identity is not given to another one.
            self._known[key] = (spec, look(crd, *args, **kwargs))
        found: T = self._known[key][1]
        return found

    def fold(self, body: JsonObject) -> JsonObject:
        """Return a body as it is checked: a CRD goes without the types of Kubernetes, which are right."""
        is_whole = is_crd(body) and isinstance(body.get("spec"), dict)
        return {**body, "spec": self.get(_fold_spec, body)} if is_whole else body

    def check_shape(self, crd: JsonObject) -> list[Finding]:
        """Return a finding for everything in a CRD that is not of the type that it must have."""
        return self.get(_check_shape, crd, self)

    def hash_spec(self, crd: JsonObject) -> bytes | None:
        """Return the hash of what a CRD says, and of whether that holds types of Kubernetes."""
        return self.get(_hash_spec, crd)


def _check_shape(crd: JsonObject, facts: CrdFacts) -> list[Finding]:
    return check_crd_shape(facts.fold(crd), Origin(""))


def _hash_spec(crd: JsonObject) -> bytes | None:
    content = _encode(crd["spec"])
    return None if content is None else _hash(content, types=has_types(crd["spec"]))


def _hash(content: bytes, **facts: bool) -> bytes:
    return blake2b(content + repr(facts).encode(), digest_size=16).digest()


def _fold_spec(crd: JsonObject) -> Json:
    return drop_type_details(crd["spec"])


class ObjectView:
    """One object, or several with the same content; everything is read on first use."""

    def __init__(self, manifest: Manifest, crds: CrdFacts, *, rendered: bool) -> None:
        """Look at an object, which a kit renders or strangers wrote."""
        self.body: JsonObject = manifest.body
        self.id: ObjectId = manifest.id
        self.crds = crds
        self.rendered = rendered
        self.passed: dict[str, int] = {}
        """What found nothing in it, in this run or an earlier one, and the steps that this took."""
        self._efforts: dict[str, tuple[Sequence[Any], int]] = {}
        self._found: dict[tuple[object, Minors], Sequence[Problem]] = {}
        self._known: dict[object, Any] = {}

    def list_problems(self, check: ObjectCheck, minors: Minors) -> Sequence[Problem]:
        """Return what a check finds in it, for some minors of Kubernetes."""
        if (key := (check, minors)) not in self._found:
            self._found[key] = self.find_unless_passed(_name_check(*key), lambda: tuple(check(self, minors)))
        return self._found[key]

    def find_unless_passed(
        self, name: str, find: Callable[P, Sequence[T]], *args: P.args, **kwargs: P.kwargs
    ) -> Sequence[T]:
        """Return what a function finds; it need not look where it found nothing before."""
        if name in self.passed:
            return ()
        if not (found := find(*args, **kwargs)):
            self.passed[name] = 0
        return found

    def find_with_effort(self, name: str, effort: Effort, find: Callable[[], Sequence[T]]) -> Sequence[T]:
        """Return what a function finds that takes steps; what is known takes as many."""
        found, steps = self._efforts.get(name, ((), self.passed.get(name, -1)))
        if 0 <= steps <= effort.left:
            effort.take(steps)
            return found
        before = effort.left
        if not (made := find()):
            self.passed[name] = before - effort.left
        if effort.left >= 0:
            self._efforts[name] = (made, before - effort.left)
        return made

    def recall(self, look: Callable[[ObjectView], T]) -> T:
        """Return what a function finds in it."""
        if look not in self._known:
            self._known[look] = look(self)
        found: T = self._known[look]
        return found

    @cached_property
    def kind(self) -> Kind:
        """Return its kind; what it does not say is empty."""
        return Kind(*split_api_version(str(self.body.get("apiVersion", ""))), str(self.body.get("kind", "")))

    @cached_property
    def mappings(self) -> list[tuple[Path, JsonObject]]:
        """Return every mapping inside it, with its path; what is above comes first.

        Of a CRD it is the metadata alone: its schemas look like objects but are none. So do patterns.
        """
        body = self.body
        alone = is_crd(body) or self.id.group in PATTERNS
        return list(_walk_mappings({"metadata": body.get("metadata")} if alone else body))

    @cached_property
    def texts(self) -> list[tuple[Path, str]]:
        """Return the texts in those mappings and in their lists, with their paths."""
        return list(_list_texts(self.mappings))

    @cached_property
    def content(self) -> bytes | None:
        """Return bytes that only equal objects have; those of a CRD hold what its spec is known by."""
        is_whole = is_crd(self.body) and isinstance(self.body.get("spec"), dict)
        return _encode({**self.body, "spec": id(self.body["spec"])} if is_whole else self.body)

    @cached_property
    def digest(self) -> bytes | None:
        """Return the hash of its content, the same in every run; None if it has none."""
        body = self.body
        if is_crd(body) and isinstance(body.get("spec"), dict):
            spec = self.crds.hash_spec(body)
            content = None if spec is None else _encode({**body, "spec": spec})
        else:
            content = self.content
        return None if content is None else _hash(content, rendered=self.rendered)

    def may_contain(self, *words: str) -> bool:
        """Return whether one of some words may be in it, as a key or in a text; a CRD has its spec aside.

        Where this is false, nobody need look at each of its values.
        """
        content = self.content
        return content is None or any(word in content for word in _encode_words(words))

    @cached_property
    def may_run(self) -> bool:
        """Return whether there may be containers of any kind in it."""
        return self.may_contain("ontainers")

    def repeats(self, word: str) -> bool:
        """Return whether a word may be in it more than once."""
        return self.content is None or self.content.count(word.encode()) > 1

    @cached_property
    def has_nulls(self) -> bool:
        """Return whether there may be a null anywhere in it, but for the spec of a CRD."""
        return self.content is None or NULL in self.content

    @cached_property
    def size(self) -> int:
        """Return how many bytes it has as JSON."""
        return measure_object_size(self.body)

    @cached_property
    def mentions(self) -> list[ImageMention]:
        """Return the images in those mappings."""
        may_name = self.may_run or self.may_contain("relatedImages")
        return list(find_mentions(self.mappings)) if may_name else []


ObjectCheck: TypeAlias = Callable[[ObjectView, Minors], Iterable[Problem]]
"""Tells what is wrong with one object, for some minors of Kubernetes."""


class ObjectViews:
    """The views of all objects that are looked at so far, in any target and release."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self.crds = CrdFacts()
        self._by_body: dict[tuple[int, bool], tuple[JsonObject, ObjectView]] = {}
        self._by_content: dict[bytes, ObjectView] = {}
        self._permits: dict[bytes, tuple[Permit, ...]] = {}
        self._known: dict[tuple[object, ...], tuple[object, Any]] = {}

    def read_permits(self, role: Manifest) -> tuple[Permit, ...]:
        """Return the rules of a role; those of other roles with the same ones are the same."""
        rules = role.body.get("rules")
        if (content := _encode(rules)) is None:
            return read_rules(rules)
        if content not in self._permits:
            self._permits[content] = read_rules(rules)
        return self._permits[content]

    def recall(self, look: Callable[Concatenate[S, P], T], thing: S, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function finds in a part of an object, with values beside it."""
        if (key := (look, id(thing), *args, *kwargs.items())) not in self._known:
            # The thing is kept, too, so that its identity is not given to another one.
            self._known[key] = (thing, look(thing, *args, **kwargs))
        found: T = self._known[key][1]
        return found

    def get(self, manifest: Manifest, *, rendered: bool) -> ObjectView:
        """Return the view of an object."""
        if (key := (id(manifest.body), rendered)) not in self._by_body:
            view = ObjectView(manifest, self.crds, rendered=rendered)
            if rendered and view.content is not None:
                view = self._by_content.setdefault(view.content, view)
            # The body is kept, too, so that its identity is not given to another one.
            self._by_body[key] = (manifest.body, view)
        return self._by_body[key][1]


@lru_cache(maxsize=256)
def _name_check(check: ObjectCheck, minors: Minors) -> str:
    return f"{check.__module__} {check.__name__} {minors}"


@lru_cache(maxsize=256)
def _encode_words(words: tuple[str, ...]) -> list[bytes]:
    return [each.encode(errors="surrogatepass") for each in words]


def _encode(value: Json) -> bytes | None:
    try:
        return msgpack.encode(value)
    except (ValueError, OverflowError, TypeError):  # such as a number that no computer has
        return None


def _walk_mappings(value: Json, path: Path = ()) -> Iterator[tuple[Path, JsonObject]]:
    """Yield every mapping inside a value, with its path, as they are written."""
    if isinstance(value, dict):
        yield path, value
    for step, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(item, COLLECTIONS):
            yield from _walk_mappings(item, (*path, step))


def _list_texts(mappings: Iterable[tuple[Path, JsonObject]]) -> Iterator[tuple[Path, str]]:
    for path, mapping in mappings:
        for key, value in mapping.items():
            if isinstance(value, str):
                yield (*path, key), value
            elif isinstance(value, list):
                texts = ((at, each) for at, each in enumerate(value) if isinstance(each, str))
                yield from (((*path, key, at), each) for at, each in texts)
