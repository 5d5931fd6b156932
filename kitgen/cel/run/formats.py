"""Named formats and semantic versions in CEL."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from kitgen.cel.run.functions import register_function, register_functions
from kitgen.cel.run.values import KINDS, OptionalValue, Take, require
from kitgen.kube.names import is_qualified_name
from kitgen.text.formats import matches_format
from kitgen.text.patterns import compile_late

LABEL, NAME = "[a-z0-9]([-a-z0-9]*[a-z0-9])?", "[a-z]([-a-z0-9]*[a-z0-9])?"
WORD = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?"
NUMBER = "(0|[1-9][0-9]{0,18})"
PRE = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
VERSION = compile_late(
    rf"{NUMBER}\.{NUMBER}\.{NUMBER}(?:-({PRE}(?:\.{PRE})*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
)


def _build_matcher(pattern: str, longest: int) -> Callable[[str], bool]:
    form = compile_late(pattern)
    return lambda text: len(text) <= longest and form.fullmatch(text) is not None


def _build_prefix_matcher(fits: Callable[[str], bool]) -> Callable[[str], bool]:
    """Return whether a text may start what fits: a dash at the end is no fault."""
    return lambda text: fits(f"{text[:-1]}a" if text.endswith("-") else text)


label, name = _build_matcher(LABEL, 63), _build_matcher(NAME, 63)
subdomain = _build_matcher(rf"{LABEL}(\.{LABEL})*", 253)
FORMATS: dict[str, Callable[[str], bool]] = {
    "dns1123Label": label,
    "dns1123Subdomain": subdomain,
    "dns1035Label": name,
    "qualifiedName": is_qualified_name,
    "dns1123LabelPrefix": _build_prefix_matcher(label),
    "dns1123SubdomainPrefix": _build_prefix_matcher(subdomain),
    "dns1035LabelPrefix": _build_prefix_matcher(name),
    "labelValue": _build_matcher(WORD, 63),
    "uri": lambda text: matches_format("uri", text),
    "uuid": lambda text: matches_format("uuid", text),
    "byte": lambda text: matches_format("byte", text),
    "date": lambda text: matches_format("date", text),
    "datetime": lambda text: matches_format("datetime", text),
}


class Format(Struct, frozen=True):
    """A form of texts that has a name."""

    name: str


class Semver(Struct, frozen=True):
    """A semantic version; what was built does not count."""

    release: tuple[int, ...]
    pre: tuple[tuple[bool, int, str], ...]

    @property
    def key(self) -> tuple[tuple[int, ...], bool, tuple[tuple[bool, int, str], ...]]:
        """Return what versions are in order of."""
        return self.release, not self.pre, self.pre


KINDS.update({Format: "format", Semver: "semver"})
for _name in FORMATS:
    register_function(f"format.{_name} -> format")(lambda name=_name: Format(name))


def _parse_semver(take: Take, text: str, lenient: bool) -> Semver | None:
    take(len(text))  # every other character may be a part of its own
    if lenient:
        parts = [re.sub(r"^0+(?=[0-9])", "", part) for part in text.removeprefix("v").split(".", 2)]
        if len(parts) < 3 and re.search(r"[-+]", parts[-1]):
            return None
        text = ".".join([*parts, *["0"] * (3 - len(parts))])
    match = VERSION.fullmatch(text) if len(text) < 1000 else None
    if match is None:
        return None
    pre = tuple(
        (not part.isdigit(), int(part[:50]) if part.isdigit() else 0, part)
        for part in (match[4] or "").split(".")
        if part
    )
    return Semver(tuple(int(match[at]) for at in (1, 2, 3)), pre)


@register_function("semver string -> semver", "semver string bool -> semver", metered=True)
def _require_semver(take: Take, text: str, lenient: bool = False) -> Semver:
    return require(_parse_semver(take, text, lenient), "invalid semantic version")


@register_function("isSemver string -> bool", "isSemver string bool -> bool", metered=True)
def _is_semver(take: Take, text: str, lenient: bool = False) -> bool:
    return _parse_semver(take, text, lenient) is not None


register_functions(
    {
        "format.named string -> optional": lambda text: OptionalValue(
            (Format(text),) if text in FORMATS else ()
        ),
        ".validate format string -> optional": lambda form, text: OptionalValue(
            () if FORMATS[form.name](text) else ([f"must be a {form.name}"],)
        ),
        ".major semver -> int": lambda version: version.release[0],
        ".minor semver -> int": lambda version: version.release[1],
        ".patch semver -> int": lambda version: version.release[2],
        ".isGreaterThan semver semver -> bool": lambda one, other: one.key > other.key,
        ".isLessThan semver semver -> bool": lambda one, other: one.key < other.key,
        ".compareTo semver semver -> int": lambda one, other: (one.key > other.key) - (one.key < other.key),
    }
)
