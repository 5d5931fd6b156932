"""Check an object within an object (x-kubernetes-embedded-resource): its apiVersion, kind and metadata."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.crds.validate.metadata import metadata_faults, wrong_version
from kitgen.crds.validate.rules import FIELD_MISSING
from kitgen.crds.validate.values import type_fault
from kitgen.findings import Problem
from kitgen.objects.naming import NAME_INVALID
from kitgen.schema.wording import shown
from kitgen.yamlio import JsonObject

KIND = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")


def embedded_faults(value: JsonObject) -> Iterator[Problem]:
    """Yield every fault of an embedded object with its path inside it; its other fields have a schema."""
    for key in ("apiVersion", "kind"):
        text = value.get(key)
        if text is None or text == "":
            yield FIELD_MISSING(f"found no {key}, expected that of an object")
        elif fault := type_fault({"type": "string"}, text):
            yield fault.below(key)
        elif key == "apiVersion" and text.count("/") > 1:
            yield wrong_version(text).below(key)
        elif key == "kind" and not KIND.fullmatch(text.lower()):
            expected = "at most 63 letters, digits and dashes, a letter first and no dash last"
            yield NAME_INVALID(f"found the kind {shown(text)}, expected {expected}", (key,))
    for fault in metadata_faults(value.get("metadata"), namespaced=None):
        yield fault.below("metadata")
