"""Check rules and paths of webhooks: webhooks that are never called, or called where nothing answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, product

from kitgen.check.rbac.known_apis import KnownApis
from kitgen.findings import Path, Problem, get_rule, is_typo, make_problem
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.rules import ALL
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at, text_at, texts_at
from kitgen.text.wording import join_words, quote_text
from kitgen.text.yaml import JsonObject

UNKNOWN = get_rule("webhook-rule-unknown")
DOING = {"MutatingWebhookConfiguration": "mutate", "ValidatingWebhookConfiguration": "validate"}
CALLED: Path = ("clientConfig", "service", "path")
SCHEME = compile_late(r"/(mutate|validate)-(.+)\Z")
VERSION = compile_late(r"-v[0-9]+((alpha|beta)[0-9]+)?-")
ENDS = (("ies", "y"), ("es", ""), ("s", ""))
"""Of plurals and singulars."""
MANY = 100
"""Words of a rule, and paths, that are worth a look."""


def check_webhooks(manifests: Iterable[Manifest], known: KnownApis) -> Iterator[tuple[Manifest, Problem]]:
    """Yield what is wrong with the rules and paths of webhooks; those of specs are checked on reading."""
    called: list[tuple[Manifest, Path, str, set[str]]] = []
    hooks = (
        (manifest, ("webhooks", index), hook)
        for manifest in manifests
        if manifest.id.kind in DOING and manifest.find_source(("webhooks",)).verbatim
        for index, hook in entries_at(manifest.body, "webhooks")
    )
    for manifest, at, hook in hooks:
        rules = entries_at(hook, "rules")
        wrong = [
            fault.prefix_path(*at, "rules", index)
            for index, each in rules
            for fault in _check_rule(each, known)
        ]
        yield from ((manifest, fault) for fault in wrong)
        if (path := text_at(hook, *CALLED)) and not wrong:
            called.append((manifest, (*at, *CALLED), path, _list_path_names(hook, known)))
    objects = {each for *_, some in called for each in some}
    for manifest, where, path, own in called[:MANY]:
        doing = DOING[manifest.id.kind]
        if meant := _suggest_path(doing, path, own, objects):
            message = f"found the path {quote_text(path)}, expected that of what its rules name"
            yield manifest, make_problem("webhook-path", message, where, f"did you mean '/{doing}-{meant}'?")


def _list_rule_values(rule: JsonObject) -> Iterator[list[str]]:
    """Yield the groups, versions and resources of a rule, as far as they are worth a look."""
    yield from (texts_at(rule, key)[:MANY] for key in ("apiGroups", "apiVersions", "resources"))


def _check_rule(rule: JsonObject, known: KnownApis) -> Iterator[Problem]:
    groups, versions, resources = _list_rule_values(rule)
    for at, group in enumerate(groups):
        if word := known.check_group(group):
            message = f"found the API group {word.what}, which neither Kubernetes nor a CRD here has"
            yield UNKNOWN(message, ("apiGroups", at), word.hint)
    if not groups or not all(map(known.is_known_group, groups)):
        return
    names = []
    for at, resource in enumerate(resources):
        name, _, part = resource.partition("/")
        words = [known.check_resource(group, name if part == ALL else resource) for group in groups]
        if all(words):
            message = f"found the resource {quote_text(resource)}, which its group does not have"
            hint = next((each.hint for each in words if each and each.hint), "")
            yield UNKNOWN(message, ("resources", at), hint)
        elif name != ALL:
            names.append(name)
    kinds = (kind for group in groups for kind in known.apis.kinds(group))
    there = sorted(
        {each.version for each in kinds if known.apis.names.plural(each.group, each.kind) in names}
    )
    if versions and there and not {ALL, *there} & {*versions}:
        message = (
            f"found the version {quote_text(versions[0])}, which {join_words(names, last='and')} "
            "does not have"
        )
        yield UNKNOWN(message, ("apiVersions", 0), f"there is {join_words(there, last='and')}")


def _list_path_names(hook: JsonObject, known: KnownApis) -> set[str]:
    """Return what a webhook is called for, in the words of paths; nothing if it is for all of a sort."""
    rules = [[*_list_rule_values(each)] for _, each in entries_at(hook, "rules")]
    if any(ALL in word for words in chain(*rules) for word in words):
        return set()
    return {
        f"{group.replace('.', '-')}-{version}-{singular}"
        for words in rules
        for group, version, resource in product(*words)
        for singular in _find_singulars(group, resource.partition("/")[0], known)
    }


def _find_singulars(group: str, resource: str, known: KnownApis) -> list[str]:
    """Return the singular of a resource; by the usual plural, if unknown."""
    return [one for one, many in known.apis.resources(group).items() if many == resource and one != many] or [
        resource.removesuffix(end) + last for end, last in ENDS if resource.endswith(end)
    ]


def _suggest_path(doing: str, path: str, own: set[str], others: set[str]) -> str:
    """Return what a path is meant for, if it surely is for something else; empty if unknown."""
    if not (match := SCHEME.match(path)) or not own:
        return ""
    verb, what = match.groups()
    if what in own:
        return what if verb != doing else ""
    if what in others:
        return min(own)
    plain = VERSION.sub("-", what)
    return next((each for each in sorted(own) if is_typo(what, each) or VERSION.sub("-", each) == plain), "")
