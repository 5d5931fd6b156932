"""Write the generated documentation: `make docs`.

Made here: a page per command, the list of commands in README.md, the tables of keys in docs/specs.md,
docs/output.md, docs/olm.md and docs/argocd.md, that of ranks in docs/diff.md, docs/rules.md, the schemas in
schemas/output, and in kitgen/kube/kinds the CRDs that kitgen ships, expanded. Everything else is written by
hand. The result depends on the code alone, not on the terminal.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from docs.command_pages import command_pages, command_table
from docs.keys import key_table
from docs.output_schemas import output_schemas
from docs.ranks import rank_table
from docs.rules_page import rules_page
from kitgen.kit.apis import expand_shipped_crd
from kitgen.kube import foreign_kinds

ROOT = Path(__file__).resolve().parent.parent
FILLED = (
    "README.md",
    *(
        f"docs/{name}.md"
        for name in (
            "argocd",
            "diff",
            "disconnected",
            "fleet",
            "import",
            "migrations",
            "olm",
            "output",
            "releases",
            "specs",
        )
    ),
)
"""Pages that are written by hand but for some tables."""
PART = re.compile(r"(?P<start><!-- generated: (?P<what>[^>]+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL)


def generated(root: Path = ROOT) -> dict[str, str]:
    """Return every generated file, as a path below the root and its text."""
    pages = {f"docs/commands/{name}": text for name, text in command_pages(root / "docs/examples").items()}
    pages["docs/rules.md"] = rules_page()
    pages |= output_schemas()
    pages |= expanded_kinds()
    for name in FILLED:
        pages[name] = _filled((root / name).read_text(encoding="utf-8"))
    return pages


def expanded_kinds() -> dict[str, str]:
    """Return the CRDs that kitgen ships as they are expanded, by path."""
    every = [
        (group, plural)
        for group in foreign_kinds.list_groups()
        for plural in foreign_kinds.plurals_by_kind(group).values()
    ]
    return {
        f"kitgen/kube/kinds/{plural}.{group}.json": json.dumps(
            expand_shipped_crd(group, plural, admitted=True), separators=(",", ":"), ensure_ascii=False
        )
        + "\n"
        for group, plural in every
    }


def _filled(text: str) -> str:
    """Return a page with every part between markers made anew."""

    def part(match: re.Match[str]) -> str:
        kind, _, argument = match["what"].partition(" ")
        match kind:
            case "commands":
                made = command_table("commands/", argument) if argument else command_table()
            case "ranks":
                made = rank_table()
            case _:
                made = key_table(argument)
        return f"{match['start']}\n{made}\n{match['end']}"

    return PART.sub(part, text)


def main() -> None:
    """Write what is out of date, and delete pages of commands that are gone."""
    pages = generated()
    for path in (ROOT / "docs/commands").glob("*.md"):
        if path.relative_to(ROOT).as_posix() not in pages:
            path.unlink()
    for name, text in pages.items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main()
