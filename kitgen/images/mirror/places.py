"""Where each image goes in a mirror: its repository there, and its tag."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import TypeAlias

from msgspec import Struct

from kitgen.findings import Finding, Origin, make_problem
from kitgen.kube.image_reference import (
    LENGTHS,
    LOCAL,
    ImageReference,
    check_image_path,
    check_registry_host,
    parse_reference_or_error,
)
from kitgen.render.context import ComputedValue
from kitgen.text.wording import quote_text

SHORT = 12
"""Digits of a digest that stand for it in a tag."""
LONGEST_TAG = 128


class Mirror(Struct, frozen=True, kw_only=True):
    """A registry that others are copied into."""

    registry: str
    """Its host, and the path below which all images go."""
    scoped: bool = False
    """Whether the registry that an image comes from is a part of its path."""

    def repository_for(self, source: ImageReference) -> str:
        """Return where a repository goes; what is below the mirror stays there."""
        if source.repository.startswith(f"{self.registry}/"):
            return source.repository
        return f"{self.below(source.host)}/{source.path}"

    def below(self, host: str) -> str:
        """Return where all repositories of a registry go."""
        return f"{self.registry}/{host.lower().replace(':', '-')}" if self.scoped else self.registry


class MirrorPlace(Struct, frozen=True, kw_only=True):
    """An image, and where it goes."""

    source: ImageReference
    """With either a tag or a digest; a digest decides, and latest is what a node takes without both."""
    names: tuple[str, ...]
    """As specs write it."""
    repository: str
    tag: str
    """Of the copy; one of a digest is made from that, since some registries drop what has no tag."""

    @property
    def there(self) -> bool:
        """Tell whether it is in the mirror already, so that nothing has to be copied."""
        return self.repository == self.source.repository

    @property
    def by_digest(self) -> bool:
        """Tell whether a cluster pulls it by its digest."""
        return bool(self.source.digest)

    @property
    def mirror_reference(self) -> str:
        """Return its name in the mirror, as a cluster pulls it."""
        return f"{self.repository}@{self.source.digest}" if self.by_digest else self.copy_reference

    @property
    def copy_reference(self) -> str:
        """Return what a copy is pushed to; what is there keeps its name."""
        return str(self.source) if self.there else f"{self.repository}:{self.tag}"


NamedImage: TypeAlias = tuple[str, Origin]
"""An image as a spec writes it, and where."""


def find_registry_fault(text: str) -> str:
    """Return what is wrong with a mirror's name; empty if it is a host, and a path or none."""
    form = "expected HOST[:PORT][/PATH]"
    if "://" in text:
        return f"found the scheme of {quote_text(text)}, {form} without one"
    if "@" in text:
        return f"found a digest or a login in {quote_text(text)}, {form}"
    host, slash, path = text.partition("/")
    if wrong := check_registry_host(host):
        return wrong
    if host.startswith("["):
        return f"found the address {quote_text(host)}, expected a name: mirror sets take no IPv6 addresses"
    if "." not in host and ":" not in host and host != LOCAL:
        return (
            f"found the host {quote_text(host)}, expected one with a dot or a port: else nodes ask docker.io"
        )
    if ":" in path:
        return f"found a tag or a port in the path {quote_text(path)}, {form}"
    return check_image_path(path) if slash else ""


def assign_places(images: Iterable[NamedImage], mirror: Mirror) -> ComputedValue[tuple[MirrorPlace, ...]]:
    """Give every image its place, by name; those that have none are findings."""
    known: dict[ImageReference, list[NamedImage]] = {}
    findings: list[Finding] = []
    for image, origin in images:
        if isinstance(source := _parse_source_image(image, mirror), str):
            findings.append(make_problem("mirror-image", f"{quote_text(image)}: {source}").to_finding(origin))
        else:
            known.setdefault(source, []).append((image, origin))
    sources = sorted(known, key=str)
    tags = _assign_tags(sources, mirror)
    places = (
        MirrorPlace(
            source=source,
            names=tuple(sorted({image for image, _ in known[source]})),
            repository=mirror.repository_for(source),
            tag=tags[source],
        )
        for source in sources
    )
    return ComputedValue(tuple(places), (*findings, *_check_collisions(known, mirror)))


def _parse_source_image(image: str, mirror: Mirror) -> ImageReference | str:
    """Take an image apart, as nodes do; a text says why it has no place."""
    if isinstance(found := parse_reference_or_error(image), str):
        return found
    if found.host.startswith("["):
        return (
            f"found the address {quote_text(found.host)}, expected a name: mirror sets take no IPv6 addresses"
        )
    if found.digest and found.digest.partition(":")[0] not in LENGTHS:
        return f"found the digest {quote_text(found.digest)}, expected one by {' or '.join(LENGTHS)}"
    source = ImageReference(
        found.host, found.path, "" if found.digest else found.tag or "latest", found.digest
    )
    return check_image_path(f"{mirror.repository_for(source).partition('/')[2]}") or source


def _check_collisions(known: dict[ImageReference, list[NamedImage]], mirror: Mirror) -> Iterator[Finding]:
    shared: dict[str, dict[str, list[ImageReference]]] = {}
    for source in sorted(known, key=str):
        shared.setdefault(mirror.repository_for(source), {}).setdefault(source.repository, []).append(source)
    for repository, sources in shared.items():
        (first, held), *others = sources.items()
        for other, more in others:
            alike = [each.digest for each in held] == [each.digest for each in more]
            if not alike or not all(each.digest for each in more):
                yield make_problem(
                    "mirror-collision",
                    f"found {first} and {other}, expected one repository for {repository}",
                    hint="" if mirror.scoped else "--scoped keeps the registry as a part of the path",
                ).to_finding(known[more[0]][0][1])


def _assign_tags(sources: list[ImageReference], mirror: Mirror) -> dict[ImageReference, str]:
    """Give every copy a tag: its own, or one of the digest, as long as it takes to be the only one."""
    found = {each: each.tag for each in sources if each.tag}
    taken = {(mirror.repository_for(each), tag): "" for each, tag in found.items()}
    for each in sources:
        if each.digest:
            repository = mirror.repository_for(each)
            free = (
                way
                for way in _list_tag_candidates(each.digest)
                if taken.get((repository, way), each.digest) == each.digest
            )
            found[each] = next(free)
            taken[repository, found[each]] = each.digest
    return found


def _list_tag_candidates(digest: str) -> Iterator[str]:
    """Yield tags for a digest, short ones first."""
    algorithm, _, value = digest.partition(":")
    yield from (f"{algorithm}-{value[:length]}" for length in range(SHORT, LONGEST_TAG - len(algorithm)))
    yield f"of-{sha256(digest.encode()).hexdigest()}"
