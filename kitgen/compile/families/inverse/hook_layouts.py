"""How a real tree lays its admission webhooks out: their Service, their names, and their configurations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from kitgen.compile.bare import is_text
from kitgen.compile.families.inverse.running import mapping, maps
from kitgen.compile.families.webhooks import SERVICE, TASKS
from kitgen.compile.inverse import Scene
from kitgen.compile.webhook_kinds import KIND
from kitgen.objects import ObjectId
from kitgen.yamlio import Json, JsonObject

GROUP = "admissionregistration.k8s.io"
PATH = re.compile(r"/(?:mutate|validate)-.*-v[0-9][0-9a-z]*-([a-z][a-z0-9]*)")
Configurations = dict[ObjectId, JsonObject]


class Hook(Struct, frozen=True, kw_only=True):
    """What a webhook is for, and the parts of it that a spec may say."""

    kind: str
    """As group/version/Kind."""
    domain: str
    name: str
    """What its name ends in, which is the same for both sorts."""
    resources: list[Json] | None
    """None if they are those of the kind."""
    operations: list[Json] | None
    """None if they are the usual ones."""
    own: JsonObject
    """Its name and its path, where they are not those that the layout gives it."""
    rest: JsonObject


class Layout(Struct, frozen=True, kw_only=True):
    """What all webhooks of a tree have in common."""

    service: str
    """The name in full of the Service that they are called by."""
    names: Mapping[str, str]
    """Task → what webhooks are called, if that is not as kubebuilder does; `*` is the kind."""
    configurations: Mapping[str, str]
    """Task → the name in full of their configuration, if it is not the usual one; `*` is the kind."""
    known: Mapping[str, Configurations]
    """Task → the configurations that may be the family's."""

    def holds(self, task: str, configuration: str, hook: Hook) -> bool:
        """Tell whether the family puts a webhook into a configuration."""
        word = hook.name.partition(".")[0]
        return self.configurations.get(task, configuration).replace(KIND, word) == configuration


def layout_of(scene: Scene) -> Layout | None:
    """Return how webhooks are laid out; None if there are none, or others serve them."""
    known = {task: _configurations(scene, kind) for task, (kind, _, _) in TASKS.items()}
    hooks = [hook for some in known.values() for body in some.values() for hook in maps(body.get("webhooks"))]
    services = Counter(name for hook in hooks if (name := service_of(hook)))
    usual = f"{scene.prefix}{SERVICE}"
    service = max(services, key=lambda name: (services[name], name == usual), default="")
    if not scene.short(service):
        return None
    named: dict[str, str] = {}
    placed: dict[str, str] = {}
    for task, (_, name, _) in TASKS.items():
        if pattern := _names(task, known[task]):
            named[task] = pattern
        if known[task] and f"{scene.prefix}{name}" not in {at.name for at in known[task]}:
            placed[task] = _placed(known[task])
        else:
            known[task] = {at: each for at, each in known[task].items() if at.name == f"{scene.prefix}{name}"}
    return Layout(service=service, names=named, configurations=placed, known=known)


def service_of(hook: JsonObject) -> str:
    """Return the Service that a webhook is called by; empty if it is called in another way."""
    name = mapping(mapping(hook.get("clientConfig")).get("service")).get("name")
    return name if isinstance(name, str) else ""


def word_in(hook: JsonObject) -> str:
    """Return the kind, in lower case, that a webhook's path is for; empty if it is no usual path."""
    path = mapping(mapping(hook.get("clientConfig")).get("service")).get("path")
    match = PATH.fullmatch(path) if isinstance(path, str) else None
    return match[1] if match else ""


def _configurations(scene: Scene, kind: str) -> Configurations:
    """Return the configurations of a sort that hold webhooks."""
    return {
        at: body
        for at, body in scene.objects.items()
        if (at.group, at.kind) == (GROUP, f"{kind}WebhookConfiguration")
        if maps(body.get("webhooks")) and is_text(at.name) and KIND not in at.name
    }


def _names(task: str, known: Configurations) -> str:
    """Return what most webhooks of a task are called; empty if that is as kubebuilder does."""
    found: Counter[str] = Counter()
    for hook in (hook for body in known.values() for hook in maps(body["webhooks"])):
        name, word = hook.get("name"), word_in(hook)
        if isinstance(name, str) and word and is_text(name) and KIND not in name:
            usual = name.partition(".")[0] == f"{task[0]}{word}"
            found["" if usual else name.replace(word, KIND, 1)] += 1
    best = max(found, key=lambda each: (found[each], not each), default="")
    return best if KIND in best and 2 * found[best] >= found.total() else ""


def _placed(known: Configurations) -> str:
    """Return what configurations are called: alike but for the kind, or as the one with most webhooks."""
    found: Counter[str] = Counter()
    for at, body in known.items():
        words = {word for hook in maps(body["webhooks"]) if (word := word_in(hook))}
        if len(words) == 1 and (word := words.pop()) in at.name:
            found[at.name.replace(word, KIND, 1)] += 1
    if found and (len(known) > 1 or KIND in next(iter(found))):
        return max(found, key=lambda each: found[each])
    return max(known, key=lambda at: len(maps(known[at]["webhooks"]))).name


def common(hooks: Iterable[JsonObject]) -> Iterator[tuple[str, Json]]:
    """Yield what all webhooks say alike: the versions of AdmissionReview that they read, and a CA."""
    some = list(hooks)
    versions = [hook.get("admissionReviewVersions") for hook in some]
    known = (["v1beta1"], ["v1", "v1beta1"], ["v1beta1", "v1"])
    if versions and versions[0] in known and all(each == versions[0] for each in versions):
        yield "reviewVersions", versions[0]
    bundles = [mapping(hook.get("clientConfig")).get("caBundle") for hook in some]
    if bundles and is_text(bundles[0]) and all(each == bundles[0] for each in bundles):
        yield "caBundle", bundles[0]
