"""Report an import: the files, how close they come to the trees, and what to review."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.compare.report import differences
from kitgen.importing.request import ImportResult, VerifiedTree
from kitgen.text.unified_diff import TextDiffs
from kitgen.text.wording import escape_unprintable, format_count

FULL = ("component.yaml", "config.yaml")
"""Files of which a plan shows every line."""
NO_END = "\\ No newline at end of file"


def render_plan(made: ImportResult) -> str:
    """Return what would be written: specs in full, of other files what changes, of CRDs how long they are."""
    parts = []
    for path, text in sorted(made.texts.items()):
        if path in made.before:
            old, new = made.before[path].splitlines(keepends=True), text.splitlines(keepends=True)
            lines = TextDiffs().diff_lines(old, new, path, path, end="\n")
            parts.append("".join(line if line.endswith("\n") else f"{line}\n{NO_END}\n" for line in lines))
        elif path.rpartition("/")[2] in FULL:
            parts.append(f"==> {path}\n{text}")
        else:
            parts.append(f"==> {path}, {format_count(text.count(chr(10)), 'line')}\n")
    return "".join(f"{part}\n" for part in parts)


def render_report(made: ImportResult) -> str:
    """Return the summary."""
    request = made.request
    what = f"{request.component}@{request.version}"
    would = "would be " if request.dry_run else ""
    lines = [f"{what} from {made.older}" if made.older else what]
    if made.asked and not made.older:
        lines = [f"{what}, written out: the trees are too different to be said as changes of {made.asked}"]
    for path, text in sorted(made.texts.items()):
        state = "changed" if path in made.before else "new"
        lines.append(f"  {would}{state}: {path}, {format_count(text.count(chr(10)), 'line')}")
    for each in made.verified:
        lines += _describe_tree(each)
    if made.looks:
        lines.append("look at:")
    for look in made.looks:
        lines += [f"  {look.title}:", *(f"    {line}" for line in look.lines)]
    return _join_lines(lines)


def render_differences(made: ImportResult) -> str:
    """Return the differences that are left, the errors, and nothing else."""
    lines = [line for each in made.verified if each.comparison.differences for line in _describe_tree(each)]
    return _join_lines([*lines, *made.errors])


def _join_lines(lines: Iterable[str]) -> str:
    return "".join(f"{escape_unprintable(line)}\n" for line in lines)


def _describe_tree(each: VerifiedTree) -> Iterator[str]:
    """Yield how near the spec comes to a tree, and what is different."""
    whose = f"target {each.who}" if each.who else "the component itself"
    share = f"{each.families} of {format_count(each.objects, 'object')} from families"
    found = each.comparison
    because = f", {each.because}" if each.because else ""
    carried = "".join(f", with {name} {version}" for name, version in each.carried)
    yield f"{each.name} as {whose}{because}{carried}: {differences.format_summary(found)}; {share}"
    if found.differences:
        text = differences.as_text(found, [None] * len(found.differences), {}, lambda _: None)
        yield from (f"  {line}" for line in text.splitlines())
