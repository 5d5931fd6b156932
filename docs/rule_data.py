"""Compile the rules of all packages into the one file that kitgen reads: `make docs`.

A package has its rules in rules.yaml, by chapter, and those of changes in changes.yaml, by risk. To read YAML
costs every run, so kitgen reads this. Nothing of kitgen is imported: its modules ask for their rules.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parent.parent
COMPILED = "kitgen/findings/rules.json"


def compiled(root: Path = ROOT) -> str:
    """Return the compiled rules, a line each; no two have one id, not even a finding's and a change's.

    What a rule of upgrades finds is a change too, with a risk of its own under the same id.
    """
    kinds = {"rules": _rules(root, "rules", "chapter"), "changes": _rules(root, "changes", "risk")}
    ids = [each["id"] for found in kinds.values() for each in found if each.get("about") != "upgrade"]
    if twice := sorted({name for name in ids if ids.count(name) > 1}):
        raise ValueError(f"found two rules of one id: {', '.join(twice)}")
    lists = {kind: ",\n".join(json.dumps(each, ensure_ascii=False) for each in kinds[kind]) for kind in kinds}
    return "{" + ",\n".join(f'"{kind}": [\n{lines}\n]' for kind, lines in lists.items()) + "}\n"


def _rules(root: Path, kind: str, heading: str) -> list[dict[str, Any]]:
    return [
        {"id": name, heading: title, **fields}
        for path in sorted(root.glob(f"kitgen/*/{kind}.yaml"))
        for title, rules in YAML(typ="safe").load(path).items()  # it refuses a key that is there twice
        for name, fields in rules.items()
    ]


if __name__ == "__main__":
    (ROOT / COMPILED).write_text(compiled(), encoding="utf-8")
