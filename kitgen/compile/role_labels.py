"""Labels that a target gives roles of a component, or takes from them."""

from __future__ import annotations

from kitgen.compile.context import Context
from kitgen.compile.environment import UNSET_NOTHING
from kitgen.compile.final import LABEL_VALUES, overlay_labels
from kitgen.compile.made import Made
from kitgen.findings import By, Cause, Chapter, Finding, Origin, Rule, near
from kitgen.model import Setting
from kitgen.objects import Manifest, Source

ROLE_UNKNOWN = Rule(
    id="role-unknown",
    chapter=Chapter.TARGET,
    checks="A target labels only roles that the component has there.",
    fix="Take the name that the hint offers, or turn on the feature that brings the role.",
)

LABELLED = Cause(By.SETTING, "roles")
KINDS = ("ClusterRole", "Role")


def label_roles(context: Context, objects: list[Manifest]) -> Made[list[Manifest]]:
    """Return the objects with the labels that the target gives roles; what leads nowhere is a finding."""
    found: list[Finding] = []
    made = list(objects)
    places: dict[str, list[int]] = {}
    for at, each in enumerate(objects if context.settings.role_labels else ()):
        if each.id.kind in KINDS:
            places.setdefault(each.id.name, []).append(at)
    missing: dict[str, Setting[str | None]] = {}
    for (role, key), setting in context.settings.role_labels.items():
        here = places.get(context.name(role)) or places.get(role)
        if here is None:
            missing.setdefault(role, setting)
            continue
        found += _problems(context, [made[at] for at in here], key, setting)
        for at in here:
            made[at] = _labelled(context, made[at], key, setting)
    known = [name.removeprefix(context.component.prefix) for name in places]
    for role, setting in missing.items():
        message = f"{context.component.name} {context.component.version} has no role {role!r} here"
        at_role = Origin(setting.origin.file, setting.origin.path[:-2])  # without labels and the key
        hint = near(role, known) or (f"known are {', '.join(known)}" if known else "it has none")
        found.append(ROLE_UNKNOWN(message, hint=hint).at(at_role))
    return Made(made, tuple(found))


def _labelled(context: Context, role: Manifest, key: str, setting: Setting[str | None]) -> Manifest:
    meta = role.body["metadata"]
    labels = {name: value for name, value in meta.get("labels", {}).items() if name != key}
    if setting.value is not None:
        labels[key] = setting.value
    rest = {name: value for name, value in meta.items() if name != "labels"}
    body = {**role.body, "metadata": {**rest, "labels": labels} if labels else rest}
    what = "takes it away" if setting.value is None else "sets it"
    path = ("metadata", "labels", key)
    why = f"{context.target} {what}"
    return role.with_(body, Source(path=path, cause=LABELLED, origin=setting.origin, why=why))


def _problems(
    context: Context, roles: list[Manifest], key: str, setting: Setting[str | None]
) -> list[Finding]:
    """Return what is wrong with a label: none to take away, or one that every object has otherwise."""
    rules = [rule for rule in overlay_labels(context) if rule.pairs.get(key, setting.value) != setting.value]
    if rules:
        other = rules[-1].pairs[key]
        said = "nothing" if setting.value is None else repr(setting.value)
        message = f"found {said} for the label {key!r}, which has {other!r} everywhere"
        return [LABEL_VALUES(message, hint=f"see {rules[-1].origin}").at(setting.origin)]
    known = [name for role in roles for name in role.body["metadata"].get("labels", {})]
    if setting.value is None and key not in known:
        message = f"found no label {key!r} of the role to take away"
        hint = near(key, known) or (f"it has {', '.join(known)}" if known else "it has none")
        return [UNSET_NOTHING(message, hint=hint).at(setting.origin)]
    return []
