"""Generated pages are up to date, every link leads somewhere, and every command has a page."""

from __future__ import annotations

import re

from kits import PROJECT
from running import run
from some import rows

from docs.command_pages import COMMANDS, GROUPS, commands, page_name
from docs.command_pages import PAGES as FEATURE_PAGES
from docs.generate import generated
from kitgen.text.semver import version_key

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
PAGES = sorted(
    path.relative_to(PROJECT).as_posix()
    for pattern in ("*.md", "docs/**/*.md")
    for path in PROJECT.glob(pattern)
)


def test_generated_pages_are_up_to_date() -> None:
    stale = [name for name, text in generated().items() if (PROJECT / name).read_text("utf-8") != text]
    assert not stale, "run make docs"


def test_the_readme_carries_the_matrix_of_the_newest_release() -> None:
    newest = max((path.stem for path in (PROJECT / "releases").glob("v*.yaml")), key=version_key)
    done = run("matrix", "--release", newest, "--check", PROJECT / "README.md", "--root", PROJECT)
    assert done.code == 0, "run make update"


def test_every_command_has_a_page_and_every_page_a_command() -> None:
    wanted = {page_name(name) for name, _ in commands()}
    assert {path.name for path in (PROJECT / "docs/examples").iterdir()} == wanted
    assert {path.name for path in (PROJECT / "docs/commands").iterdir()} == {*wanted, "README.md"}


@rows("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    text = FENCE.sub("", (PROJECT / page).read_text(encoding="utf-8"))
    for link in LINK.findall(text):
        if re.match(r"https?://", link):
            continue
        path, _, anchor = link.partition("#")
        target = (PROJECT / page).parent / path if path else PROJECT / page
        assert target.exists(), f"{page}: {link}"
        if anchor:
            assert anchor in _anchors(target.read_text(encoding="utf-8")), f"{page}: {link}"


def _anchors(text: str) -> set[str]:
    """Return the anchors that GitHub gives a page's headings."""
    heads = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_every_package_with_commands_has_a_page_that_lists_them() -> None:
    rows = [row for rows in (COMMANDS, *GROUPS.values()) for row, _ in rows.values()]
    assert {row.split(".")[1] for row in rows} - {"app"} == {*FEATURE_PAGES}
    for package, page in FEATURE_PAGES.items():
        text = (PROJECT / "docs" / page).read_text(encoding="utf-8")
        assert f"<!-- generated: commands {package} -->" in text
