"""The page about all rules, made from their table."""

from __future__ import annotations

from kitgen.findings import Chapter, rules_by_id

ABOUT = {
    Chapter.FILE: "No path leaves the kit, nothing is read without bounds, only kitgen's own files change.",
    Chapter.YAML: "Every file is read strictly, because readers of YAML disagree about what they forgive.",
    Chapter.SPEC: "Specs are held against the JSON Schemas of kitgen; `kitgen schema NAME` prints one.",
    Chapter.REFERENCE: "Names in one spec lead to another, and orders come to an end.",
    Chapter.TARGET: "A setting, a patch, a parameter or an expression must do what it says.",
    Chapter.CONFIG: "Values are held against the config.yaml of the component.",
    Chapter.CRD: (
        "Declarations expand to CRDs that an API server takes. Real CRDs are held against the same rules "
        "before they are imported."
    ),
    Chapter.EXCEPTION: (
        "What is known may be accepted, with a reason, as long as it is there: a change of a CRD in the file "
        "of `crd diff --exceptions`, a finding in kit.yaml, in its release or in its target. Rules that "
        "say so may have exceptions: `kitgen check`, or the one command that looks for them, finds them in "
        "the kit as long as they hold, and something right can be made still."
    ),
    Chapter.SCHEMA: (
        "Every object is held against the schema of its kind, and unknown fields are refused. For the kinds "
        "of Kubernetes that is its own schema in each minor of the range that the kit declares; a custom "
        "resource is held to its CRD as the API server does it."
    ),
    Chapter.IDENTITY: "A cluster refuses these objects, or one of them silently replaces the other.",
    Chapter.IMAGE: "What a container runs should be said, not left to the day on which it is pulled.",
    Chapter.SERVER: (
        "An API server holds objects of Kubernetes' own kinds to more than their schemas, and refuses them."
    ),
    Chapter.BETWEEN: "An object that names another one needs it, and as it is.",
    Chapter.PERMISSION: "Who may do what, and who may take more than was meant.",
    Chapter.POD: "What the Pod Security Standards ask of pods, and what keeps them running.",
    Chapter.UPGRADE: "What a cluster refuses to change, what is gone, and what becomes of it.",
    Chapter.LIMIT: "Objects that a tool or a cluster cannot hold.",
    Chapter.RELEASE: "What a release says, and what READMEs show of it.",
    Chapter.ARGOCD: (
        "What Argo CD is told of the stack, for [one cluster](argocd.md) or [many](fleet.md), and how it "
        "sees [health](argocd-health.md)."
    ),
    Chapter.MIGRATION: "[Kinds that move](migrations.md) to another API group or version.",
    Chapter.BUNDLE: (
        "What OLM, operator-sdk, the community's catalog and certification ask of a bundle. `kitgen bundle "
        "check` looks at anybody's, `kitgen check` and `kitgen render` at those of the kit's targets. "
        "[OLM](olm.md) says which profile asks for what."
    ),
}


def rules_page() -> str:
    """Write the page, in Markdown."""
    lines = [
        "# Rules",
        "",
        "Generated from the rules in `kitgen/` by `make docs`.",
        "An error blocks a write and fails the command; a warning does neither.",
    ]
    for chapter in Chapter:
        lines += ["", f"## {chapter.value}", "", ABOUT[chapter]]
        for rule in rules_by_id().values():
            if rule.chapter is chapter:
                said = f"**{rule.severity.value.capitalize()}.** {rule.checks}"
                known = " It may have exceptions." if rule.exceptable else ""
                why = ["", f"*What comes of it:* {rule.why}"] if rule.why else []
                lines += ["", f"### {rule.id}", "", said, *why, "", f"*To fix it:* {rule.fix}{known}"]
    return "\n".join(lines) + "\n"
