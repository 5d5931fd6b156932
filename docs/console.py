"""Do what a page shows, in a copy of the kit: edits as `diff` blocks, commands as `console` blocks.

`python -m docs.console PAGE…` puts what the commands print now into pages where that has changed. The tests
only compare.

A line `$ command` is run by the shell, `> ` goes on with it, and what follows is what it prints. `…` stands
for any text, alone on a line for any lines. A `diff` block that opens with `--- path` edits that file.
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

ROOT = Path(__file__).resolve().parent.parent
KIT = ("kit.yaml", "components", "targets", "releases", "schemas", "overlays")
BLOCK = re.compile(r"^```(console|diff)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MARK = "=== the next command ==="


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


def run(commands: list[str], folder: Path) -> list[str]:
    """Run commands one after the other in one shell; return what each prints."""
    script = "".join(f"{{ {command}\n}} 2>&1; code=$?; echo '{MARK}'; (exit $code)\n" for command in commands)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "PATH": path, "PYTHONUNBUFFERED": "1", "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["sh", "-c", script], cwd=folder, env=settings, capture_output=True, text=True, check=False
    )
    return [part.removeprefix("\n").removesuffix("\n") for part in done.stdout.split(MARK)[:-1]]


def matches(expected: str, printed: str) -> bool:
    """Tell whether a command printed what the page shows; empty lines at the end do not count."""
    lines = []
    for line in expected.rstrip().splitlines():
        if line.strip() == "…":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(re.escape(line).replace("…", ".*") + r"\n")
    printed = printed.rstrip()
    return re.fullmatch("".join(lines), f"{printed}\n" if printed else "") is not None


def edit(content: str, folder: Path) -> None:
    """Change a file as a diff block says; its lines must be there once."""
    head, *lines = content.splitlines()
    path = folder / head.removeprefix("--- ")
    old = "".join(f"{line[1:]}\n" for line in lines if line[:1] in " -")
    new = "".join(f"{line[1:]}\n" for line in lines if line[:1] in " +")
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path.name} does not hold these lines once:\n{old}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def refreshed(page: str, folder: Path) -> str:
    """Return the page with what its commands print now; what still matches stays as it is."""

    def block(match: re.Match[str]) -> str:
        kind, content = match.groups()
        if kind == "diff":
            if content.startswith("--- "):
                edit(content, folder)
            return match[0]
        shown = steps(content)
        lines: list[str] = []
        for step, printed in zip(shown, run([step.command for step in shown], folder), strict=True):
            lines.append("$ " + step.command.replace("\n", "\n> "))
            lines += [step.expected if matches(step.expected, printed) else printed.rstrip()]
        return "\n".join(["```console", *filter(None, lines), "```"])

    return BLOCK.sub(block, page)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            copy_kit(Path(folder))
            path = Path(name)
            path.write_text(refreshed(path.read_text(encoding="utf-8"), Path(folder)), encoding="utf-8")
