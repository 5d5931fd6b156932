"""Write the differences between what a kit builds and the real thing: as text, JSON or Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from kitgen.diff.change import Change
from kitgen.diff.objects import ABSENT, Comparison, Difference
from kitgen.findings import Origin, pointer
from kitgen.objects import ObjectId
from kitgen.report.changes import code, prose
from kitgen.report.changes import where as where_changed
from kitgen.report.documents import Form, document
from kitgen.report.lines import Read, with_lines
from kitgen.schema.secrets import HIDDEN, is_secretive, redacted
from kitgen.schema.wording import counted, cut, printable
from kitgen.yamlio import Json, JsonObject

CRD = "CustomResourceDefinition"
SCHEMA = "schema"
LONGEST = 100
SHOWN = 1_000
"""How many lines one object is worth."""
Origins = Sequence[Origin | None]
"""Of each difference where the specs say what it is about, or could say it, if they do."""


def as_text(
    found: Comparison, origins: Origins, changes: Mapping[str, tuple[Change, ...]], read: Read
) -> str:
    """Tell the differences object by object; schemas of CRDs as `crd diff` does."""
    lines: list[str] = []
    told = zip(found.differences, _places(origins, read), strict=True)
    for each, some in groupby(told, key=lambda item: item[0].object):
        here = list(some)
        if not here[0][0].field:
            side = "only in the kit" if here[0][0].right is ABSENT else "only in the real thing"
            lines.append(f"{_object(each)}: {side}{_at(here[0][1])}")
            continue
        lines.append(_object(each))
        below = list(_lines(here, changes.get(each.name, ()) if each.kind == CRD else ()))
        lines += [f"  {line}" for line in below[:SHOWN]]
        lines += [f"  and {len(below) - SHOWN} more"] if len(below) > SHOWN else []
    return "".join(f"{printable(line)}\n" for line in lines)


def summary(found: Comparison) -> str:
    """Count in one line."""
    count = counted(len(found.differences), "difference")
    return f"{counted(found.both, 'object')} in both, {count if found.differences else 'no differences'}"


def _lines(differences: list[tuple[Difference, str]], changes: Sequence[Change]) -> Iterator[str]:
    for each, place in differences:
        if not (changes and _in_schema(each)):
            yield f"{each.field}: {_values(each)}{_at(place)}"
    for change in changes:
        yield f"{where_changed(change).removeprefix(f'{each.object.name} ')}: {change.message}"


def _in_schema(difference: Difference) -> bool:
    """Tell whether it is about what a version of a CRD allows, which `crd diff` tells in fewer words."""
    match difference.path:
        case ("spec", "versions", int(), step, *_):
            return step == SCHEMA
    return False


def _object(each: ObjectId) -> str:
    return f"{each} in {each.namespace}" if each.namespace else str(each)


def _values(difference: Difference) -> str:
    left, right = _sides(difference)
    if difference.order:
        return f"the kit has {left}, the real thing has the order {right}"
    if difference.left is ABSENT:
        return f"only the real thing has {right}"
    if difference.right is ABSENT:
        return f"only the kit has {left}"
    return f"the kit has {left}, the real thing {right}"


def _sides(difference: Difference) -> tuple[str, str]:
    left, right = (_said(each) for each in safe(difference))
    return left, right


def _said(value: Json) -> str:
    if isinstance(value, str):
        return cut(value)
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def safe(difference: Difference) -> tuple[Json, Json]:
    """Return what the two sides have, without what may be a secret; None stands for nothing at all."""
    above: JsonObject = {"kind": difference.object.kind}
    hidden = is_secretive(difference.path, above) and difference.object.kind not in ("Role", "ClusterRole")
    found = [None if each is ABSENT else each for each in (difference.left, difference.right)]
    if hidden:
        plain = (each if isinstance(each, bool | None) else HIDDEN for each in found)
        left, right = plain
        return left, right
    return redacted(found[0]), redacted(found[1])


def _at(place: str) -> str:
    return f" ({place})" if place else ""


def _places(origins: Origins, read: Read) -> list[str]:
    return [_place(each) if each else "" for each in _lined(origins, read)]


def _lined(origins: Origins, read: Read) -> list[Origin | None]:
    lined = with_lines((each for each in origins if each), read)
    return [lined[each] if each else None for each in origins]


def _place(origin: Origin) -> str:
    return f"{origin.file}:{origin.line}" if origin.line else f"{origin.file} {pointer(origin.path)}".strip()


def as_json(found: Comparison, origins: Origins, read: Read) -> str:
    """Tell every difference to a program."""
    entries = map(_entry, found.differences, _lined(origins, read))
    counts = {"both": found.both, "differences": len(found.differences)}
    return document(Form.DIFFERENCES, summary=counts, differences=list(entries))


def _entry(each: Difference, origin: Origin | None) -> JsonObject:
    left, right = safe(each) if each.field else (None, None)
    return {
        "kind": each.object.kind,
        "group": each.object.group,
        "namespace": each.object.namespace or None,
        "name": each.object.name,
        "field": each.field or None,
        "pointer": pointer(each.path) if each.field else None,
        "inKit": each.left is not ABSENT,
        "inReal": each.right is not ABSENT,
        "kit": left,
        "real": right,
        "order": each.order,
        "file": origin.file if origin else None,
        "line": (origin.line or None) if origin else None,
        "specPointer": pointer(origin.path) if origin else None,
    }


def as_markdown(found: Comparison, origins: Origins, read: Read) -> str:
    """Tell the differences in a review: one table."""
    lines = [f"**{summary(found)}**"]
    if found.differences:
        lines += ["", "| object | field | kit | real | spec |", "|---|---|---|---|---|"]
        shown, places = found.differences[:SHOWN], _places(origins[:SHOWN], read)
        lines += list(map(_row, shown, places))
    if len(found.differences) > SHOWN:
        lines += ["", f"and {len(found.differences) - SHOWN} more"]
    return "".join(f"{line}\n" for line in lines)


def _row(each: Difference, place: str) -> str:
    left, right = _sides(each) if each.field else ("", "")
    sides = [
        prose("absent" if side is ABSENT else "there" if not each.field else said)
        for side, said in ((each.left, left), (each.right, right))
    ]
    cells = (code(_object(each.object)), code(each.field) if each.field else "", *sides, prose(place))
    return f"| {' | '.join(cells)} |"
