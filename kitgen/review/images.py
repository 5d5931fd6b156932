"""Rank a change of an image: another version of it, or another image."""

from __future__ import annotations

from kitgen.diff.objects.difference import Found
from kitgen.diff.risk import ChangeRule
from kitgen.review.rules import IMAGE_CHANGED, IMAGE_SOURCE, IMAGE_UNPINNED


def image_rule(was: Found, now: Found) -> ChangeRule:
    """Return what another reference to an image means."""
    if not isinstance(was, str) or not isinstance(now, str):
        return IMAGE_CHANGED
    if _repository(was) != _repository(now):
        return IMAGE_SOURCE
    return IMAGE_UNPINNED if "@" in was and "@" not in now else IMAGE_CHANGED


def _repository(image: str) -> str:
    """Return an image without its tag and digest, as long names have it."""
    name = image.partition("@")[0]
    head, slash, last = name.rpartition("/")
    path = f"{head}{slash}{last.partition(':')[0]}"
    first = path.partition("/")[0]
    if "/" not in path:
        return f"docker.io/library/{path}"
    return path if "." in first or ":" in first or first == "localhost" else f"docker.io/{path}"
