"""ConfigMaps, Secrets and ServiceAccounts. Values of secrets are never shown."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator

from kitgen.check.server.constraints import CONFIG_KEY
from kitgen.check.server.list_constraints import warn_duplicates
from kitgen.check.server.rule_tables import Rules
from kitgen.check.server.rules import SERVER_INVALID, SERVER_REQUIRED
from kitgen.findings import Problem, make_problem
from kitgen.text.patterns import compile_late
from kitgen.text.values import map_at, text_at, value_at
from kitgen.text.wording import join_words, quote_text
from kitgen.text.yaml import Json, JsonObject

MOST = 1024 * 1024
ACCOUNT = "kubernetes.io/service-account.name"
TOKEN = "kubernetes.io/service-account-token"
REQUIRED = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
LINE_ENDS = compile_late(r"[\r\n]+")


def _check_keys(body: JsonObject, field: str) -> Iterator[Problem]:
    for key in map_at(body, field):
        if not CONFIG_KEY.fullmatch(key):
            expected = "at most 253 letters, digits, -, _ and ., but neither . nor .. at the start"
            yield SERVER_INVALID(f"found the key {quote_text(key)}, expected {expected}", (field, key))


def _check_size(plain: JsonObject, encoded: JsonObject, field: str) -> Iterator[Problem]:
    """Report values that are too large together; of encoded ones line ends do not count."""
    size = sum(len(each.encode(errors="replace")) for each in plain.values() if isinstance(each, str))
    for each in encoded.values():
        if isinstance(each, str):
            size += len(LINE_ENDS.sub("", each)) * 3 // 4 - each[-2:].count("=")
    if size > MOST:
        yield make_problem("server-limit", f"found {size} bytes, expected at most {MOST}", (field,))


def _check_config_map(body: JsonObject) -> Iterator[Problem]:
    plain, encoded = map_at(body, "data"), map_at(body, "binaryData")
    for key in encoded:
        if key in plain:
            yield make_problem(
                "server-forbidden",
                f"found the key {quote_text(key)}, which data has too",
                ("binaryData", key),
            )
    yield from _check_size(plain, encoded, "data" if body.get("data") else "binaryData")


def _check_secret(body: JsonObject) -> Iterator[Problem]:
    plain, encoded = map_at(body, "stringData"), map_at(body, "data")
    kept = {key: value for key, value in encoded.items() if key not in plain}
    yield from _check_size(plain, kept, "data" if encoded else "stringData")
    data, kind = {**encoded, **plain}, text_at(body, "type")
    if kind == TOKEN and not value_at(body, "metadata", "annotations", ACCOUNT):
        yield SERVER_REQUIRED(f"found no annotation {ACCOUNT}, expected the account's name", ("type",))
    missing = join_words([key for key in REQUIRED.get(kind, ()) if key not in data], last="and")
    if kind == "kubernetes.io/basic-auth" and not {"username", "password"} & set(data):
        missing = "username or password"
    elif kind == "kubernetes.io/ssh-auth" and not data.get("ssh-privatekey"):
        missing = "ssh-privatekey"
    if missing != "nothing":
        yield SERVER_REQUIRED(f"found no {missing}, expected it in a secret of the type {kind}", ("type",))
    elif kind in REQUIRED and kind != "kubernetes.io/tls":
        (key,) = REQUIRED[kind]
        if not _is_json_object(data[key], encoded=key not in plain):
            field = "data" if key in encoded else "stringData"
            yield SERVER_INVALID("found something else than a JSON object", (field, key))


def _is_json_object(value: Json, *, encoded: bool) -> bool:
    try:
        text = b64decode(LINE_ENDS.sub("", value)) if encoded and isinstance(value, str) else value or ""
        found: Json = json.loads(text) if isinstance(text, str | bytes) else None
    except (ValueError, RecursionError):
        return False
    return found is None or isinstance(found, dict)


RULES: Rules = {
    "core/v1.ConfigMap": ({"data": _check_keys, "binaryData": _check_keys}, _check_config_map),
    "core/v1.Secret": ({"data": _check_keys, "stringData": _check_keys}, _check_secret),
    "core/v1.ServiceAccount": {
        "imagePullSecrets": warn_duplicates("name"),
        "secrets": warn_duplicates("name"),
    },
}
