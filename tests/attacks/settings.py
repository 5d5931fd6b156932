"""Targets of about a megabyte that set very much of a component, and the components that have it."""

from __future__ import annotations

import json
from collections.abc import Callable

from payloads import HEAD, SIZE

CONTAINERS = 40


def variables() -> str:
    """Return a target that sets a thousand variables in each of many containers."""
    values = {f"V{number}": "x" for number in range(1_000)}
    env = {f"c{number}": values for number in range(CONTAINERS)}
    return HEAD + f"components: {{hello: {{env: {json.dumps(env)}}}}}\n"


def many_containers() -> str:
    """Return the component that has these containers."""
    containers = {f"c{number}": {"image": "manager"} for number in range(CONTAINERS)}
    deployment = {"name": "manager", "containers": containers}
    spec = {"component": "hello", "version": "v1.0.0", "kubernetes": "1.29", "prefix": "hello-"}
    images = {"manager": "quay.io/example/hello:v1.0.0"}
    return json.dumps({**spec, "namespace": "hello-system", "images": images, "deployment": deployment})


def merged_containers() -> str:
    """Return a target with a merge patch that brings thousands of containers."""
    containers = [{"name": f"c{number}", "image": "quay.io/a/b:v1"} for number in range(SIZE // 60)]
    patch = {"name": "p", "why": "because it is so", "object": "Deployment/hello-manager"}
    merge = {"spec": {"template": {"spec": {"containers": containers}}}}
    return HEAD + f"components: {{hello: {{patches: [{json.dumps({**patch, 'merge': merge})}]}}}}\n"


def configured(item: str) -> Callable[[], str]:
    """Return what makes a target that configures a list of one item, over and over."""
    return lambda: HEAD + f"components: {{hello: {{config: {{many: [{f'{item},' * 60_000}]}}}}}}\n"


def typed() -> str:
    """Return the type of such a list whose items require many fields."""
    names = [f"n{number}" for number in range(1_000)]
    fields = {name: {"type": "string"} for name in names}
    items = {"type": "object", "required": names, "properties": fields}
    many = {"type": "array", "items": items}
    return json.dumps({"configMap": "config", "key": "config.yaml", "fields": {"many": many}})


def chosen() -> str:
    """Return the type of such a list whose items are one of few texts, all of them long."""
    items = {"type": "string", "enum": [f"{number}{'x' * 15_000}" for number in range(30)]}
    many = {"type": "array", "items": items}
    return json.dumps({"configMap": "config", "key": "config.yaml", "fields": {"many": many}})


SETTINGS: dict[str, Callable[[], str]] = {
    "variables": variables,
    "merged containers": merged_containers,
    "items without fields": configured("{}"),
    "items with other fields": configured("{a: 1}"),
    "items of no choice": configured("a"),
}
"""Payloads that are a target, and go with a component that has what they set."""


def labels() -> str:
    """Return label rules of a component, which every object of every target gets."""
    pairs = {f"l{number}": "x" for number in range(10_000)}
    return f"labels: {json.dumps([{'pairs': pairs, 'selectors': True}])}\n"


COMPONENTS: dict[str, Callable[[], str]] = {"labels": labels}
"""Payloads that take the place of a section of a component's spec, as large as multiplies the most."""


def migration() -> str:
    """Return a migration that says of many keys what becomes of them."""
    keys = (
        f"{{key: example.com/g{number}, policy: move, to: b/g{number}, reason: r}}" for number in range(200)
    )
    kind = "{from: example.com/v1/Greeting, to: greetings.example.org/v1/Greeting}"
    releases = "before: v1.0.0\nboth: v1.1.0\nafter: v2.0.0\n"
    head = (
        'about: It moves\npath: progressive\ntargets: [olm]\ncomponent: hello\nkubernetes: ">=1.30 <=1.32"\n'
    )
    return f"migration: new-group\n{head}kinds: [{kind}]\nkeys: [{', '.join(keys)}]\n{releases}"


def moving(**more: str) -> Callable[[], str]:
    """Return what makes an object that moves, with such a finalizer and such a selector."""
    head = {"apiVersion": "example.com/v1", "kind": "Greeting"}
    meta = {"name": "a", "namespace": "n", "finalizers": more.get("finalizers", "").split()}
    return lambda: json.dumps({**head, "metadata": meta, "spec": {"selector": more.get("selector", "")}})


MOVING: dict[str, Callable[[], str]] = {
    "finalizers": moving(finalizers="a " * (SIZE // 5)),
    "words of a selector": moving(selector="a " * (SIZE // 2)),
}
"""Payloads that are objects, and go with a migration of many keys."""


def labels_of_target() -> str:
    """Return a target with labels that no other one has."""
    pairs = {f"l{number}": "x" for number in range(5_000)}
    return HEAD + f"components: {{hello: {{labels: [{json.dumps({'pairs': pairs})}]}}}}\n"


def declaring(text: str, number: int = 1) -> Callable[[], str]:
    """Return what makes a target that declares differences, in which # is another number each time."""
    said = ", ".join(f"{{{text}, reason: r}}".replace("#", str(each)) for each in range(number))
    return lambda: HEAD + f"drift: {{olm: [{said}]}}\ncomponents: {{hello: {{}}}}\n"


def settled(name: str) -> str:
    """Return objects in namespaces of their own, one of which has many keys, and one a long one."""
    keys = {**{f"k{number}": name for number in range(10_000)}, "a" * 250: name}
    bodies = [{"metadata": {"name": "a", "namespace": "n"}, "data": keys}]
    spaces = [f"{name}{number}" for number in range(1_900)]
    bodies += [{"metadata": {"name": f"a{at}", "namespace": each}} for at, each in enumerate(spaces)]
    return "".join(
        f"---\n{json.dumps({'apiVersion': 'v1', 'kind': 'ConfigMap', **each})}\n" for each in bodies
    )


DECLARATIONS: dict[str, Callable[[], str]] = {
    "declarations": declaring("object: ConfigMap/*#, field: data.*x", 8_000),
    "stars": declaring(f"object: ConfigMap/*, field: '{'*a' * 50}b'"),
    "namespaces": declaring("namespace: true"),
}
"""Payloads that are a target, and go with two files that differ."""
