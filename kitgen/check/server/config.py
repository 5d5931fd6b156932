"""ConfigMaps, Secrets and namespaces. No value of a secret is ever shown."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterator

from kitgen.check.server import formats, values
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_LIMIT, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.text.values import value_at
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import Json, JsonObject

KEY = re.compile(r"(?!\.\.|\.$)[-._a-zA-Z0-9]{1,253}")
MOST = 1024 * 1024
ACCOUNT = "kubernetes.io/service-account.name"
REQUIRED = {"kubernetes.io/tls": ("tls.crt", "tls.key")}
DOCKER = {"kubernetes.io/dockercfg": ".dockercfg", "kubernetes.io/dockerconfigjson": ".dockerconfigjson"}
LINE_ENDS = re.compile(r"[\r\n]+")


def _keys(body: JsonObject, *fields: str) -> Iterator[Problem]:
    for field in fields:
        for key in formats.mapping(body.get(field)):
            if not KEY.fullmatch(key):
                expected = "at most 253 letters, digits, -, _ and ., but neither . nor .. at the start"
                yield SERVER_INVALID(f"found the key {cut(key)}, expected {expected}", (field, key))


def _size(values: Json, *, encoded: bool) -> int:
    """Return how many bytes the values of a mapping are."""
    texts = [each for each in formats.mapping(values).values() if isinstance(each, str)]
    if not encoded:
        return sum(len(each.encode(errors="replace")) for each in texts)
    # Line ends are none of the text; only where the size is close does it matter.
    return sum(len(LINE_ENDS.sub("", each)) * 3 // 4 - each[-2:].count("=") for each in texts)


def _too_large(size: int, field: str) -> Iterator[Problem]:
    if size > MOST:
        yield SERVER_LIMIT(f"found {size} bytes, expected at most {MOST}", (field,))


def _config_map(body: JsonObject) -> Iterator[Problem]:
    yield from _keys(body, "data", "binaryData")
    for key in formats.mapping(body.get("binaryData")):
        if key in formats.mapping(body.get("data")):
            yield SERVER_FORBIDDEN(f"found the key {cut(key)}, which data has too", ("binaryData", key))
    size = _size(body.get("data"), encoded=False) + _size(body.get("binaryData"), encoded=True)
    yield from _too_large(size, "data" if body.get("data") else "binaryData")


def _secret(body: JsonObject) -> Iterator[Problem]:
    yield from _keys(body, "data", "stringData")
    plain, encoded = formats.mapping(body.get("stringData")), formats.mapping(body.get("data"))
    kept = {key: value for key, value in encoded.items() if key not in plain}
    size = _size(plain, encoded=False) + _size(kept, encoded=True)
    yield from _too_large(size, "data" if encoded else "stringData")
    yield from _typed(body, {**encoded, **plain})


def _typed(body: JsonObject, data: JsonObject) -> Iterator[Problem]:
    kind = formats.text(body, "type")
    if kind == "kubernetes.io/service-account-token":
        if not value_at(body, "metadata", "annotations", ACCOUNT):
            yield SERVER_REQUIRED(f"found no annotation {ACCOUNT}, expected the account's name", ("type",))
    elif kind == "kubernetes.io/basic-auth":
        if not {"username", "password"} & set(data):
            yield _lacks(kind, "username or password")
    elif kind == "kubernetes.io/ssh-auth":
        if not data.get("ssh-privatekey"):
            yield _lacks(kind, "ssh-privatekey")
    elif kind in REQUIRED:
        if missing := [key for key in REQUIRED[kind] if key not in data]:
            yield _lacks(kind, choice(missing, last="and"))
    elif kind in DOCKER:
        key = DOCKER[kind]
        if key not in data:
            yield _lacks(kind, key)
        elif not _is_object(data[key], encoded=key not in formats.mapping(body.get("stringData"))):
            field = "data" if key in formats.mapping(body.get("data")) else "stringData"
            yield SERVER_INVALID("found something else than a JSON object", (field, key))


def _lacks(kind: str, what: str) -> Problem:
    return SERVER_REQUIRED(f"found no {what}, expected it in a secret of the type {kind}", ("type",))


def _is_object(value: Json, *, encoded: bool) -> bool:
    try:
        text = b64decode(LINE_ENDS.sub("", value)) if encoded and isinstance(value, str) else value or ""
        found: Json = json.loads(text) if isinstance(text, str | bytes) else None
    except (ValueError, RecursionError):
        return False
    return found is None or isinstance(found, dict)


def _account(body: JsonObject) -> Iterator[Problem]:
    for field in ("imagePullSecrets", "secrets"):
        yield from values.told_twice(body, field, "name")


VALIDATORS: Validators = {
    "core/v1.ConfigMap": _config_map,
    "core/v1.Secret": _secret,
    "core/v1.ServiceAccount": _account,
}
