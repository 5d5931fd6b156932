"""Edit the file of a target that moves to another release, and no other byte of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kitgen.findings import AcceptedException, Finding, Origin, make_problem
from kitgen.findings.errors import FindingsError
from kitgen.kit.model import Target
from kitgen.text.semver import version_key
from kitgen.text.yaml import JsonObject, read_yaml
from kitgen.text.yaml.edits import SpliceError, drop_item, put_entry, put_items, put_value

RELEASE, RELEASES, EXCEPTIONS = "release", "releases", "exceptions"


def file_of(target: Target) -> str:
    """Return the file that a target itself is in, whatever else says of it."""
    return f"targets/{target.name}.yaml"


def report_uneditable(target: Target, message: str, hint: str) -> Finding:
    """Return that the file of a target cannot be changed."""
    return make_problem("pin-file", message, hint=hint).to_finding(Origin(file_of(target), (), 1))


def edit_pinned_release(text: str, target: Target, version: str) -> str:
    """Return the file of a target that pins another release, and ships it where it lists what it ships.

    What it accepted of a move to any other release is over, and goes.
    """

    def edited() -> str:
        own = read_yaml(text)
        changed = put_value(text, RELEASE, version, below="from" if "from" in own else "target")
        if target.releases and version not in target.releases:
            changed = _insert_release(changed, own, target.releases, version)
        items = list(enumerate(own.get(EXCEPTIONS, ())))
        for at in reversed([index for index, each in items if each["to"] != version]):
            changed = drop_item(changed, EXCEPTIONS, at)
        return changed

    return _apply_edit(edited, target)


def _insert_release(text: str, own: JsonObject, listed: Sequence[str], version: str) -> str:
    """Put a release where it belongs in a list; one that comes from another target is written out."""
    newest_first = len(listed) > 1 and version_key(listed[0]) > version_key(listed[-1])
    before = (
        index
        for index, each in enumerate(listed)
        if (version_key(each) < version_key(version)) is newest_first and each != version
    )
    at = next(before, len(listed))
    if RELEASES in own:
        return put_items(text, RELEASES, [version], at=at)
    return put_entry(text, RELEASES, [*listed[:at], version, *listed[at:]], below=RELEASE)


def edit_exceptions(text: str, target: Target, accepted: Iterable[AcceptedException]) -> str:
    """Return the file of a target that accepts more of its move."""
    items = [_to_exception_entry(each) for each in accepted]
    if not items:
        return text
    if EXCEPTIONS in read_yaml(text):
        return _apply_edit(lambda: put_items(text, EXCEPTIONS, items), target)
    taken = [
        _to_exception_entry(each) for each in target.exceptions if each.after == target.release
    ]  # else they are lost
    return _apply_edit(lambda: put_entry(text, EXCEPTIONS, [*taken, *items], below=RELEASE), target)


def _to_exception_entry(each: AcceptedException) -> JsonObject:
    data: JsonObject = {"rule": each.rule, "from": each.before, "to": each.after, "reason": each.reason}
    return data | ({"expires": each.expires} if each.expires else {})


def _apply_edit(edit: Callable[[], str], target: Target) -> str:
    try:
        return edit()
    except SpliceError as error:
        found = report_uneditable(
            target,
            f"found {str(error)!r} in a layout in which it cannot be changed alone",
            "write it in a plainer way, without anchors",
        )
        raise FindingsError([found]) from error
