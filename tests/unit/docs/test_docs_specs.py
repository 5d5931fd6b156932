"""The examples in docs/specs.md stand in the specs that they name."""

from __future__ import annotations

import re
from textwrap import dedent

from kits import PROJECT
from some import rows

TEXT = (PROJECT / "docs/specs.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```yaml\n# (\S+)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == len(re.findall(r"^```yaml$", TEXT, re.MULTILINE)) > 10


@rows(("file", "example"), EXAMPLES)
def test_the_example_stands_in_the_spec(file: str, example: str) -> None:
    assert example in (PROJECT / file).read_text(encoding="utf-8") and dedent(example).strip()


def test_every_key_has_a_meaning() -> None:
    rows = re.findall(r"^\| `(\S+)` \| .+? \| (.*)\|$", TEXT, re.MULTILINE)
    assert len(rows) > 50
    assert [key for key, said in rows if not re.sub(r"\((required|default)[^)]*\)", "", said).strip()] == []
