"""releases/tags.yaml → the tags that repositories are known to have."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from kitgen.findings import Finding, Origin
from kitgen.load.specfiles import TAGS, SpecFiles


class Tags(Struct, frozen=True, kw_only=True):
    """Repositories and their tags; a repository that is not here may have any."""

    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    origin: Origin = Origin(TAGS)

    def has(self, repository: str, tag: str) -> bool | None:
        """Tell whether a repository has a tag; None where nothing is known of it."""
        known = self.known.get(repository)
        return None if known is None else tag in known


def load_tags(files: SpecFiles) -> tuple[Tags, list[Finding]]:
    """Read the file, if the kit has one, and return what is wrong with it."""
    if not files.files.exists(TAGS):
        return Tags(), []
    data, wrong = files.data(TAGS, "tags")
    known = {repository: tuple(each) for repository, each in data["tags"].items()} if data else {}
    return Tags(known=known), wrong
