"""Find the target that a tree says it belongs to: by its repository, branch, folder, labels or images."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from kitgen.importer.survey import main_namespace
from kitgen.load.manifests import STDIN
from kitgen.load.repositories import Checkout, checkout_of
from kitgen.model import Source, Target
from kitgen.objects.mentions import mappings, mentions
from kitgen.objects.reference import reference
from kitgen.pipeline.imports.whose import home_of
from kitgen.pipeline.opened import Opened
from kitgen.yamlio import JsonObject

WORD = re.compile(r"[a-z]{3,}")
EXPRESSION = re.compile(r"\{\{.*?\}\}")
COMMON = frozenset({"main", "master", "release", "stable", "dev", "develop", "head", "config"})
"""Words of branches that say nothing of whose they are."""
NEAR = 2
"""How many folders above a tree are looked at: mostly its repository, and the owner of that."""


class Claims:
    """What trees of a component may say of targets."""

    def __init__(self, opened: Opened, component: str, version: str) -> None:
        """Take the targets that say something of the component."""
        self.opened, self.component, self.version = opened, component, version
        self.sources: dict[str, list[Source]] = {
            name: [*_sources(target, component)]
            for name, target in opened.kit.targets.items()
            if component in target.settings
        }

    def of(self, real: str, bodies: Sequence[JsonObject]) -> dict[str, str]:
        """Return the targets that a tree says it is of, by the best that it says, each with what that is."""
        home = main_namespace(bodies)
        checkout = None if real == STDIN else checkout_of(real)
        if checkout and self.opened.root.is_relative_to(checkout.top):
            checkout = None  # its branch is the kit's
        for way in (
            self._by_checkout(checkout),
            self._by_folder(real),
            self._by_labels(bodies),
            self._by_images(bodies),
        ):
            found = {name: why for name, why in way if home in ("", self._home(name) or home)}
            if found:
                return found
        return {}

    def _home(self, name: str) -> str:
        return home_of(self.opened, self.component, self.version, name)

    def _words(self, name: str) -> set[str]:
        """Return what a target, and branches that its manifests come from, are called."""
        refs = " ".join(EXPRESSION.sub("", each.ref) for each in self.sources[name])
        return {name, *(each for each in WORD.findall(refs.lower()) if each not in COMMON)}

    def _by_checkout(self, checkout: Checkout | None) -> Iterator[tuple[str, str]]:
        if checkout is None:
            return
        for name, sources in self.sources.items():
            for each in sources:
                remotes = (url.replace(":", "/").removesuffix(".git") for url in checkout.remotes)
                if any(url.endswith(f"/{each.repository}") for url in remotes):
                    yield name, f"its repository {each.repository}"
            if _tokens(checkout.branch) & self._words(name):
                yield name, f"its branch {checkout.branch}"

    def _by_folder(self, real: str) -> Iterator[tuple[str, str]]:
        if real == STDIN:
            return
        for name, sources in self.sources.items():
            owners = {each.repository.partition("/")[0] for each in sources}
            for part in _above(real, [each.path for some in self.sources.values() for each in some]):
                if part in owners or _tokens(part) & self._words(name):
                    yield name, f"its path {part}"

    def _by_labels(self, bodies: Sequence[JsonObject]) -> Iterator[tuple[str, str]]:
        for name in self.sources:
            words = self._words(name)
            for body in bodies:
                labels = body["metadata"].get("labels")
                for key, value in labels.items() if isinstance(labels, dict) else ():
                    if value in words:
                        yield name, f"its label {key}: {value}"

    def _by_images(self, bodies: Sequence[JsonObject]) -> Iterator[tuple[str, str]]:
        images = (each.image for body in bodies for each in mentions(mappings(body)))
        found = {parts.repository for image in images if (parts := reference(image))}
        for name in self.sources:
            words, own = self._words(name), self._repositories(name)
            for each in sorted(found):
                if each in own or words & {*each.split("/")[:-1]}:
                    yield name, f"its image {each}"

    def _repositories(self, name: str) -> set[str]:
        """Return the repositories of images that a target sets itself."""
        blocks = self.opened.target(name).settings[self.component]
        said = (each.value for block in blocks for each in block.settings.images.values())
        return {parts.repository for image in said if (parts := reference(image))}


def _sources(target: Target, component: str) -> Iterator[Source]:
    for block in target.settings[component]:
        if block.settings.source:
            yield block.settings.source.value


def _above(real: str, inner: Sequence[str]) -> list[str]:
    """Return the names of the folders that a tree is in, without those inside of its repository."""
    path = PurePath(real) if Path(real).is_dir() else PurePath(real).with_suffix("")
    parts = [each for each in path.parts if each not in ("/", ".", "..")]
    roots = {each.partition("/")[0] for each in inner}
    cut = max((at for at, part in enumerate(parts) if part in roots), default=len(parts))
    return parts[max(0, cut - NEAR) : cut]


def _tokens(text: str) -> set[str]:
    return {*re.split(r"[^a-z0-9]+", text.lower())}
