"""Labels that a target adds to roles of a component, or removes from them."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.findings import MAX_ERRORS, Cause, CauseKind, Finding, Origin, make_problem, suggest_or_list
from kitgen.kit.model import LabelRule, Setting
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.context import ComputedValue, RenderContext
from kitgen.render.labels import LABEL_VALUES, select_overlay_labels
from kitgen.text.values import group_pairs

LABELLED = Cause(CauseKind.SETTING, "roles")
KINDS = ("ClusterRole", "Role")


def label_roles(context: RenderContext, objects: list[Manifest]) -> ComputedValue[list[Manifest]]:
    """Return the objects with the labels that the target gives roles; what leads nowhere is a finding."""
    if not context.settings.role_labels:
        return ComputedValue(objects)
    found: list[Finding] = []
    roles = {at: _Labels(each) for at, each in enumerate(objects) if each.id.kind in KINDS}
    named = group_pairs((objects[at].id.name, labels) for at, labels in roles.items())
    missing: dict[str, Setting[str | None]] = {}
    everywhere = group_pairs((key, rule) for rule in select_overlay_labels(context) for key in rule.pairs)
    for (role, key), setting in context.settings.role_labels.items():
        if (labels := named.get(context.full_name(role)) or named.get(role)) is None:
            missing.setdefault(role, setting)
            continue
        if len(found) <= MAX_ERRORS:  # each lists the labels that there are
            found += _check_label(everywhere.get(key, ()), labels, key, setting)
        for each in labels:
            each.change(context, key, setting)
    known = [name.removeprefix(context.component.prefix) for name in named]
    for role, setting in missing.items():
        message = f"{context.component.name} {context.component.version} has no role {role!r} here"
        at_role = Origin(setting.origin.file, setting.origin.path[:-2])  # without labels and the key
        found.append(
            make_problem(
                "role-unknown", message, hint=suggest_or_list(role, known, none="it has none")
            ).to_finding(at_role)
        )
    made = [roles[at].build_role() if at in roles else each for at, each in enumerate(objects)]
    return ComputedValue(made, tuple(found))


class _Labels:
    """The labels of a role while a target changes one after the other."""

    def __init__(self, role: Manifest) -> None:
        self._role = role
        self.labels = dict(role.labels)
        self._sources: list[FieldSource] = []

    def change(self, context: RenderContext, key: str, setting: Setting[str | None]) -> None:
        """Set a label behind the others, or take it away."""
        self.labels.pop(key, None)
        if setting.value is not None:
            self.labels[key] = setting.value
        source = FieldSource(
            path=("metadata", "labels", key),
            cause=LABELLED,
            origin=setting.origin,
            why=f"{context.target} {'takes it away' if setting.value is None else 'sets it'}",
        )
        self._sources.append(source)

    def build_role(self) -> Manifest:
        """Return the role with its labels as they are now."""
        if not self._sources:
            return self._role
        rest = {name: value for name, value in self._role.body["metadata"].items() if name != "labels"}
        meta = {**rest, "labels": self.labels} if self.labels else rest
        return self._role.replace_body({**self._role.body, "metadata": meta}, *self._sources)


def _check_label(
    giving: Iterable[LabelRule], roles: list[_Labels], key: str, setting: Setting[str | None]
) -> list[Finding]:
    """Return what is wrong with a label: none to take away, or one that every object has otherwise."""
    if rules := [rule for rule in giving if rule.pairs[key] != setting.value]:
        said = "nothing" if setting.value is None else repr(setting.value)
        message = f"found {said} for the label {key!r}, which has {rules[-1].pairs[key]!r} everywhere"
        return [LABEL_VALUES(message, hint=f"see {rules[-1].origin}").to_finding(setting.origin)]
    if setting.value is None and not any(key in role.labels for role in roles):
        message = f"found no label {key!r} of the role to take away"
        hint = suggest_or_list(key, [name for role in roles for name in role.labels], "it has", "it has none")
        return [make_problem("unset-nothing", message, hint=hint).to_finding(setting.origin)]
    return []
