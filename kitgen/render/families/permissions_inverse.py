"""Permissions of roles: from policy rules and spec shorthand to one resource each, and back.

The normal form is `group/resource`, `group/resource[name]` or `/url` → verbs, sorted, separated by a space.
Permissions that the kit's own rules refuse as mistakes are recognised here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from kitgen.findings import Origin, Severity
from kitgen.kit.model import ComponentPart, Layer, SectionItem
from kitgen.kit.permissions import check_permissions
from kitgen.kube.rbac.rules import WORDS, format_verbs, parse_permission
from kitgen.render.inverse import TreeObjects
from kitgen.text.patterns import compile_late
from kitgen.text.values import group_pairs, list_at, map_at
from kitgen.text.yaml import Json

GROUP, RESOURCE = compile_late(r"[a-z0-9.*-]+"), compile_late(r"[a-z0-9*./-]+")
ONLY, URL, VERB = compile_late(r"[a-z0-9.:-]+"), compile_late(r"/[!-z|}~]*"), compile_late(r"[a-z*]+")
MOST = 20_000
"""How many permissions a role may have that is written in the shorthand."""
WIDTH = 100
"""How long a line with verbs may be."""


def parse_policy_rules(rules: Json) -> dict[str, str] | None:
    """Return what policy rules grant; None if the shorthand cannot say it exactly."""
    found: list[tuple[str, list[str]]] = []
    size = 0
    for rule in list_at(rules):
        if (lists := _parse_rule(rule)) is None:
            return None
        groups, resources, names, urls, verbs = lists
        size += len(groups) * len(resources) * max(1, len(names)) + len(urls)
        if size > MOST or not _has_shorthand(groups, resources, names, urls, verbs):
            return None
        keys = (
            f"{group or 'core'}/{resource}{f'[{name}]' if name else ''}"
            for group, resource, name in product(groups, resources, names or [""])
        )
        found += [(key, verbs) for key in (*keys, *urls)]
    return merge_grants(found) or None


def _parse_rule(rule: Json) -> list[list[str]] | None:
    """Return the lists of a rule; None if it has anything else."""
    keys = ("apiGroups", "resources", "resourceNames", "nonResourceURLs", "verbs")
    if not isinstance(rule, dict) or not rule.keys() <= {*keys}:
        return None
    found = [rule.get(key) or [] for key in keys]
    fine = all(isinstance(each, list) and all(isinstance(one, str) for one in each) for each in found)
    return found if fine else None


def _has_shorthand(
    groups: list[str], resources: list[str], names: list[str], urls: list[str], verbs: list[str]
) -> bool:
    """Return whether a rule is for resources or for URLs, and all of its words fit the shorthand."""
    if not verbs or not all(VERB.fullmatch(verb) and verb not in WORDS for verb in verbs):
        return False
    if urls:
        return not (groups or resources or names) and all(URL.fullmatch(url) for url in urls)
    return bool(
        groups
        and resources
        and all(not group or (GROUP.fullmatch(group) and group != "core") for group in groups)
        and all(RESOURCE.fullmatch(each) for each in resources)
        and all(ONLY.fullmatch(name) for name in names)
    )


def normalize_permissions(permissions: Json) -> dict[str, str]:
    """Turn the shorthand into the normal form."""
    return merge_grants(
        (one, expand_verbs(verbs))
        for key, verbs in map_at(permissions).items()
        for one in expand_permission_key(key)
    )


def merge_grants(grants: Iterable[tuple[str, Iterable[str]]]) -> dict[str, str]:
    """Return what is granted, each resource once with all of its verbs."""
    found: dict[str, set[str]] = {}
    for key, verbs in grants:
        found.setdefault(key, set()).update(verbs)
    return {key: " ".join(sorted(verbs)) for key, verbs in found.items()}


def expand_permission_key(key: str) -> list[str]:
    """Return what a key of the shorthand is for, one resource and one name each."""
    rule = parse_permission(key, "")
    if "nonResourceURLs" in rule:
        return [key]
    group = rule["apiGroups"][0] or "core"
    names = [f"[{name}]" for name in rule.get("resourceNames", ())] or [""]
    return [f"{group}/{resource}{name}" for resource, name in product(rule["resources"], names)]


def expand_verbs(words: Json) -> list[str]:
    """Return the verbs that words of the shorthand stand for."""
    return [*parse_permission("/", words)["verbs"]] if isinstance(words, str) else []


def to_permission_shorthand(permissions: Mapping[str, str]) -> dict[str, str]:
    """Write the normal form in the shorthand: resources of a group with the same verbs share a line."""
    urls = {key: verbs for key, verbs in sorted(permissions.items()) if key.startswith("/")}
    return {**dict(_group_resources(permissions)), **urls}


def _group_resources(permissions: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield lines for resources, in order."""
    some = {key: verbs for key, verbs in permissions.items() if not key.startswith("/")}
    parts = ((*key.removesuffix("]").partition("["), verbs) for key, verbs in some.items())
    only = group_pairs(((path, bracket, verbs), name) for path, bracket, name, verbs in parts)
    shared: dict[tuple[str, str, str], list[str]] = {}
    for (path, bracket, verbs), names in only.items():
        group, _, resource = path.partition("/")
        end = f"[{','.join(sorted(names))}]" if bracket else ""
        shared.setdefault((group, end, verbs), []).append(resource)
    units = [
        # All groups, the core group, the others, each by the first resource.
        (group != "*", group != "core", group, unit[0], end, format_verbs(verbs.split()), unit)
        for (group, end, verbs), resources in shared.items()
        for unit in _group_subresources(group, resources, end, format_verbs(verbs.split()))
    ]
    for _, _, group, _, end, words, unit in sorted(units):
        for part in _split_lines(unit, WIDTH - len(f"{group}/{end}: {words}")):
            yield f"{group}/{','.join(part)}{end}", words


def _group_subresources(group: str, resources: list[str], end: str, words: str) -> list[list[str]]:
    """Return what shares a line: all of it if that is short, else each kind of subresource by itself."""
    found = sorted(resources, key=lambda each: (each.partition("/")[2], each))
    if len(f"{group}/{','.join(found)}{end}: {words}") <= WIDTH:
        return [found]
    return [*group_pairs((each.partition("/")[2], each) for each in found).values()]


def _split_lines(resources: list[str], width: int) -> Iterator[list[str]]:
    """Yield resources in lines that are no longer than they may be, if possible."""
    part: list[str] = []
    for each in resources:
        if part and len(",".join((*part, each))) > width:
            yield part
            part = []
        part.append(each)
    yield part


def has_permission_errors(scene: TreeObjects, permissions: dict[str, str]) -> bool:
    """Return whether the kit would find an error in permissions, such as a singular for a plural."""
    layer = Layer(data={"permissions": permissions}, origin=Origin(""))
    part = ComponentPart({"roles": (SectionItem(name="role", layers=(layer,)),)})
    found = check_permissions([part], scene.apis) if scene.apis else ()
    return any(each.severity is Severity.ERROR for each in found)
