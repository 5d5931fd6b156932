"""Check ConfigMaps, Secrets and PersistentVolumeClaims that pods use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from kitgen.check.references.target_objects import ALIKE, Found, ObjectName, TargetObjects, find_pod_fields
from kitgen.findings import Path, Problem, get_rule, make_problem, suggest_word
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import CONTAINERS, PodView
from kitgen.render.kustomize.field_paths import find_values
from kitgen.text.values import entries_at, group_pairs, map_at, text_at, value_at
from kitgen.text.wording import quote_text
from kitgen.text.yaml import Json

CONFIGURATION_MISSING = get_rule("configuration-missing")

GIVEN = frozenset({"kube-root-ca.crt", "openshift-service-ca.crt", "odh-trusted-ca-bundle"})
"""ConfigMaps that a cluster makes in every namespace."""
TOKEN_KEYS = ("ca.crt", "namespace", "token")
FILLED = ("inject", "trusted-ca")
"""In labels and annotations of what others fill in, such as bundles of certificates."""
MAKERS: tuple[tuple[str, str, Path], ...] = (
    ("bitnami.com", "SealedSecret", ("metadata", "name")),
    ("bitnami.com", "SealedSecret", ("spec", "template", "metadata", "name")),
    ("cert-manager.io", "Certificate", ("spec", "secretName")),
    ("external-secrets.io", "ExternalSecret", ("metadata", "name")),
    ("external-secrets.io", "ExternalSecret", ("spec", "target", "name")),
    *(
        ("", "Service", ("metadata", "annotations", f"service.{stage}.openshift.io/serving-cert-secret-name"))
        for stage in ("beta", "alpha")
    ),
)
"""Kinds for which somebody makes a Secret, and where its name is."""
NAMES = ("secretName", "claimName")
"""Fields that name something, where it is not called name."""
USES = (
    *(
        (kind, f"volumes[]/{part}{field}", "items[]/key")
        for part in ("", "projected/sources[]/")
        for field, kind in (("configMap", "ConfigMap"), ("secret", "Secret"))
    ),
    ("PersistentVolumeClaim", "volumes[]/persistentVolumeClaim", ""),
    *(
        use
        for each in CONTAINERS
        for use in (
            ("ConfigMap", f"{each}[]/env[]/valueFrom/configMapKeyRef", "key"),
            ("Secret", f"{each}[]/env[]/valueFrom/secretKeyRef", "key"),
            ("ConfigMap", f"{each}[]/envFrom[]/configMapRef", ""),
            ("Secret", f"{each}[]/envFrom[]/secretRef", ""),
        )
    ),
    ("Secret", "imagePullSecrets[]", ""),
)
"""Kinds of what a pod needs, where it says so, and where it names the keys."""
WHOLE = ("volumes[]/configMap", "volumes[]/secret")
"""Volumes whose files are called as the keys, unless they list items."""


class _Use(NamedTuple):
    """What a pod needs."""

    kind: str
    path: Path
    """Where its name is."""
    name: Json
    keys: Sequence[tuple[Path, Json]] = ()
    surely: bool = True
    """Whether the pod does not start without it."""


def check_configuration(scene: TargetObjects) -> Iterator[Found]:
    """Yield what pods need and is not there."""
    made = collect_generated_secrets(scene)
    spaces: dict[str, _Secrets] = {}
    keys: dict[int, dict[str, None]] = {}
    for pod in scene.index.pods:
        own = made.get(pod.namespace, set()) | made.get("", set())
        secrets = spaces.setdefault(pod.namespace, _Secrets(scene, pod.namespace, own))
        for use in _list_uses(pod):
            if not isinstance(use.name, str) or not use.name:
                continue  # schemas report it
            if (there := scene.get("", use.kind, pod.namespace, use.name)) is None:
                problems = _check_missing(scene, pod, use, secrets)
            else:
                if id(there) not in keys:
                    keys[id(there)] = dict.fromkeys(keys_of(there))
                problems = _check_keys(use, there, keys[id(there)])
            yield from ((pod.manifest, wrong) for wrong in problems)


def _check_missing(scene: TargetObjects, pod: PodView, use: _Use, secrets: _Secrets) -> Iterator[Problem]:
    if use.name in GIVEN or (
        use.kind == "PersistentVolumeClaim" and _is_stateful_claim(scene, str(use.name))
    ):
        return
    if use.kind == "Secret" and use.name in secrets.made:
        return
    named = ObjectName("", use.kind, pod.namespace, use.name)
    hint = scene.hint_for_missing(
        named, others=use.surely, by=None if _is_init_created(pod, use) else pod.manifest
    )
    if not hint and use.kind == "Secret" and use.surely:
        hint = secrets.hint_for(str(use.name)) or hint
    if hint is not None:
        yield CONFIGURATION_MISSING(
            f"found no {use.kind} {quote_text(use.name)} in its namespace", use.path, hint
        )


class _Secrets(Struct, dict=True):
    """The Secrets that somebody makes for objects in a namespace."""

    scene: TargetObjects
    namespace: str
    made: set[Json]

    @cached_property
    def _sorted_names(self) -> list[str]:
        return sorted(str(each) for each in self.made)

    @cached_property
    def _used_names(self) -> set[str]:
        return {str(use.name) for each in self.scene.pods_in(self.namespace) for use in _list_uses(each)}

    def hint_for(self, name: str) -> str:
        """Return a hint if one is surely meant, such as that of a Certificate.

        It is meant if it is called nearly so, or if it is the only one, and no pod takes it.
        """
        if hint := suggest_word(name, self._sorted_names, sure=ALIKE):
            return hint
        alone = (
            len(self._sorted_names) == 1 and "cert" in name and self._sorted_names[0] not in self._used_names
        )
        is_open = alone and self.scene.can_be_created(self.namespace, (("", "secrets"),))
        return f"nobody takes {quote_text(self._sorted_names[0])}" if alone and not is_open else ""


def _is_init_created(pod: PodView, use: _Use) -> bool:
    """Return whether a container of the pod may create what another one needs: volumes come before both."""
    return "containers" in use.path and bool(entries_at(pod.spec, "initContainers"))


def _is_stateful_claim(scene: TargetObjects, name: str) -> bool:
    """Return whether a StatefulSet makes a claim of that name for one of its pods."""
    start, _, number = name.rpartition("-")
    return number.isdigit() and any(
        start == f"{value_at(claim, 'metadata', 'name')}-{each.id.name}"
        for each in scene.objects_of("apps", "StatefulSet")
        for _, claim in entries_at(each.body, "spec", "volumeClaimTemplates")
    )


def _check_keys(use: _Use, there: Manifest, keys: dict[str, None]) -> Iterator[Problem]:
    """Yield keys that an object lacks."""
    for path, key in use.keys if keys else ():
        if isinstance(key, str) and key and key not in keys:
            message = f"found the key {quote_text(key)}, which {there.id} does not have"
            hint = suggest_word(key, [*keys]) or (f"it has {quote_text(*keys)}" if len(keys) == 1 else "")
            yield make_problem("key-missing", message, path, hint)


def keys_of(there: Manifest) -> list[str]:
    """Return the keys of a ConfigMap or Secret; none where somebody fills them in, or adds some."""
    fields = ("data", "stringData") if there.id.kind == "Secret" else ("data", "binaryData")
    keys = [str(key) for field in fields for key in map_at(there.body, field)]
    if there.body.get("type") == "kubernetes.io/service-account-token":
        return [*keys, *TOKEN_KEYS]
    return [] if _has_injected_keys(there) else keys


def _has_injected_keys(there: Manifest) -> bool:
    """Return whether somebody adds keys to an object."""
    marks = [key for part in ("annotations", "labels") for key in map_at(there.body, "metadata", part)]
    return any(word in key for key in marks for word in FILLED)


def collect_generated_secrets(scene: TargetObjects) -> dict[str, set[Json]]:
    """Return the Secrets that somebody makes for objects here, by namespace."""
    found: dict[str, set[Json]] = {}
    for group, kind, path in MAKERS:
        for each in scene.objects_of(group, kind):
            if name := text_at(each.body, *path):
                found.setdefault(each.id.namespace, set()).add(name)
    return found


def _list_uses(pod: PodView) -> Iterator[_Use]:
    """Yield what volumes, variables and nodes take for a pod, but for what it can do without."""
    mounted = _collect_subpath_files(pod)
    for kind, way, keys in USES:
        for path, source in find_pod_fields(pod, way):
            if value_at(source, "optional") is not True:
                field = next((each for each in NAMES if value_at(source, each) is not None), "name")
                found = [((*path, *at), key) for at, key in (find_values(source, keys) if keys else ())]
                if way in WHOLE and not found:
                    found = mounted.get(text_at(pod.manifest.body, *path[:-1], "name"), [])
                surely = way != "imagePullSecrets[]"
                yield _Use(kind, (*path, field), value_at(source, field), found, surely)


def _collect_subpath_files(pod: PodView) -> dict[str, list[tuple[Path, Json]]]:
    """Return the single files that containers mount, by volume: keys of the object that the volume holds."""
    return group_pairs(
        (text_at(mount, "name"), (container.path_to("volumeMounts", index, "subPath"), file.strip("/")))
        for container in pod.containers
        for index, mount in entries_at(container.body, "volumeMounts")
        if (file := text_at(mount, "subPath"))
    )
