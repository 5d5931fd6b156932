"""The rules about custom resources, as an API server holds them."""

from kitgen.check.rule import Family, Rule
from kitgen.findings import Severity

RULES = (
    Rule(
        id="object-shape",
        family=Family.RESOURCE,
        title="not an object",
        checks="A resource is a mapping with apiVersion and kind.",
        mend="Add what is missing.",
    ),
    Rule(
        id="object-kind",
        family=Family.RESOURCE,
        title="a kind that looks misspelt",
        checks="The kind is one that the kit declares, or none that is close to one.",
        mend="Take the name that the hint offers.",
    ),
    Rule(
        id="object-name",
        family=Family.RESOURCE,
        title="a wrong name",
        checks="An object has a name, and it is a DNS name.",
        mend="Use lower case letters, digits and dashes.",
    ),
    Rule(
        id="object-namespace",
        family=Family.RESOURCE,
        title="a wrong namespace",
        checks="A namespace is a DNS label, and only namespaced kinds have one.",
        mend="Remove it, or write a DNS label.",
    ),
    Rule(
        id="metadata-name",
        family=Family.RESOURCE,
        title="a wrong key in metadata",
        checks="Keys of labels and annotations are qualified names.",
        mend="Write a name such as `example.com/key`.",
    ),
    Rule(
        id="metadata-label",
        family=Family.RESOURCE,
        title="a wrong label",
        checks="Values of labels have at most 63 letters, digits, dashes, dots and underscores.",
        mend="Shorten it.",
    ),
    Rule(
        id="api-version-unknown",
        family=Family.RESOURCE,
        title="no such version",
        checks="The version is one that the CRD has.",
        mend="Use a version that the message names.",
    ),
    Rule(
        id="api-version-unserved",
        family=Family.RESOURCE,
        title="a version that is not served",
        checks="The version is one that the CRD serves.",
        mend="Use a version that the message names.",
    ),
    Rule(
        id="api-version-deprecated",
        family=Family.RESOURCE,
        severity=Severity.WARNING,
        title="a deprecated version",
        checks="The version is not on its way out.",
        mend="Use the version that the hint names.",
    ),
    Rule(
        id="unknown-field",
        family=Family.RESOURCE,
        title="an unknown field",
        checks=(
            "Every field is one that the schema has. The API server drops others, and refuses them when "
            "asked to be strict."
        ),
        mend="Take the name that the hint offers.",
    ),
    Rule(
        id="field-required",
        family=Family.RESOURCE,
        title="a missing field",
        checks="An object has every field that the schema requires.",
        mend="Add the field.",
    ),
    Rule(
        id="field-null",
        family=Family.RESOURCE,
        title="a null that is not allowed",
        checks="Only nullable fields are null.",
        mend="Leave it out, or set it.",
    ),
    Rule(
        id="field-enum",
        family=Family.RESOURCE,
        title="not one of the choices",
        checks="A value is one of those that the schema lists.",
        mend="Write one of them.",
    ),
    Rule(
        id="field-format",
        family=Family.RESOURCE,
        title="the wrong format",
        checks="A value has the format that the schema names.",
        mend="Write what the message expects.",
    ),
    Rule(
        id="field-pattern",
        family=Family.RESOURCE,
        title="a text that does not match",
        checks="A text matches the pattern of the schema.",
        mend="Write a text that matches.",
    ),
    Rule(
        id="field-bound",
        family=Family.RESOURCE,
        title="out of bounds",
        checks="Numbers, lengths and counts are within the bounds of the schema.",
        mend="Write what the message expects.",
    ),
    Rule(
        id="alternatives",
        family=Family.RESOURCE,
        title="a combination that is not allowed",
        checks="A value fits what allOf, anyOf, oneOf and not ask for.",
        mend="Write what the message expects.",
    ),
    Rule(
        id="pattern-unchecked",
        family=Family.RESOURCE,
        severity=Severity.WARNING,
        title="a pattern that cannot be checked",
        checks="Patterns of Go that no other engine reads are listed instead of being checked.",
        mend="Nothing; the API server checks it.",
    ),
    Rule(
        id="list-duplicate",
        family=Family.RESOURCE,
        title="an item twice",
        checks="Items of sets, and keys of items in keyed lists, are there once.",
        mend="Remove one of the two.",
    ),
    Rule(
        id="list-key",
        family=Family.RESOURCE,
        title="an item without its key",
        checks="Items of a keyed list have the fields that tell them apart.",
        mend="Add the field.",
    ),
    Rule(
        id="embedded-resource",
        family=Family.RESOURCE,
        title="an embedded object without a kind",
        checks="An embedded object has apiVersion and kind.",
        mend="Add them.",
    ),
)
