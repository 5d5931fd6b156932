"""Texts of lists of clusters, for the lines of findings, without the credentials that may stand in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kitgen.yamlio.masks import Keys, masked

SHOWN = {"apiVersion", "kind", "name", "server", "url"}
HOLDING = {
    *("clusters", "items", "metadata", "labels", "spec", "managedClusterClientConfigs"),
    *("data", "stringData"),
}
"""Where entries, and what is read of them, stand in. Anything else is nobody's business."""


class VeiledTexts(Mapping[str, str]):
    """Texts by file; each is veiled when somebody asks for it, since few lists have findings."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """Start with texts that could be read."""
        self._texts = dict(texts)
        self._veiled: set[str] = set()

    def __getitem__(self, file: str) -> str:
        """Return what may be shown of a text, with all that is read of it on its lines."""
        if file not in self._veiled:
            self._texts[file] = masked(self._texts[file], _keeps)
            self._veiled.add(file)
        return self._texts[file]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def _keeps(keys: Keys, is_scalar: bool) -> bool:
    """Keep names, addresses and labels; what a Secret holds is told by its key alone."""
    if not keys:
        return not is_scalar
    if is_scalar and len(keys) > 1 and keys[-2] in ("labels", "data", "stringData"):
        return keys[-2] == "labels"
    return keys[-1] in (SHOWN if is_scalar else HOLDING)
