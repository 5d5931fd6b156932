"""The suffix that kustomize gives generated ConfigMaps."""

from __future__ import annotations

import json
import re

HASHED = re.compile(r"-[bcdfghkmt2456789]{10}$")
"""How the name of a generated ConfigMap ends."""


def content_hash(data: dict[str, str]) -> str:
    """Return the suffix that kustomize gives a generated ConfigMap with this content."""
    import hashlib  # few commands need it, and all read the pattern above

    content = {"data": data, "kind": "ConfigMap", "name": ""}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&\u2028\u2029":  # Go's encoder escapes what HTML and scripts give a meaning to
        text = text.replace(character, f"\\u{ord(character):04x}")
    digest = hashlib.sha256(text.encode()).hexdigest()[:10]
    return digest.translate(str.maketrans("013ae", "ghkmt"))
