"""The parts of a pod that are looked at, and reasons why they break a level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kitgen.check.index import below, entries
from kitgen.findings import Path
from kitgen.schema.wording import choice, cut
from kitgen.yamlio import Json, JsonObject

CONTAINERS = ("initContainers", "containers", "ephemeralContainers")


class Reason(NamedTuple):
    """Why a pod breaks a level of the standard."""

    path: Path
    """The field, from where the pod starts."""
    said: str


class Part(NamedTuple):
    """A container."""

    path: Path
    name: str
    body: JsonObject

    def get(self, *path: str) -> Json:
        """Return a field of its security context."""
        return below(self.body, "securityContext", *path)

    @property
    def context(self) -> Path:
        """Return the path of its security context, or its own if it has none."""
        has = isinstance(self.body.get("securityContext"), dict)
        return (*self.path, "securityContext") if has else self.path

    def at(self, *path: str | int) -> Path:
        """Return the path of a field of its security context."""
        return (*self.path, "securityContext", *path)


def parts(spec: JsonObject) -> list[Part]:
    """Return all containers of a pod."""
    return [
        Part(("spec", key, index), str(body.get("name", index)), body)
        for key in CONTAINERS
        for index, body in entries(spec, key)
    ]


def grouped(found: Sequence[tuple[Part, Path]], said: str) -> Iterator[Reason]:
    """Yield one reason for all containers that something is true of."""
    if found:
        yield Reason(found[0][1], f"{said} {named([part for part, _ in found])}")


def named(some: Sequence[Part]) -> str:
    """Name containers."""
    names = choice([cut(each.name) for each in some], last="and", most=4)
    return f"in the container{'s' if len(some) > 1 else ''} {names}"


def is_windows(spec: JsonObject) -> bool:
    """Tell whether a pod says that it is for Windows."""
    return bool(below(spec, "os", "name") == "windows")


def words(values: Json) -> list[tuple[int, str]]:
    """Return the texts in a list, with their places."""
    items = values if isinstance(values, list) else ()
    return [(index, each) for index, each in enumerate(items) if isinstance(each, str)]


def has_own_users(spec: JsonObject, minor: int) -> bool:
    """Tell whether root in a pod is nobody on its host, which the standard counts since 1.35."""
    return minor >= 35 and spec.get("hostUsers") is False


def unmasked(some: Sequence[Part]) -> Iterator[Reason]:
    """Yield containers that see more of /proc than usual."""
    for part in some:
        mount = part.get("procMount")
        if isinstance(mount, str) and mount != "Default":
            yield Reason(part.at("procMount"), f"procMount {cut(mount)}")
            return
