"""Mirror sets: what sends the nodes of OpenShift to the mirror, a repository an entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from kitgen.emit.mirror.places import Place
from kitgen.yamlio import JsonObject

CONFIG = "config.openshift.io/v1"
OPERATOR = "operator.openshift.io/v1alpha1"
NEVER = "NeverContactSource"


class SetForm(Struct, frozen=True, kw_only=True):
    """Which kinds a cluster knows, and what it does when the mirror lacks an image."""

    old: bool = False
    """Whether it is an ImageContentSourcePolicy, which knows digests alone."""
    never_source: bool = False
    """Whether nodes never ask the registry that an image comes from."""


def mirror_sets(name: str, places: Sequence[Place], form: SetForm) -> list[JsonObject]:
    """Return what redirects pulls by digest, and by tag; of old clusters only the first."""
    digests = _entries((each for each in places if each.by_digest), form)
    tags = _entries((each for each in places if not each.by_digest), form)
    if form.old:
        found = [("ImageContentSourcePolicy", OPERATOR, "repositoryDigestMirrors", digests)]
    else:
        found = [
            ("ImageDigestMirrorSet", CONFIG, "imageDigestMirrors", digests),
            ("ImageTagMirrorSet", CONFIG, "imageTagMirrors", tags),
        ]
    return [
        {"apiVersion": api, "kind": kind, "metadata": {"name": name}, "spec": {key: entries}}
        for kind, api, key, entries in found
        if entries
    ]


def _entries(places: Iterable[Place], form: SetForm) -> list[JsonObject]:
    mirrors = {each.source.repository: each.repository for each in places}
    policy = {"mirrorSourcePolicy": NEVER} if form.never_source else {}
    return [{"source": source, "mirrors": [mirror], **policy} for source, mirror in sorted(mirrors.items())]
