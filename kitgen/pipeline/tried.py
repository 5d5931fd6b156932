"""A kit with other texts in it, as it would be if somebody wrote them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kitgen.errors import FindingsError
from kitgen.load import SpecFiles, load_kit
from kitgen.load.files import Disk
from kitgen.pipeline.opened import Opened
from kitgen.pipeline.overlaid import Overlaid


def tried(root: Path, texts: Mapping[str, str]) -> Opened:
    """Load the kit with other texts in it; what would be wrong with that is a FindingsError."""
    files = SpecFiles(Overlaid(Disk(root), texts))
    try:
        kit = load_kit(files)
    except FindingsError as error:
        raise FindingsError(error.findings, root, texts) from error
    return Opened(root=root, kit=kit, texts=files.texts, files=files)
