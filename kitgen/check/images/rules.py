"""The rules about images."""

from __future__ import annotations

from kitgen.findings import rule

IMAGE_TAG = rule("image-tag")
IMAGE_REFERENCE = rule("image-reference")
IMAGE_UNLISTED = rule("image-unlisted")
IMAGE_UNWIRED = rule("image-unwired")
PARAM_INCOMPLETE = rule("param-incomplete")
