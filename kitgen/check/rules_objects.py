"""The rules about objects: rendered ones and strangers'."""

from kitgen.check.rule import Family, Rule
from kitgen.findings import Severity

RULES = (
    Rule(
        id="manifest-invalid",
        family=Family.SCHEMA,
        title="not an object",
        checks="Every document of a file of manifests is an object with apiVersion and kind.",
        fix="Add what is missing, or leave the file out of the check.",
    ),
    Rule(
        id="kustomize-build",
        family=Family.SCHEMA,
        title="an overlay that does not build",
        checks="Kustomize builds the rendered overlay that is checked.",
        fix="Run `kitgen render`, which writes it anew.",
    ),
    Rule(
        id="kubernetes-api",
        family=Family.SCHEMA,
        title="API not served",
        checks="Every minor of the range serves the API of the object.",
        fix="Use the API that the hint names, or declare a narrower range.",
    ),
    Rule(
        id="crd-version",
        family=Family.SCHEMA,
        title="version not served",
        checks="The version of a custom resource is one that its CRD serves.",
        fix="Use a version that the message names.",
    ),
    Rule(
        id="crd-version-deprecated",
        family=Family.SCHEMA,
        severity=Severity.WARNING,
        title="deprecated version",
        checks="The version of a custom resource is not on its way out.",
        fix="Use the version that the hint names.",
    ),
    Rule(
        id="field-unknown",
        family=Family.SCHEMA,
        title="unknown field",
        checks=(
            "Every field is one that the kind has, in every minor of the range. A cluster drops or "
            "refuses others."
        ),
        fix="Take the name that the hint offers, remove the field, or declare a narrower range.",
    ),
    Rule(
        id="field-missing",
        family=Family.SCHEMA,
        title="missing field",
        checks=(
            "An object has every field that its kind requires, an item of a keyed list its keys, an "
            "embedded object its apiVersion and kind."
        ),
        fix="Add the field.",
    ),
    Rule(
        id="field-type",
        family=Family.SCHEMA,
        title="wrong type of a field",
        checks=(
            "Every field has the type that its kind names. In a custom resource null is as good as no field, "
            "unless the field is nullable; an item of a list is null only if it may be."
        ),
        fix="Write what the message expects.",
    ),
    Rule(
        id="field-value",
        family=Family.SCHEMA,
        title="wrong value of a field",
        checks=(
            "Every field is within the bounds, the form, the choices and the alternatives that its kind "
            "names, and the items of a set or of a keyed list differ."
        ),
        fix="Write what the message expects.",
    ),
    Rule(
        id="pattern-unchecked",
        family=Family.SCHEMA,
        severity=Severity.WARNING,
        title="a pattern that cannot be checked",
        checks="Every pattern of a CRD can be compiled; a text is not held to one that cannot.",
        fix="Fix the pattern if it is yours; an API server would refuse it too.",
    ),
    Rule(
        id="kind-misspelt",
        family=Family.SCHEMA,
        title="a kind that looks misspelt",
        checks="A kind that no CRD declares does not look like one that a CRD of its group declares.",
        fix="Take the name that the hint offers.",
    ),
    Rule(
        id="kind-unknown",
        family=Family.SCHEMA,
        severity=Severity.WARNING,
        title="no schema",
        checks="There is a schema for every kind; without one the fields of an object cannot be checked.",
        fix="Declare the CRD of the kind in the kit, or fix it.",
    ),
    Rule(
        id="field-alternatives",
        family=Family.SCHEMA,
        title="two of which there may be one",
        checks=(
            "A variable of a container has a value or a source, a volume and a claim have one source, and a "
            "probe or a hook asks in one way. The API server refuses more, and a merge patch easily adds a "
            "second one."
        ),
        fix="Remove one of them; a merge patch does it with `null`.",
    ),
    Rule(
        id="object-duplicate",
        family=Family.IDENTITY,
        title="one identity twice",
        checks="No two objects of a target share group, kind, namespace and name.",
        fix="Rename or remove one; the hint says where the other comes from.",
    ),
    Rule(
        id="name-invalid",
        family=Family.IDENTITY,
        title="wrong name",
        checks=(
            "Names are DNS subdomains; those of namespaces and services are DNS labels; roles and "
            "bindings are free but for / and %. The kind of an object within another has the letters, digits "
            "and dashes of a DNS label, in any case."
        ),
        fix="Use lower case letters, digits and dashes, with a letter or digit at both ends.",
    ),
    Rule(
        id="namespace-dropped",
        family=Family.IDENTITY,
        severity=Severity.WARNING,
        title="a namespace that means nothing",
        checks="An object of a cluster-scoped kind names no namespace. An API server drops it.",
        fix="Remove the namespace.",
    ),
    Rule(
        id="label-invalid",
        family=Family.IDENTITY,
        title="wrong label or annotation",
        checks=(
            "Keys of labels and annotations and values of labels have the form that Kubernetes asks for, "
            "in metadata, pod templates and selectors. What stands before the / of a label's key is in "
            "lower case."
        ),
        fix=(
            "Shorten the value to 63 characters, and keep to letters, digits, dashes, dots and underscores."
        ),
    ),
    Rule(
        id="image-tag",
        family=Family.IMAGE,
        title="image without tag or digest",
        checks="Every image of a container has a tag or a whole digest.",
        fix="Add the tag of the version, or better the digest.",
    ),
    Rule(
        id="container-image",
        family=Family.IMAGE,
        title="a container without an image",
        checks=(
            "Every container of a pod or a pod template names an image, and so does every init and ephemeral "
            "one. The API server requires it, though the schemas do not. Templates of custom resources are "
            "left alone, since their operators complete them."
        ),
        fix="Add the image; in a merge patch, check the name of the container.",
    ),
)
