"""What a change of a CRD can be: each rule with its usual level, its reason and who feels it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad a change is for those who use the API today."""

    BREAKING = "breaking"
    """Something that works today is refused, lost or not found."""
    RISKY = "risky"
    """Nothing is refused, but something behaves differently."""
    SAFE = "safe"
    """What works today works on."""

    @property
    def rank(self) -> int:
        """Return the place in the order from worst to best."""
        return list(Level).index(self)


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of change."""

    level: Level
    """The level unless the circumstances of the change say otherwise."""
    reason: str
    felt_by: str


USERS = "users who set it"
READERS = "clients that read it"
STORED = "stored objects"
BREAKING, RISKY, SAFE = Level.BREAKING, Level.RISKY, Level.SAFE

RULES: dict[str, Rule] = {
    # The CRD as a whole.
    "crd-removed": Rule(BREAKING, "every object of the kind is deleted with it", "all users of the kind"),
    "crd-moved": Rule(BREAKING, "objects of the old group are not carried over", "all users of the kind"),
    "crd-added": Rule(SAFE, "the kind is new", "nobody yet"),
    "scope-changed": Rule(BREAKING, "the API server refuses it; the CRD must be deleted first", STORED),
    "name-changed": Rule(
        BREAKING, "clients and permissions use the old name", "clients and roles that name it"
    ),
    "short-name-removed": Rule(RISKY, "kubectl no longer knows the short name", "people and scripts"),
    "short-name-added": Rule(SAFE, "kubectl knows one more name", "people and scripts"),
    "category-removed": Rule(RISKY, "kubectl get of the category leaves the kind out", "people and scripts"),
    "category-added": Rule(SAFE, "kubectl get of the category shows the kind too", "people and scripts"),
    "conversion-changed": Rule(RISKY, "objects are converted in another way", "clients of other versions"),
    "unknown-fields-dropped": Rule(BREAKING, "fields that no schema names are no longer kept", USERS),
    "unknown-fields-kept": Rule(SAFE, "fields that no schema names are kept", "nobody"),
    # Versions.
    "version-removed": Rule(
        BREAKING, "requests for the version are not found", "clients that use the version"
    ),
    "version-unserved": Rule(
        BREAKING, "requests for the version are not found", "clients that use the version"
    ),
    "version-served": Rule(SAFE, "the version can be used again", "clients that use the version"),
    "version-added": Rule(SAFE, "a new version can be used", "nobody yet"),
    "version-deprecated": Rule(SAFE, "clients get a warning", "clients that use the version"),
    "version-undeprecated": Rule(SAFE, "clients get no warning any more", "clients that use the version"),
    "stored-version-removed": Rule(
        BREAKING, "the API server refuses it while status.storedVersions names the version", STORED
    ),
    "storage-moved": Rule(
        RISKY, "objects stay in the old version until each is written again; migrate them", STORED
    ),
    "status-subresource-removed": Rule(
        BREAKING, "writes to /status are not found, and users can write the status", "the operator"
    ),
    "status-subresource-added": Rule(
        RISKY, "writes to the object no longer change its status, only those to /status do", "the operator"
    ),
    "scale-subresource-removed": Rule(BREAKING, "/scale is not found", "autoscalers and kubectl scale"),
    "scale-subresource-changed": Rule(
        RISKY, "/scale reads or writes other fields", "autoscalers and kubectl scale"
    ),
    "scale-subresource-added": Rule(SAFE, "/scale can be used", "autoscalers and kubectl scale"),
    "column-removed": Rule(
        RISKY, "kubectl get no longer shows it", "people and scripts that read kubectl get"
    ),
    "column-changed": Rule(
        RISKY, "kubectl get shows something else in it", "people and scripts that read kubectl get"
    ),
    "column-added": Rule(
        SAFE, "kubectl get shows one more column", "people and scripts that read kubectl get"
    ),
    "columns-reordered": Rule(
        SAFE, "kubectl get shows another order", "people and scripts that read kubectl get"
    ),
    "selectable-field-removed": Rule(
        BREAKING, "field selectors with it are refused", "clients that select by it"
    ),
    "selectable-field-added": Rule(SAFE, "field selectors may use it", "nobody yet"),
    # Fields.
    "field-removed": Rule(BREAKING, "the value is dropped without a word, strict clients are refused", USERS),
    "field-added": Rule(SAFE, "it may be left out", "nobody yet"),
    "required-field-added": Rule(BREAKING, "objects without it are refused", "users who write the object"),
    "field-required": Rule(BREAKING, "objects without it are refused", "users who leave it out"),
    "field-optional": Rule(SAFE, "it may be left out; readers may not find it", READERS),
    "type-changed": Rule(BREAKING, "values of the old type are refused", USERS),
    "type-widened": Rule(RISKY, "values of the old type pass, readers may meet the new one", READERS),
    # Values.
    "format-added": Rule(BREAKING, "values that are not of the format are refused", USERS),
    "format-changed": Rule(BREAKING, "values of the old format may be refused", USERS),
    "format-removed": Rule(SAFE, "more values pass", READERS),
    "enum-added": Rule(BREAKING, "values that are not listed are refused", USERS),
    "enum-value-removed": Rule(BREAKING, "the value is refused", USERS),
    "enum-value-added": Rule(SAFE, "one more value passes", READERS),
    "enum-removed": Rule(SAFE, "any value passes", READERS),
    "pattern-added": Rule(BREAKING, "values that do not match are refused", USERS),
    "pattern-changed": Rule(BREAKING, "values that matched the old pattern may be refused", USERS),
    "pattern-removed": Rule(SAFE, "more values pass", READERS),
    "bound-tightened": Rule(BREAKING, "values beyond the new bound are refused", USERS),
    "bound-loosened": Rule(SAFE, "more values pass", READERS),
    "alternatives-tightened": Rule(BREAKING, "values that passed may be refused", USERS),
    "alternatives-loosened": Rule(SAFE, "more values pass", READERS),
    "default-added": Rule(RISKY, "objects that leave it out now get a value", "users who leave it out"),
    "default-changed": Rule(RISKY, "objects that leave it out behave differently", "users who leave it out"),
    "default-removed": Rule(RISKY, "objects that leave it out no longer get a value", "the operator"),
    "nullable-dropped": Rule(BREAKING, "null is refused", USERS),
    "nullable-added": Rule(SAFE, "null passes", READERS),
    "embedded-resource-added": Rule(BREAKING, "apiVersion and kind must be there", USERS),
    "embedded-resource-removed": Rule(
        BREAKING, "apiVersion, kind and metadata are kept only if declared", USERS
    ),
    "list-type-changed": Rule(
        BREAKING, "lists with equal items are refused and apply merges differently", USERS
    ),
    "list-map-keys-changed": Rule(BREAKING, "items are told apart by other fields", "clients that apply it"),
    "map-type-changed": Rule(RISKY, "apply merges it differently", "clients that apply it"),
    "cel-rule-added": Rule(BREAKING, "objects that break the rule are refused", USERS),
    "cel-rule-changed": Rule(BREAKING, "objects that passed the old rule may be refused", USERS),
    "cel-rule-removed": Rule(SAFE, "more objects pass", READERS),
    "cel-message-changed": Rule(SAFE, "only the answer reads differently", "nobody"),
    "keyword-changed": Rule(RISKY, "its effect is not known to this program", USERS),
}
