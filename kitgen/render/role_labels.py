"""Labels that a target adds to roles of a component, or removes from them."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.findings import MAX_ERRORS, Cause, CauseKind, Finding, Origin, near_or_known, problem
from kitgen.kit.model import LabelRule, Setting
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.context import Made, RenderContext
from kitgen.render.labels import LABEL_VALUES, overlay_labels
from kitgen.text.yaml import JsonObject

LABELLED = Cause(CauseKind.SETTING, "roles")
KINDS = ("ClusterRole", "Role")


def label_roles(context: RenderContext, objects: list[Manifest]) -> Made[list[Manifest]]:
    """Return the objects with the labels that the target gives roles; what leads nowhere is a finding."""
    found: list[Finding] = []
    made = list(objects)
    places: dict[str, list[int]] = {}
    for at, each in enumerate(objects if context.settings.role_labels else ()):
        if each.id.kind in KINDS:
            places.setdefault(each.id.name, []).append(at)
    missing: dict[str, Setting[str | None]] = {}
    changes: dict[int, _Labels] = {}
    everywhere = _by_key(context) if context.settings.role_labels else {}
    for (role, key), setting in context.settings.role_labels.items():
        if (here := places.get(context.name(role)) or places.get(role)) is None:
            missing.setdefault(role, setting)
            continue
        changes |= {at: _Labels(made[at]) for at in here if at not in changes}
        labels = [changes[at] for at in here]
        if len(found) <= MAX_ERRORS:  # each lists the labels that there are
            found += _problems(everywhere.get(key, ()), labels, key, setting)
        for each_role in labels:
            each_role.change(context, key, setting)
    for at, changed in changes.items():
        made[at] = changed.role()
    known = [name.removeprefix(context.component.prefix) for name in places]
    for role, setting in missing.items():
        message = f"{context.component.name} {context.component.version} has no role {role!r} here"
        at_role = Origin(setting.origin.file, setting.origin.path[:-2])  # without labels and the key
        found.append(
            problem("role-unknown", message, hint=near_or_known(role, known, none="it has none")).at(at_role)
        )
    return Made(made, tuple(found))


class _Labels:
    """The labels of a role while a target changes one after the other."""

    def __init__(self, role: Manifest) -> None:
        self._role = role
        self.labels: JsonObject = dict(role.body["metadata"].get("labels", {}))
        self._sources: list[FieldSource] = []

    def change(self, context: RenderContext, key: str, setting: Setting[str | None]) -> None:
        """Set a label behind the others, or take it away."""
        self.labels.pop(key, None)
        if setting.value is not None:
            self.labels[key] = setting.value
        why = f"{context.target} {'takes it away' if setting.value is None else 'sets it'}"
        path = ("metadata", "labels", key)
        self._sources.append(FieldSource(path=path, cause=LABELLED, origin=setting.origin, why=why))

    def role(self) -> Manifest:
        """Return the role with its labels as they are now."""
        rest = {name: value for name, value in self._role.body["metadata"].items() if name != "labels"}
        meta = {**rest, "labels": self.labels} if self.labels else rest
        return self._role.with_({**self._role.body, "metadata": meta}, *self._sources)


def _by_key(context: RenderContext) -> dict[str, list[LabelRule]]:
    """Return the rules that label every object, by the labels that they give."""
    rules: dict[str, list[LabelRule]] = {}
    for label_rule in overlay_labels(context):
        for key in label_rule.pairs:
            rules.setdefault(key, []).append(label_rule)
    return rules


def _problems(
    giving: Iterable[LabelRule], roles: list[_Labels], key: str, setting: Setting[str | None]
) -> list[Finding]:
    """Return what is wrong with a label: none to take away, or one that every object has otherwise."""
    if rules := [rule for rule in giving if rule.pairs[key] != setting.value]:
        other = rules[-1].pairs[key]
        said = "nothing" if setting.value is None else repr(setting.value)
        message = f"found {said} for the label {key!r}, which has {other!r} everywhere"
        return [LABEL_VALUES(message, hint=f"see {rules[-1].origin}").at(setting.origin)]
    if setting.value is None and not any(key in role.labels for role in roles):
        message = f"found no label {key!r} of the role to take away"
        hint = near_or_known(key, [name for role in roles for name in role.labels], "it has", "it has none")
        return [problem("unset-nothing", message, hint=hint).at(setting.origin)]
    return []
