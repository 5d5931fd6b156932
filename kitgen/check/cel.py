"""CEL rules in CRDs: whether an API server takes them, and whether something bounds what they cost."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.context import Context, Hit
from kitgen.crds.schema.crd import is_crd
from kitgen.crds.validate.rules import CEL_UNCHECKED
from kitgen.findings import Chapter, Path, Problem, Rule, Severity
from kitgen.schema.wording import counted, cut
from kitgen.yamlio import Json, JsonObject

CEL_INVALID = Rule(
    id="cel-invalid",
    chapter=Chapter.SERVER,
    checks=(
        "CEL rules of a CRD compile: they can be read, name fields that the schema has, as CEL escapes "
        "their names, and compare values of one type; a rule is true or false, a messageExpression a text; "
        "oldSelf stands where values can be told from those before."
    ),
    fix="Correct the rule, or the schema that it reads.",
    why=(
        "The API server compiles every rule against the schema when the CRD is created or changed, and "
        "refuses the whole CRD if one does not compile. Then nothing of the kind can be created."
    ),
    exceptable=True,
)

CEL_UNBOUNDED = Rule(
    id="cel-unbounded",
    chapter=Chapter.SCHEMA,
    checks=(
        "What a CEL rule goes through has a bound: maxItems of a list, maxProperties of a map, maxLength of "
        "a text; the status, which operators write, is left out."
    ),
    fix="Set the keyword that the message names in the schema of the field.",
    why=(
        "The API server reckons what a rule may cost at most. Without a bound it takes the largest object "
        "that a request can hold, so one more loop, or one more rule, exceeds the budget and the CRD is "
        "refused; and the rule takes that long on a large object."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

LONGEST = 300
STATUS = ("properties", "status")


def check(context: Context) -> Iterator[Hit]:
    """Yield what is wrong with the rules of each CRD; one stands in many targets with the same spec."""
    known: dict[int, tuple[Json, list[Problem]]] = {}
    for target, manifest in context.objects():
        if not is_crd(manifest.body):
            continue
        spec = manifest.body.get("spec")
        if id(spec) not in known:
            # The spec is kept beside the result so that its identity is not given to another one.
            known[id(spec)] = (spec, list(_problems(spec)))
        yield from (Hit(target, manifest, problem) for problem in known[id(spec)][1])


def _problems(spec: Json) -> Iterator[Problem]:
    versions = spec.get("versions") if isinstance(spec, dict) else None
    for index, version in enumerate(versions if isinstance(versions, list) else ()):
        schema = version.get("schema") if isinstance(version, dict) else None
        if isinstance(schema, dict):
            path: Path = ("spec", "versions", index, "schema", "openAPIV3Schema")
            yield from (each.below(*path) for each in _of_schema(schema.get("openAPIV3Schema")))


def _of_schema(schema: JsonObject | None) -> Iterator[Problem]:
    from kitgen.crds.cel.check.places import has_rules

    if not has_rules(schema):
        return
    from kitgen.crds.cel.check.rules import rule_faults

    endless: dict[tuple[Path, str], list[Path]] = {}
    for fault in rule_faults(schema):
        if fault.kind == "unbounded" and fault.path[:2] == STATUS:
            continue
        match fault.kind:
            case "invalid":
                yield CEL_INVALID(fault.text[:LONGEST], fault.path)
            case "unknown":
                yield CEL_UNCHECKED(
                    f"the rule was not looked at: kitgen does not know {cut(fault.text)}", fault.path
                )
            case _:
                endless.setdefault((fault.path[:-2], fault.text), []).append(fault.path)
    for (_, text), paths in endless.items():
        rules = f"{counted(len(paths), 'rule')} here {'goes' if len(paths) == 1 else 'go'} through it"
        yield CEL_UNBOUNDED(f"found that {cut(text)}, and {rules}", paths[0])
