"""Kinds that move or go, and manifests that speak of them, for the tests of migrations."""

from __future__ import annotations

from kitgen.findings import Cause, CauseKind, Origin
from kitgen.kit.model.migration import KindName, MovedKey, Policy
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.migrate.rules.kinds import Kinds, OldKind
from kitgen.text.yaml import JsonObject, read_all

OLD, NEW = "old.example.com", "new.example.org"


def kind(before: str, after: str = "", plural: str = "widgets") -> OldKind:
    names = [KindName(*each.split("/")) for each in (before, after) if each]
    if not after:
        return OldKind(before=names[0], plural=plural, reason="nobody needs it")
    return OldKind(before=names[0], plural=plural, after=names[1], new_plural=plural)


ACROSS = kind(f"{OLD}/v1/Widget", f"{NEW}/v1/Widget")
WITHIN = kind(f"{OLD}/v1/Gadget", f"{OLD}/v2/Gadget", "gadgets")
DROPPED = kind(f"{OLD}/v1/Doodad", plural="doodads")
KINDS = Kinds(old=(ACROSS, WITHIN, DROPPED))


def key(name: str, policy: Policy = Policy.KEEP, to: str = "") -> MovedKey:
    return MovedKey(key=name, policy=policy, to=to, reason="the operator finds by it", origin=Origin("m"))


def bodies(text: str) -> list[JsonObject]:
    return [each for each in read_all(text.replace("OLD", OLD).replace("NEW", NEW)) if each]


def manifests(text: str) -> list[Manifest]:
    source = FieldSource(path=(), cause=Cause(CauseKind.MANIFEST), origin=Origin("x.yaml"), verbatim=True)
    return [Manifest(body=each, sources=(source,)) for each in bodies(text)]
