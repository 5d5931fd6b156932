"""The rules about kits: what ties specs together, and what targets change."""

from kitgen.check.rule import Family, Rule
from kitgen.findings import Severity

RULES = (
    Rule(
        id="reference-missing",
        family=Family.REFERENCE,
        title="a name that leads nowhere",
        checks="Every component, version, release, image, account, role, port and field in a spec is there.",
        fix="Take the name that the hint offers, or add what is missing.",
    ),
    Rule(
        id="reference-cycle",
        family=Family.REFERENCE,
        title="a cycle",
        checks="No component comes after itself, by way of others.",
        fix="Remove one of the names from `after`.",
    ),
    Rule(
        id="release-unlisted",
        family=Family.REFERENCE,
        title="a pinned release that is not in the list",
        checks="A target that lists its `releases` lists the one that it pins.",
        fix="Add it to the list, or pin another one.",
    ),
    Rule(
        id="carried-more",
        family=Family.REFERENCE,
        title="a carried component that is more than CRDs",
        checks=(
            "A component in `carries` has CRDs and nothing else. It gets no overlay of its own, so its "
            "objects would be in none."
        ),
        fix="Take it out of `carries`, or move its CRDs to a component of their own.",
    ),
    Rule(
        id="spec-path",
        family=Family.REFERENCE,
        title="a name that its path contradicts",
        checks="The name and version in a spec are those of its file or folder.",
        fix="Rename one of them.",
    ),
    Rule(
        id="name-taken",
        family=Family.REFERENCE,
        title="a name that kitgen needs itself",
        checks=(
            "No target, component or export is called like a folder that kitgen writes beside it: `base` and "
            "`crds`. No two components of a target are exported into one folder."
        ),
        fix="Choose another name.",
    ),
    Rule(
        id="kit-range",
        family=Family.REFERENCE,
        title="a range of minors that cannot be",
        checks=(
            "The kit's range of Kubernetes minors can be read, and kitgen has the schemas of each minor "
            "in it."
        ),
        fix="Write a range such as `>=1.27 <=1.32`.",
    ),
    Rule(
        id="version-range",
        family=Family.REFERENCE,
        title="a version range that cannot be read",
        checks="Ranges of versions consist of signs and versions.",
        fix="Write a range such as `>=1.5.0 <1.6.0`.",
    ),
    Rule(
        id="feature-unknown",
        family=Family.TARGET,
        title="a feature that the component lacks",
        checks="A target turns on or off only what the version of the component offers.",
        fix="Take the name that the hint offers, or put the feature under `versions`.",
    ),
    Rule(
        id="image-unknown",
        family=Family.TARGET,
        title="an image that the component lacks",
        checks="A target replaces only images that the component names.",
        fix="Take the name that the hint offers.",
    ),
    Rule(
        id="container-unknown",
        family=Family.TARGET,
        title="a container that the component lacks",
        checks="Resources, webhooks and the mount of the configuration name containers that are there.",
        fix="Take the name that the hint offers, or turn on the feature that brings the container.",
    ),
    Rule(
        id="expression",
        family=Family.TARGET,
        title="an expression that cannot be computed",
        checks=(
            "Expressions compute single values from names that are there; they hold no statement, no "
            "attribute of Python and nothing that grows without end."
        ),
        fix="Take the name that the hint offers; wrap text with braces of its own in `$literal`.",
    ),
    Rule(
        id="patch-nothing",
        family=Family.TARGET,
        title="a patch that does nothing",
        checks=("Every patch for the version finds its object and changes it, and what it deletes is there."),
        fix="Correct the name of the object, give the patch a range of versions, or remove it.",
    ),
    Rule(
        id="patch-path",
        family=Family.TARGET,
        title="a patch that misses",
        checks="Each operation of a patch finds what it changes, removes or tests.",
        fix="Correct the path; `kitgen build` shows the object.",
    ),
    Rule(
        id="patch-object",
        family=Family.TARGET,
        title="a patch that breaks the object",
        checks="A patched object still has apiVersion, kind and a name.",
        fix="Change less, or turn off the feature that makes the object.",
    ),
    Rule(
        id="patch-directive",
        family=Family.TARGET,
        title="a directive that cannot be followed",
        checks=(
            "Keys of a merge patch that start with $ are `$patch` with delete, merge or replace, where lists "
            "are merged. Kustomize would leave others in the object."
        ),
        fix="Write what the message expects, or use `ops`.",
    ),
    Rule(
        id="patch-item",
        family=Family.TARGET,
        title="an item of a list that cannot be told",
        checks=(
            "An item of a list in a merge patch says every key that tells it from the others, and stands "
            "there once. Kustomize would lose it without a word."
        ),
        fix="Add the keys that the hint names, or replace the list with an item `{$patch: replace}`.",
    ),
    Rule(
        id="patch-type",
        family=Family.TARGET,
        title="a patch of another type",
        checks="A merge patch has a map, a list or a plain value where the object has one.",
        fix="Write what the message expects; `ops` can replace a value by one of another type.",
    ),
    Rule(
        id="param-unused",
        family=Family.TARGET,
        title="a parameter that nothing uses",
        checks=(
            "Every parameter fills a field, except plain values of the contract with the ODH operator. An "
            "image always does: one that no container runs would be set in vain."
        ),
        fix="Remove it, or say what it fills; give the container its image of the component again.",
    ),
    Rule(
        id="param-value",
        family=Family.TARGET,
        title="a parameter that params.env cannot hold",
        checks="The value of a parameter is one line of less than 64 KiB, which is all that kustomize reads.",
        fix="Write it on one line, or give a file to the operator in another way.",
    ),
    Rule(
        id="param-object",
        family=Family.TARGET,
        title="a parameter for an object that is not there",
        checks="The object that a parameter fills is one of the component's.",
        fix="Take the name that the hint offers.",
    ),
    Rule(
        id="param-field",
        family=Family.TARGET,
        title="a parameter for a field that does not hold it",
        checks=(
            "The field that a parameter fills is there and holds the parameter's own value, so that the "
            "ODH operator and kitgen render the same."
        ),
        fix="Correct the field, or write the same expression in both places.",
    ),
    Rule(
        id="label-values",
        family=Family.TARGET,
        title="a label with two values",
        checks=(
            "Two rules that give a label different values have the same scope, and the later one reaches "
            "selectors and pod templates if the earlier one does, so that it replaces all of it."
        ),
        fix="Take the same value, or the same scope and reach.",
    ),
    Rule(
        id="target-stale",
        family=Family.TARGET,
        title="an overlay that was left behind",
        checks=(
            "After a render of some targets, the overlays of the others still fit the bases, which all "
            "targets share."
        ),
        fix="Render them too.",
        severity=Severity.WARNING,
    ),
    Rule(
        id="crd-leaves",
        family=Family.TARGET,
        title="a CRD that a target no longer builds",
        checks=(
            "A render takes no CRD out of what a target builds. Where a sync prunes, as Argo CD and "
            "`kubectl apply --prune` can, the CRD is deleted, and with it every object of its kind."
        ),
        fix=(
            "If it is not meant, undo the change. Else guard the CRD on the cluster before the sync, such as "
            "with the annotation `argocd.argoproj.io/sync-options: Prune=false`, or see that somebody else "
            "brings it. With `crds: bundle`, CRDs are in `overlays/TARGET/crds`, for whoever installs the "
            "ODH operator."
        ),
        severity=Severity.WARNING,
    ),
    Rule(
        id="setting-unused",
        family=Family.TARGET,
        title="something that has no effect",
        checks=(
            "A setting changes something: the component is in a release, has the version, the Deployment, "
            "the CRDs or the container for it, and no other one carries it. In a component, every image is "
            "used, every feature changes something, and no name or patch is for what is not made."
        ),
        fix="Remove it, or do what the hint says.",
    ),
    Rule(
        id="verb-misspelt",
        family=Family.TARGET,
        title="a verb that permits nothing",
        checks=(
            "No verb of a permission is a letter away from a known one. Resources are not asked with HTTP "
            "methods, nor URLs with the verbs for resources."
        ),
        fix="Take the verb that the hint offers.",
    ),
    Rule(
        id="verb-unknown",
        family=Family.TARGET,
        title="a verb that Kubernetes does not know",
        checks="A verb is one that Kubernetes asks for; an API may ask for others by itself.",
        fix="Check the API that asks for it, or remove it.",
        severity=Severity.WARNING,
    ),
    Rule(
        id="group-unknown",
        family=Family.TARGET,
        title="a group that is not there",
        checks=(
            "A group without a dot is one of Kubernetes' own, in permissions, access roles and webhooks. "
            "None is a letter away from a group of Kubernetes or of a CRD of the kit."
        ),
        fix="Take the group that the hint offers; the core group is written `core`, and no version follows.",
    ),
    Rule(
        id="resource-misspelt",
        family=Family.TARGET,
        title="a resource that looks misspelt",
        checks=(
            "No resource in permissions and access roles is a letter away from one of its group, as "
            "Kubernetes or a CRD of the kit has it, and none is a singular or a version."
        ),
        fix="Take the name that the hint offers.",
    ),
    Rule(
        id="resource-unknown",
        family=Family.TARGET,
        title="a resource that is much like another one",
        checks=(
            "No resource in permissions and access roles is much like one of its group and yet another one. "
            "Clusters may have it, such as a newer one of the group."
        ),
        fix="Take the name that the hint offers, if that is what is meant.",
        severity=Severity.WARNING,
    ),
    Rule(
        id="webhook-kind",
        family=Family.TARGET,
        title="a webhook for what is not there",
        checks=(
            "A webhook for a group of Kubernetes is for a kind, version and resources that it has. So is one "
            "for a kind of the kit's CRDs, or for a kind that is a letter away from one."
        ),
        fix="Take the name that the hint offers.",
    ),
    Rule(
        id="webhook-undeclared",
        family=Family.TARGET,
        title="a webhook for a kind that nobody knows",
        checks=(
            "A kind that is not of Kubernetes is declared by a CRD of the kit, or a role of the component "
            "permits its resource."
        ),
        fix="Check the spelling, or permit the resource in a role.",
        severity=Severity.WARNING,
    ),
    Rule(
        id="webhook-nothing",
        family=Family.TARGET,
        title="a webhook that does nothing",
        checks="A kind in `webhooks` is mutated or validated: not both lists are empty.",
        fix="Remove the kind.",
    ),
    Rule(
        id="webhook-twice",
        family=Family.TARGET,
        title="two webhooks of one name",
        checks="No two kinds in `webhooks` make webhooks of the same name, which Kubernetes refuses.",
        fix="Remove one, or give it a `domain` of its own.",
    ),
    Rule(
        id="role-url",
        family=Family.TARGET,
        title="a URL in a namespaced role",
        checks="Only roles that are not namespaced permit URLs. Kubernetes refuses them in others.",
        fix="Move the URL to a role that is not namespaced.",
    ),
    Rule(
        id="object-elsewhere",
        family=Family.TARGET,
        title="an object in another namespace",
        checks=(
            "Objects of a component are in the namespace that it runs in. Kustomize puts all of them there."
        ),
        fix="Leave the namespace out, or make a component of its own for the other namespace.",
    ),
)
