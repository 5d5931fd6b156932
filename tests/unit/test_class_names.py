"""A word has one meaning: no two public classes of kitgen have the same name."""

from __future__ import annotations

import re
from collections import defaultdict

import kits

PACKAGE = kits.PROJECT / "kitgen"
CLASS = re.compile(r"^class ([A-Z]\w*)", re.MULTILINE)


def test_class_names_are_unique() -> None:
    modules: dict[str, list[str]] = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        for name in CLASS.findall(path.read_text()):
            modules[name].append(path.relative_to(PACKAGE).as_posix())
    assert len(modules) > 500
    assert {name: found for name, found in modules.items() if len(found) > 1} == {}
