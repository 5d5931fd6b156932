"""The rules about images."""

from __future__ import annotations

from kitgen.findings import get_rule

IMAGE_TAG = get_rule("image-tag")
IMAGE_REFERENCE = get_rule("image-reference")
IMAGE_UNLISTED = get_rule("image-unlisted")
IMAGE_UNWIRED = get_rule("image-unwired")
PARAM_INCOMPLETE = get_rule("param-incomplete")
