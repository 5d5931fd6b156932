"""The rules about images."""

from __future__ import annotations

from kitgen.findings import rule

IMAGE_TAG = rule("image-tag")
IMAGE_REFERENCE = rule("image-reference")
IMAGE_MOVES = rule("image-moves")
IMAGE_DIFFERS = rule("image-differs")
IMAGE_UNLISTED = rule("image-unlisted")
IMAGE_UNWIRED = rule("image-unwired")
PARAM_INCOMPLETE = rule("param-incomplete")
RELATED_IMAGE_MISSING = rule("related-image-missing")
RELATED_IMAGE_UNUSED = rule("related-image-unused")
