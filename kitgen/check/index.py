"""An index of a target: its objects by identity, and the pods that they create."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import pods_of
from kitgen.kube.rbac.access import Access, RulesReader


class TargetIndex:
    """The objects of one target."""

    def __init__(self, manifests: Sequence[Manifest], rules: RulesReader | None = None) -> None:
        """Take the objects in; of two with one identity the first counts. `rules` may know those of roles."""
        self.manifests = manifests
        self._rules = rules
        self._by_id: dict[ObjectId, Manifest] = {}
        self._by_kind: dict[tuple[str, str], list[Manifest]] = {}
        for each in manifests:
            self._by_id.setdefault(each.id, each)
            self._by_kind.setdefault((each.id.group, each.id.kind), []).append(each)
        self.pods = tuple(pods_of(manifests))

    @cached_property
    def access(self) -> Access:
        """Return their roles and bindings, resolved."""
        return Access(self.manifests, self._rules)

    def get(self, group: str, kind: str, namespace: str, name: str) -> Manifest | None:
        """Return an object; one without a namespace has an empty one."""
        return self._by_id.get(ObjectId(group, kind, namespace, name))

    def objects_of(self, group: str, *kinds: str) -> list[Manifest]:
        """Return the objects of some kinds, in order."""
        return [each for kind in kinds for each in self._by_kind.get((group, kind), ())]
