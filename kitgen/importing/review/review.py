"""Collect what a person should review after an import: what is new, and what only people know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from textwrap import wrap

from kitgen.compare.bundled_versions import carried_choice
from kitgen.findings import Finding
from kitgen.importing.crds import ImportedDeclarations
from kitgen.importing.request import ImportRequest, ReviewItem
from kitgen.importing.review import access, admission, pods
from kitgen.importing.review.sides import Told, TreePair, TreeSide
from kitgen.importing.spec import Spec
from kitgen.importing.target_checks import VersionChecks
from kitgen.kit.model import Component
from kitgen.kube.definitions import spans
from kitgen.workspace.kit import Opened

WIDTH = 94
"""How long a line is that lists names; the summary indents it."""
HOLD = "\N{NO-BREAK SPACE}"
NAMES = (access.GIVEN, access.TAKEN, admission.CHANGED)
"""Titles below which names stand, several in a line."""


def looks(
    pairs: Sequence[TreePair],
    spec: Spec,
    declared: ImportedDeclarations,
    fields: Iterable[str],
    checks: VersionChecks,
    needed: Sequence[str] = (),
    span: Sequence[str] = (),
) -> Iterator[ReviewItem]:
    """Yield everything that is worth a look, what matters most first."""
    # Of a new component, all permissions and webhooks are new.
    asked = (access, admission, pods) if any(each.before for each in pairs) else (pods,)
    told = {
        **{title: lines for each in asked for title, lines in _told(pairs, each.differences).items()},
        "configuration fields that config.yaml did not know (their types are guesses)": [
            *dict.fromkeys(fields)
        ],
        "images that no object of the trees names, now in runtimeImages": [
            f"{name}: {each['image']}" for name, each in spec.data.get("runtimeImages", {}).items()
        ],
        "reasons that are missing": [*dict.fromkeys(_reasons(spec))],
        "CRDs of components that this one carries, in a form that the kit does not have": [
            f"{crd}: import that one first, with kitgen import REAL --as {name}@VERSION"
            for name, crd in declared.missing
        ],
        "versions that a release with this one needs": [*dict.fromkeys(needed)],
        "what kitgen check will say": [*dict.fromkeys(check_line(*each) for each in checks.findings)],
        "minors of Kubernetes that it runs on": span,
    }
    yield from (ReviewItem(title=title, lines=tuple(some)) for title, some in told.items() if some)


def carried_lines(
    opened: Opened, who: str, component: Component, fits: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Yield versions of what a component carries that the release of a target does not have."""
    for name, (before, version) in carried_choice(opened, who, component, fits).items():
        pinned = f"; {who} pins {opened.target(who).release}, with {before or 'none'}" if who else ""
        yield f"{name} {version}, or another version with the same CRDs{pinned}"


def range_lines(checks: VersionChecks, minors: Iterable[int], request: ImportRequest) -> Sequence[str]:
    """Return what a version needs of clusters, and where to say it."""
    key = f'clusters: "{checks.range}"'
    where = f"{request.folder}/component.yaml"
    return [
        f"{checks.range}, and the kit is for {spans(minors)}: write {key} into {where}, as --clusters does"
    ]


def check_line(finding: Finding, whos: Sequence[str]) -> str:
    """Return what `kitgen check` finds as one line, with the targets if it is not all of them."""
    line = f":{finding.origin.line}" if finding.origin.line else ""
    hint = f" (hint: {finding.hint})" if finding.hint else ""
    only = f" [{', '.join(whos)}]" if whos else ""
    place = f"{finding.origin.file}{line}"
    return f"{finding.severity}: {place}: {finding.rule.id}: {finding.message}{only}{hint}"


def _told(pairs: Sequence[TreePair], ask: Callable[[TreeSide, TreeSide], Told]) -> dict[str, list[str]]:
    """Collect the differences of every tree; those that are not shared by all name their trees."""
    titles: dict[str, dict[str, dict[str, list[str]]]] = {}
    for pair in pairs:
        for title, lines in ask(pair.before or TreeSide(), pair.now).items():
            heads = titles.setdefault(title, {})
            for head, line in dict.fromkeys(lines):
                heads.setdefault(head, {}).setdefault(line, []).append(pair.who or "by itself")
    return {
        title: [line for head in sorted(heads) for line in _block(title, head, heads[head], len(pairs))]
        for title, heads in titles.items()
    }


def _block(title: str, head: str, found: Mapping[str, Sequence[str]], every: int) -> list[str]:
    """Return the lines below a head; if all are of the same targets, the head says of which."""
    ends = {line: ("" if len(some) == every else f" ({', '.join(some)})") for line, some in found.items()}
    same = {*ends.values()}
    end = same.pop() if head and len(same) == 1 else ""
    below = [line if end else f"{line}{each}" for line, each in ends.items()]
    if not head:
        return below
    return [f"{head}{end}:", *(f"  {line}" for line in (_folded(below) if title in NAMES else below))]


def _folded(names: Iterable[str]) -> list[str]:
    """Return names in lines of several; none of them is torn apart."""
    text = ", ".join(name.replace(" ", HOLD) for name in names)
    lines = wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
    return [line.replace(HOLD, " ") for line in lines]


def _reasons(spec: Spec) -> Iterator[str]:
    """Yield the features that say no reason, which only people know."""
    for name, feature in spec.data.get("features", {}).items():
        if feature.get("about") == "":
            yield f"about of the feature {name}, which wants a better name too"
