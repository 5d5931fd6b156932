"""Do what a page shows, in a copy of the kit: edits as `diff` blocks, commands as `console` blocks.

`python -m docs.console` puts what the commands print now into the pages where that has changed, and leaves
out what they left out before. The tests only compare.

A line `$ command` is run by the shell, `> ` goes on with it, and what follows is what it prints. `…` stands
for any text, alone on a line for any lines. A `diff` block that opens with `--- path` edits that file; `…` in
a line that stays or goes stands for any text too.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docs.elision import pattern, shown

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = Path(sys.executable).parent
WRITTEN = ("README.md", "docs/*.md", "docs/examples/*.md")
KIT = ("kit.yaml", "components", "targets", "releases", "migrations", "schemas", "overlays")
BLOCK = re.compile(r"^```(console|diff)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MARK = "=== the next command ==="


class PageError(Exception):
    """A page says to edit what is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A command and what the page says that it prints."""

    command: str
    expected: str


def copy_kit(folder: Path) -> None:
    """Copy the project's kit, without its code."""
    for name in KIT:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("lock"))
        else:
            shutil.copy(source, folder / name)


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """Yield the blocks of a page that are to be done, in order."""
    for kind, content in BLOCK.findall(page):
        if kind == "console" or content.startswith("--- "):
            yield kind, content


def steps(content: str) -> list[Step]:
    """Read a console block."""
    found: list[tuple[str, list[str]]] = []
    for line in content.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("> ") and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line[2:]}", [])
        else:
            found[-1][1].append(line)
    return [Step(command=command, expected="\n".join(lines)) for command, lines in found]


def scripted(command: str) -> str:
    """Return the lines of a script that run a command and print all that it says.

    The programs of a pipe run at once. Where kitgen is not the last of them, what it says beside its product
    comes first, since nothing else keeps their order.
    """
    last = f"echo '{MARK}'; (exit $code)\n"
    first, _, end = command.rpartition("|")
    if "kitgen" not in first or "kitgen" in end:
        return f"{{ {command}\n}} 2>&1; code=$?; {last}"
    return f'{{ {command}\n}} 2>&1 >"$PRODUCT"; code=$?; cat "$PRODUCT"; {last}'


def run(commands: list[str], folder: Path, programs: Path = PROGRAMS) -> list[str]:
    """Run commands one after the other in one shell; return what each prints.

    The next commands of a page go on in the folder that these ended in. Programs are looked for
    in one folder first.
    """
    left = folder.with_name(f"{folder.name}.left")
    script = "".join(map(scripted, commands)) + 'pwd >"$LEFT"\n'
    start = Path(left.read_text(encoding="utf-8").strip()) if left.exists() else folder
    path = os.pathsep.join((str(programs), str(PROGRAMS), os.environ["PATH"]))
    settings = {**os.environ, "PATH": path, "PYTHONUNBUFFERED": "1", "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    settings["LEFT"] = str(left)
    with tempfile.NamedTemporaryFile() as product:
        settings["PRODUCT"] = product.name
        done = subprocess.run(
            ["sh", "-c", script], cwd=start, env=settings, capture_output=True, text=True, check=False
        )
    return [part.removeprefix("\n").removesuffix("\n") for part in done.stdout.split(MARK)[:-1]]


def edit(content: str, folder: Path) -> None:
    """Change a file as a diff block says; its lines must be there once."""
    head, *lines = content.splitlines()
    path = folder / head.removeprefix("--- ")
    old = re.compile("".join(f"(^{pattern(line[1:])}\n)" for line in lines if line[:1] in " -"), re.MULTILINE)
    text = path.read_text(encoding="utf-8")
    found = [*old.finditer(text)]
    if len(found) != 1:
        raise PageError(f"{path.relative_to(folder)} does not hold these lines once:\n{content}")
    there = iter(found[0].groups())
    kept = {index: next(there) for index, line in enumerate(lines) if line[:1] in " -"}
    new = (f"{line[1:]}\n" if line[:1] == "+" else kept[index] for index, line in enumerate(lines))
    made = "".join(part for part, line in zip(new, lines, strict=True) if line[:1] != "-")
    path.write_text(text[: found[0].start()] + made + text[found[0].end() :], encoding="utf-8")


def refreshed(page: str, folder: Path) -> str:
    """Return the page with what its commands print now; what still matches stays as it is."""

    def block(match: re.Match[str]) -> str:
        kind, content = match.groups()
        if kind == "diff":
            if content.startswith("--- "):
                edit(content, folder)
            return match[0]
        found = steps(content)
        lines: list[str] = []
        for step, printed in zip(found, run([step.command for step in found], folder), strict=True):
            lines.append("$ " + step.command.replace("\n", "\n> "))
            lines.append(shown(step.expected, printed))
        return "\n".join(["```console", *filter(None, lines), "```"])

    return BLOCK.sub(block, page)


def pages() -> list[Path]:
    """Return the pages that show commands and what they print."""
    found = (path for pattern in WRITTEN for path in ROOT.glob(pattern))
    return sorted(path for path in found if next(blocks(path.read_text(encoding="utf-8")), None))


def main(names: list[str]) -> int:
    """Put what commands print now into pages, all if none is named; name those that change."""
    code = 0
    for path in [Path(name) for name in names] or pages():
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "kit"
            folder.mkdir()
            copy_kit(folder)
            try:
                new = refreshed(text, folder)
            except PageError as error:
                sys.stderr.write(f"{path}: {error}\n")
                code = 1
                continue
        if new != text:
            path.write_text(new, encoding="utf-8")
            sys.stdout.write(f"{path}\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
