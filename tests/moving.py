"""A small kit whose kind moves: to another group, and to another version with other fields."""

from __future__ import annotations

from pathlib import Path

from kits import make_kit, write
from msgspec import UNSET
from old_kinds import side

from kitgen.findings import Origin
from kitgen.kit.migrations import parse_field_steps
from kitgen.kit.model.migration import MovedField, MovedKey, MovedKind, Policy
from kitgen.migrate.kinds import MovedKinds, MovingKind
from kitgen.migrate.resources.kinds import MigrationMoves, build_moves

OLD, NEW = "old.example.com", "new.example.com"
V1, V2, MOVED = f"{OLD}/v1", f"{OLD}/v2", f"{NEW}/v1"
KEY = f"greeting.{OLD}"
CRD = """\
group: {group}
names: {{kind: Greeting}}
scope: Namespaced
versions:
  {version}:
    storage: true
    schema:
      type: object
      required: [spec]
      properties:
        spec:
          type: object
          required: [{first}]
          properties:
"""
TEXT = """\
            text: {type: string}
            inner: {type: object, x-kubernetes-preserve-unknown-fields: true}
            items:
              type: array
              items:
                type: object
                properties:
                  text: {type: string}
                  inner: {type: object, x-kubernetes-preserve-unknown-fields: true}
                  tone: {type: string}
            volume: {type: object, properties: {loud: {type: boolean}}}
            echo: {type: integer}
"""
LINES = """\
            lines:
              type: array
              items:
                type: object
                required: [words]
                properties:
                  words: {type: string}
                  inner: {type: object, x-kubernetes-preserve-unknown-fields: true}
            loud: {type: boolean}
"""
COMPONENT = """\
component: hello
version: {version}
about: A small operator
kubernetes: "1.29"
prefix: hello-
namespace: hello-system
images: {{manager: "quay.io/example/hello:{version}"}}
serviceAccount: controller-manager
deployment: {{name: manager, containers: {{manager: {{image: manager, command: [/manager]}}}}}}
"""
HEAD = """\
about: Greetings move
path: one-shot
targets: [olm]
component: hello
kubernetes: ">=1.29 <=1.30"
"""
GROUPS = f"""\
migration: groups
{HEAD}kinds:
- {{from: {OLD}/v1/Greeting, to: {NEW}/v1/Greeting}}
keys:
- {{key: {KEY}, policy: keep, reason: pods are selected by it}}
- {{key: mood.{OLD}, policy: both, to: mood.{NEW}, reason: both operators read it}}
- {{key: {OLD}, policy: move, to: {NEW}, reason: only the new one reads them}}
before: v1.0.0
after: v2.0.0
"""
FIELDS = f"""\
migration: fields
{HEAD}kinds:
- from: {OLD}/v1/Greeting
  to: {OLD}/v2/Greeting
  fields:
  - {{from: "spec.items[].text", to: "spec.lines[].words"}}
  - {{from: "spec.items[].inner", to: "spec.lines[].inner"}}
  - {{from: "spec.items[].tone", lost: say it in the words}}
  - {{from: spec.volume.loud, to: spec.loud}}
  - {{from: spec.echo, lost: nobody echoes any more}}
  - {{from: spec.text, lost: say it in an item}}
  - {{from: spec.inner, lost: say it in an item}}
before: v1.0.0
after: v3.0.0
"""


def moving_kit(folder: Path) -> Path:
    """Make a kit with three releases and the migrations `groups` and `fields`."""
    make_kit(folder)
    first = {"v1.0.0": (OLD, "v1", "text", TEXT), "v2.0.0": (NEW, "v1", "text", TEXT)}
    files = {"migrations/groups.yaml": GROUPS, "migrations/fields.yaml": FIELDS}
    for version, (group, name, need, body) in {**first, "v3.0.0": (OLD, "v2", "lines", LINES)}.items():
        home = f"components/hello/{version}"
        files[f"{home}/component.yaml"] = COMPONENT.format(version=version)
        files[f"{home}/crds/greetings.yaml"] = CRD.format(group=group, version=name, first=need) + body
        files[f"releases/{version}.yaml"] = f"release: {version}\ncomponents: {{hello: {version}}}\n"
    for name in ("targets/odh.yaml", "targets/rhoai.yaml", "components/hello/v1.0.0/config.yaml"):
        (folder / name).unlink()
    return write(folder, files)


def moved_key(key: str, policy: Policy, to: str = "") -> MovedKey:
    """Return what a migration says of a key."""
    return MovedKey(key=key, policy=policy, to=to, reason="a test", origin=Origin("migration"))


def moved_field(said: str, to: str = "", lost: str = "", default: object = UNSET) -> MovedField:
    """Return what a migration says of a field."""
    target = parse_field_steps(to) if to else ()
    return MovedField(
        field=parse_field_steps(said), to=target, lost=lost, default=default, origin=Origin("migration")
    )


def moves(
    *keys: MovedKey, fields: tuple[MovedField, ...] = (), to: str = f"{NEW}/v1/Greeting"
) -> MigrationMoves:
    """Return the tables of a migration of greetings."""
    old, new = side(f"{OLD}/v1/Greeting"), side(to)
    said = MovedKind(before=old.name, after=new.name, fields=fields, origin=Origin("migration"))
    return build_moves(MovedKinds((MovingKind(said=said, old=old, new=new),), keys))
