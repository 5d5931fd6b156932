"""Tell what an import made: the files, how near they come to the trees, and what to look at."""

from __future__ import annotations

from kitgen.pipeline.imports.request import Imported
from kitgen.report import differences
from kitgen.schema.wording import counted, printable


def plan(made: Imported) -> str:
    """Return the files that would be written."""
    return "".join(f"==> {path}\n{text}\n" for path, text in sorted(made.texts.items()))


def report(made: Imported) -> str:
    """Return the summary."""
    request = made.request
    what = f"{request.component}@{request.version}"
    lines = [f"{what} from {made.older}" if made.older else what]
    for path, text in sorted(made.texts.items()):
        lines.append(
            f"  {'new' if path in made.new else 'changed'} {path}, {counted(text.count(chr(10)), 'line')}"
        )
    for each in made.verified:
        whose = f"target {each.who}" if each.who else "the component itself"
        share = f"{each.families} of {counted(each.objects, 'object')} from families"
        lines.append(f"{each.name} as {whose}: {differences.summary(each.comparison)}; {share}")
        if each.comparison.differences:
            origins = [None] * len(each.comparison.differences)
            text = differences.as_text(each.comparison, origins, {}, lambda _: None)
            lines += [f"  {line}" for line in text.splitlines()]
    if made.looks:
        lines += ["look at:", *(f"  {line}" for line in made.looks)]
    if not request.dry_run:
        lines.append(_back(made))
    return "".join(f"{printable(line)}\n" for line in lines)


def _back(made: Imported) -> str:
    changed = [path for path in made.texts if path not in made.new]
    back = f"to take it back: rm -r {made.request.folder}"
    return f"{back} && git restore {' '.join(changed)}" if changed else back
