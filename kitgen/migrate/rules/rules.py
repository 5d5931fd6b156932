"""The rules of migrations that objects are held to."""

from __future__ import annotations

from kitgen.findings import Chapter, Rule, Severity

MIGRATION_OLD = Rule(
    id="migration-old",
    chapter=Chapter.MIGRATION,
    checks=(
        "Nothing speaks of an old kind: no object or owner, rule of a role, webhook or policy, kind that a "
        "bundle owns, APIService, example, list or setting of Argo CD, framework of Kueue, command or "
        "variable of a container, or text of a ConfigMap or Secret. What a Secret holds is not shown."
    ),
    fix="Say the new kind; rules name both while both are served.",
    why=(
        "To a cluster the two are different kinds. What names the old one finds nothing once it is gone, and "
        "misses all that is new until then."
    ),
    severity=Severity.WARNING,
)

MIGRATION_SCHEMA = Rule(
    id="migration-schema",
    chapter=Chapter.MIGRATION,
    checks="A kind that moves has the same schema on both sides, but for fields that the migration names.",
    fix="Name the field under `fields` of the kind, with what becomes of it, or keep the schema as it was.",
    why=(
        "In a comparison, one CRD that is gone and one that is new hide what changed between them. Resources "
        "that are carried over may be refused, or lose fields without a word."
    ),
    severity=Severity.WARNING,
)

MIGRATION_MAPPING = Rule(
    id="migration-mapping",
    chapter=Chapter.MIGRATION,
    checks=(
        "Every field that a migration names is one that the old CRD has, goes to one that the new CRD has, "
        "of the same type, and shares that place with no other. `[]` stands where lists are, and only there."
    ),
    fix="Take the names from the schemas.",
    why="Otherwise it shows only with the resources of a cluster, which are refused one after the other.",
)

MIGRATION_UNSAID = Rule(
    id="migration-unsaid",
    chapter=Chapter.MIGRATION,
    checks="A kind with `fields` says something of every field that its old CRD has.",
    fix="Name the field, or one above it, with `to` or `lost`.",
    why="A resource with any other field is not moved, so that nothing is lost without a word.",
    severity=Severity.WARNING,
)

MIGRATION_SCOPE = Rule(
    id="migration-scope",
    chapter=Chapter.MIGRATION,
    checks="A kind of namespaces that moves does not become one of the cluster.",
    fix="Keep the scope, or see that no two resources have the same name in different namespaces.",
    why="Resources lose their namespace. Of two with one name, the second would overwrite the first.",
    severity=Severity.WARNING,
)

MIGRATION_UNPLACED = Rule(
    id="migration-unplaced",
    chapter=Chapter.MIGRATION,
    checks="A kind of the cluster that moves does not become one of namespaces.",
    fix="Keep the scope, or name the kind under `drops`, and write its resources anew by hand.",
    why="No resource says which namespace it is to go to.",
)

MIGRATION_LOSS = Rule(
    id="migration-loss",
    chapter=Chapter.MIGRATION,
    checks=(
        "Nothing is taken away that resources of an old kind need: its CRD, the version in which they are "
        "stored, that it is served, and the permission to read them."
    ),
    fix="Keep it until every resource was carried over; the phases of the migration do.",
    why=(
        "With its CRD every resource is deleted, and all that it owns, such as running pods. What is not "
        "served, or may not be read, can be neither exported nor removed."
    ),
)

MIGRATION_KEY_REWRITTEN = Rule(
    id="migration-key-rewritten",
    chapter=Chapter.MIGRATION,
    checks=(
        "A label, annotation or finalizer keeps its key when the group of a kind changes, unless `keys` of "
        "the migration says that it moves."
    ),
    fix="Bring the old key back, or declare in `keys` that it moves.",
    why=(
        "Operators find what they made by such keys, and selectors never change. Once they are rewritten, "
        "nothing is found any more: objects are made a second time, and what is there is orphaned."
    ),
)
