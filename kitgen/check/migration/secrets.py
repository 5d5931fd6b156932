"""Secrets: their data as the texts that it stands for. Only how a kind is spelled there is ever told."""

from __future__ import annotations

from base64 import b64decode

from kitgen.yamlio import Json, JsonObject

DATA = "data"


def opened(value: JsonObject) -> JsonObject:
    """Return a Secret with its data decoded; anything else, and what is no text, as it is."""
    inner: Json = value.get(DATA)
    if value.get("kind") != "Secret" or not isinstance(inner, dict):
        return value
    return {**value, DATA: {key: _decoded(item) for key, item in inner.items()}}


def _decoded(value: Json) -> Json:
    """Return the text behind a value; empty if there is none, as of what is packed or no base64."""
    if not isinstance(value, str):
        return value
    try:
        return b64decode("".join(value.split()), validate=True).decode()
    except ValueError:
        return ""
