"""Check an object within an object (x-kubernetes-embedded-resource): its apiVersion, kind and metadata."""

from __future__ import annotations

import re

from kitgen.crds.validate.metadata import Faults, metadata_faults, wrong_version
from kitgen.crds.validate.values import Fault, type_fault
from kitgen.schema.wording import shown
from kitgen.yamlio import JsonObject

KIND = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")


def embedded_faults(value: JsonObject) -> Faults:
    """Yield every fault of an embedded object with its path inside it; its other fields have a schema."""
    for key in ("apiVersion", "kind"):
        text = value.get(key)
        if text is None or text == "":
            yield (), Fault("field-missing", f"found no {key}, expected that of an object")
        elif fault := type_fault({"type": "string"}, text):
            yield (key,), fault
        elif key == "apiVersion" and text.count("/") > 1:
            yield (key,), wrong_version(text)
        elif key == "kind" and not KIND.fullmatch(text.lower()):
            expected = "at most 63 letters, digits and dashes, a letter first and no dash last"
            yield (key,), Fault("name-invalid", f"found the kind {shown(text)}, expected {expected}")
    for path, fault in metadata_faults(value.get("metadata"), namespaced=None):
        yield ("metadata", *path), fault
