"""The tables of outputs, checks and families: every row leads to something, and reading imports none."""

from __future__ import annotations

import subprocess
import sys
from pkgutil import resolve_name

import pytest

from kitgen.check import table
from kitgen.kit.model import Target
from kitgen.kit.model.component import list_section_forms
from kitgen.render.families.table import ROWS as FAMILIES
from kitgen.render.families.table import get_families, get_inverses
from kitgen.render.outputs import OUTPUTS

CHECKS = [
    name
    for rows in vars(table).values()
    if isinstance(rows, tuple)
    for row in rows
    for name in (row if isinstance(row, table.BetweenTargets) else (row,))
]
ROWS = [
    *CHECKS,
    *(
        getattr(each, name)
        for each in OUTPUTS.values()
        for name in ("files", "shared", "index", "adds", "images", "objects")
    ),
]


@pytest.mark.parametrize("row", [*filter(None, ROWS)])
def test_every_row_names_a_function(row: str) -> None:
    assert callable(resolve_name(row))


def test_outputs_with_additions_name_a_key_of_targets() -> None:
    assert all(each.key in Target.__struct_fields__ for each in OUTPUTS.values() if each.adds)


@pytest.mark.parametrize("name", ["kitgen.check.table", "kitgen.render.outputs"])
def test_reading_a_table_imports_no_feature(name: str) -> None:
    above = ("olm", "argocd", "images", "release", "migrate", "importing", "compare")
    code = f"import sys, {name}; sys.exit(any(f'kitgen.{{each}}' in sys.modules for each in {above}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_key_has_a_row_that_leads_to_its_family_and_its_inverse() -> None:
    keys = [row.key for row in FAMILIES]
    assert len({*keys}) == len(keys)
    assert {*get_families()} | {*get_inverses()} == {*keys}
    assert {*list_section_forms()} - {"patches"} <= {*keys}
    assert all(callable(each.objects) for each in get_families().values())
    assert all(callable(each.recognise) for each in get_inverses().values())
    assert next(reversed(get_inverses())) == "objects", "what no other takes"


def test_rendering_imports_no_inverse() -> None:
    code = "import sys, kitgen.render.session, kitgen.render.families.table as table; table.get_families()"
    code += "; sys.exit(any('inverse' in name for name in sys.modules if name.startswith('kitgen.')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
