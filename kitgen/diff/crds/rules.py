"""What a change of a CRD can be: each rule with its usual risk, its reason and who feels it."""

from __future__ import annotations

from kitgen.diff.risk import ChangeRule, Risk

USERS = "users who set it"
READERS = "clients that read it"
STORED = "stored objects"
CLIENTS = "clients that use the version"
SCRIPTS = "people and scripts"
SCREENS = "people and scripts that read kubectl get"
SCALERS = "autoscalers and kubectl scale"
BREAKING, BEHAVIOUR, COSMETIC = Risk.BREAKING, Risk.BEHAVIOUR, Risk.COSMETIC

_TABLE = {
    # The CRD as a whole.
    "crd-removed": (BREAKING, "every object of the kind is deleted with it", "all users of the kind"),
    "crd-moved": (BREAKING, "objects of the old group are not carried over", "all users of the kind"),
    "crd-added": (COSMETIC, "the kind is new", "nobody yet"),
    "scope-changed": (BREAKING, "the API server refuses it; the CRD must be deleted first", STORED),
    "name-changed": (BREAKING, "clients and permissions use the old name", "clients and roles that name it"),
    "short-name-removed": (BEHAVIOUR, "kubectl no longer knows the short name", SCRIPTS),
    "short-name-added": (COSMETIC, "kubectl knows one more name", SCRIPTS),
    "category-removed": (BEHAVIOUR, "kubectl get of the category leaves the kind out", SCRIPTS),
    "category-added": (COSMETIC, "kubectl get of the category shows the kind too", SCRIPTS),
    "conversion-changed": (BEHAVIOUR, "objects are converted in another way", "clients of other versions"),
    "unknown-fields-dropped": (BREAKING, "fields that no schema names are no longer kept", USERS),
    "unknown-fields-kept": (COSMETIC, "fields that no schema names are kept", "nobody"),
    # Versions.
    "version-removed": (BREAKING, "requests for the version are not found", CLIENTS),
    "version-unserved": (BREAKING, "requests for the version are not found", CLIENTS),
    "version-served": (COSMETIC, "the version can be used again", CLIENTS),
    "version-added": (COSMETIC, "a new version can be used", "nobody yet"),
    "version-deprecated": (COSMETIC, "clients get a warning", CLIENTS),
    "version-undeprecated": (COSMETIC, "clients get no warning any more", CLIENTS),
    "stored-version-removed": (
        BREAKING,
        "the API server refuses it while status.storedVersions names the version",
        STORED,
    ),
    "storage-moved": (
        BEHAVIOUR,
        "objects stay in the old version until each is written again; migrate them",
        STORED,
    ),
    "status-subresource-removed": (
        BREAKING,
        "writes to /status are not found, and users can write the status",
        "the operator",
    ),
    "status-subresource-added": (
        BEHAVIOUR,
        "writes to the object no longer change its status, only those to /status do",
        "the operator",
    ),
    "scale-subresource-removed": (BREAKING, "/scale is not found", SCALERS),
    "scale-subresource-changed": (BEHAVIOUR, "/scale reads or writes other fields", SCALERS),
    "scale-subresource-added": (COSMETIC, "/scale can be used", SCALERS),
    "column-removed": (BEHAVIOUR, "kubectl get no longer shows it", SCREENS),
    "column-changed": (BEHAVIOUR, "kubectl get shows something else in it", SCREENS),
    "column-added": (COSMETIC, "kubectl get shows one more column", SCREENS),
    "columns-reordered": (COSMETIC, "kubectl get shows another order", SCREENS),
    "selectable-field-removed": (
        BREAKING,
        "field selectors with it are refused",
        "clients that select by it",
    ),
    "selectable-field-added": (COSMETIC, "field selectors may use it", "nobody yet"),
    # Fields.
    "field-removed": (BREAKING, "the value is dropped without a word, strict clients are refused", USERS),
    "field-added": (COSMETIC, "it may be left out", "nobody yet"),
    "required-field-added": (BREAKING, "objects without it are refused", "users who write the object"),
    "field-required": (BREAKING, "objects without it are refused", "users who leave it out"),
    "field-optional": (COSMETIC, "it may be left out; readers may not find it", READERS),
    "type-changed": (BREAKING, "values of the old type are refused", USERS),
    "type-widened": (BEHAVIOUR, "values of the old type pass, readers may meet the new one", READERS),
    # Values.
    "format-added": (BREAKING, "values that are not of the format are refused", USERS),
    "format-changed": (BREAKING, "values of the old format may be refused", USERS),
    "format-removed": (COSMETIC, "more values pass", READERS),
    "enum-added": (BREAKING, "values that are not listed are refused", USERS),
    "enum-value-removed": (BREAKING, "the value is refused", USERS),
    "enum-value-added": (COSMETIC, "one more value passes", READERS),
    "enum-removed": (COSMETIC, "any value passes", READERS),
    "pattern-added": (BREAKING, "values that do not match are refused", USERS),
    "pattern-changed": (BREAKING, "values that matched the old pattern may be refused", USERS),
    "pattern-removed": (COSMETIC, "more values pass", READERS),
    "bound-tightened": (BREAKING, "values beyond the new bound are refused", USERS),
    "bound-loosened": (COSMETIC, "more values pass", READERS),
    "alternatives-tightened": (BREAKING, "values that passed may be refused", USERS),
    "alternatives-loosened": (COSMETIC, "more values pass", READERS),
    "default-added": (BEHAVIOUR, "objects that leave it out now get a value", "users who leave it out"),
    "default-changed": (BEHAVIOUR, "objects that leave it out behave differently", "users who leave it out"),
    "default-removed": (BEHAVIOUR, "objects that leave it out no longer get a value", "the operator"),
    "nullable-dropped": (BREAKING, "null is refused", USERS),
    "nullable-added": (COSMETIC, "null passes", READERS),
    "embedded-resource-added": (BREAKING, "apiVersion and kind must be there", USERS),
    "embedded-resource-removed": (BREAKING, "apiVersion, kind and metadata are kept only if declared", USERS),
    "list-type-changed": (BREAKING, "lists with equal items are refused and apply merges differently", USERS),
    "list-map-keys-changed": (BREAKING, "items are told apart by other fields", "clients that apply it"),
    "map-type-changed": (BEHAVIOUR, "apply merges it differently", "clients that apply it"),
    "cel-rule-added": (BREAKING, "objects that break the rule are refused", USERS),
    "cel-rule-changed": (BREAKING, "objects that passed the old rule may be refused", USERS),
    "cel-rule-removed": (COSMETIC, "more objects pass", READERS),
    "cel-message-changed": (COSMETIC, "only the answer reads differently", "nobody"),
    "keyword-changed": (BEHAVIOUR, "its effect is not known to this program", USERS),
}
RULES = {name: ChangeRule(name, *row) for name, row in _TABLE.items()}
