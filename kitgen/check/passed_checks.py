"""Checks that objects passed, kept across runs: an edit of a spec changes few objects of a target.

What is kept says nothing of an object: there is the hash of its content, and which checks found nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kitgen.check.context import CheckContext
from kitgen.files.results import decode_value, encode_value, find_slot


@contextmanager
def keep_passed_checks(context: CheckContext, *name: str) -> Iterator[None]:
    """Take from an earlier run of that name which checks objects passed, and keep what they pass in here."""
    if (slot := find_slot("passed checks", lambda: map(encode_value, name))) is None:
        yield
        return
    views = {view.digest: view for view in (context.get_view(*each) for each in context.list_objects())}
    before = slot.read()
    for check, passed in decode_value(before).items() if before else ():
        for digest, steps in passed.items():
            if digest in views:
                views[digest].passed.setdefault(check, steps)
    yield
    views.pop(None, None)
    known: dict[str, dict[bytes | None, int]] = {}
    for digest, view in views.items():
        for check, steps in view.passed.items():
            known.setdefault(check, {})[digest] = steps
    if (content := encode_value(known)) is not None and content != before:
        slot.write(content)
