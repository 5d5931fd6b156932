"""Kinds that move or go, and manifests that speak of them, for the tests of migrations."""

from __future__ import annotations

from kitgen.findings import Cause, CauseKind, Origin
from kitgen.kit.model.migration import DroppedKind, KindName, MovedKey, MovedKind, Policy
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.migrate.kinds import MovedKinds, MovingKind, OldKind, ServedKind
from kitgen.text.yaml import JsonObject, read_yaml_documents

OLD, NEW = "old.example.com", "new.example.org"
ORIGIN = Origin("migration")


def side(name: str, plural: str = "") -> ServedKind:
    """Return a kind such as `example.com/v1/Widget`, with the least of a CRD that serves it."""
    group, version, kind = name.split("/")
    names = {"kind": kind, "plural": plural or f"{kind.lower()}s"}
    spec = {"group": group, "names": names, "scope": "Namespaced", "versions": [{"name": version}]}
    body: JsonObject = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{names['plural']}.{group}"},
        "spec": spec,
    }
    return ServedKind(name=KindName(group, version, kind), crd=Manifest(body=body, sources=()))


def moving(before: str, after: str) -> MovingKind:
    old, new = side(before), side(after)
    return MovingKind(said=MovedKind(before=old.name, after=new.name, origin=ORIGIN), old=old, new=new)


def dropped(before: str) -> OldKind:
    old = side(before)
    return OldKind(said=DroppedKind(kind=old.name, reason="nobody needs it", origin=ORIGIN), old=old)


ACROSS = moving(f"{OLD}/v1/Widget", f"{NEW}/v1/Widget")
WITHIN = moving(f"{OLD}/v1/Gadget", f"{OLD}/v2/Gadget")
DROPPED = dropped(f"{OLD}/v1/Doodad")
KINDS = MovedKinds((ACROSS, WITHIN, DROPPED))


def key(name: str, policy: Policy = Policy.KEEP, to: str = "") -> MovedKey:
    return MovedKey(key=name, policy=policy, to=to, reason="the operator finds by it", origin=Origin("m"))


def bodies(text: str) -> list[JsonObject]:
    return [each for each in read_yaml_documents(text.replace("OLD", OLD).replace("NEW", NEW)) if each]


def manifests(text: str) -> list[Manifest]:
    source = FieldSource(path=(), cause=Cause(CauseKind.MANIFEST), origin=Origin("x.yaml"), verbatim=True)
    return [Manifest(body=each, sources=(source,)) for each in bodies(text)]
