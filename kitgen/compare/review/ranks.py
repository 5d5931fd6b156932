"""Rank a change of an image: another version of it, or another image.

Tell whether a pod may do more on its node, where the Pod Security Standards say nothing new.

Rank a change of what leads to a service from outside, and of whom it trusts on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kitgen.compare.objects.difference import ABSENT, Found
from kitgen.findings import Path
from kitgen.text.wording import text_of


def image_rule(was: Found, now: Found) -> str:
    """Return what another reference to an image means."""
    if not isinstance(was, str) or not isinstance(now, str):
        return "image-changed"
    if _repository(was) != _repository(now):
        return "image-source"
    return "image-unpinned" if "@" in was and "@" not in now else "image-changed"


def _repository(image: str) -> str:
    """Return an image without its tag and digest, as long names have it."""
    name = image.partition("@")[0]
    head, slash, last = name.rpartition("/")
    path = f"{head}{slash}{last.partition(':')[0]}"
    first = path.partition("/")[0]
    if "/" not in path:
        return f"docker.io/library/{path}"
    return path if "." in first or ":" in first or first == "localhost" else f"docker.io/{path}"


LISTS = ("containers", "initContainers", "ports", "volumes")


def is_weaker(inside: Path, was: Found, now: Found) -> bool:
    """Tell whether a difference in a pod, at a place below it, lets it do more."""
    if was == now or (now is ABSENT and _is_item(inside)):
        return False
    return any(_weaker(path, *both) for path, *both in _leaves(inside, was, now))


def _is_item(path: Path) -> bool:
    """Tell whether a place is an item of a list, or where one was."""
    return any(isinstance(each, int) or each in LISTS for each in path[-1:])


def _leaves(path: Path, was: Found, now: Found) -> Iterator[tuple[Path, Found, Found]]:
    """Yield the fields of what came, went or changed as a whole; lists are looked at as they are."""
    sides = [each if isinstance(each, Mapping) else {} for each in (was, now)]
    yield path, was, now
    for key in sorted(sides[0].keys() | sides[1].keys()):
        yield from _leaves((*path, key), sides[0].get(key, ABSENT), sides[1].get(key, ABSENT))


def _weaker(path: Path, was: Found, now: Found) -> bool:
    match path:
        case (*_, "capabilities", "add"):
            return bool(_words(now) - _words(was))
        case (*_, "capabilities", "drop"):
            return bool(_words(was) - _words(now))
        case (*_, "securityContext", "readOnlyRootFilesystem"):
            return was is True and now is not True
        case ("spec", "shareProcessNamespace"):
            return now is True
        case ("spec", "hostUsers"):
            return was is False and now is not False
        case (*_, "ports", _, "hostPort"):
            return now not in (ABSENT, None, 0)
        case (*_, "volumes", _, "hostPath", "path"):
            return now is not ABSENT
    return False


def _words(value: Found) -> set[str]:
    return {str(each) for each in value} if isinstance(value, list) else set()


BLIND = ("insecureSkipTLSVerify", "insecureSkipVerify")
"""Fields by which a certificate is taken without a look."""
OPEN = "Allow"
TLS = ("spec", "tls")


def is_blind(path: Path, now: Found) -> bool:
    """Tell whether certificates are no longer looked at."""
    if path[-1:] and path[-1] in BLIND:
        return now is True
    return isinstance(now, Mapping) and any(now.get(each) is True for each in BLIND)


def route_rule(path: Path, was: Found, now: Found) -> str:
    """Return what a difference in an Ingress or a Route means."""
    if path == TLS and now is ABSENT:
        return "transport-weaker"
    if path == (*TLS, "insecureEdgeTerminationPolicy") and now == OPEN:
        return "transport-weaker"
    if path == (*TLS, "termination") and now == "edge":
        return "transport-weaker"
    if path[-1:] and path[-1] in ("host", "path") and was is not ABSENT:
        return "address-gone"
    if path == ("spec", "rules") and _hosts(was) - _hosts(now):
        return "address-gone"
    return "field-changed"


def _hosts(rules: Found) -> set[str]:
    items = rules if isinstance(rules, list) else []
    return {text_of(each.get("host", "")) for each in items if isinstance(each, dict)}
