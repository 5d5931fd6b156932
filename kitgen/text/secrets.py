"""Recognise and redact secrets by the names around them: settings, flags, headers, elements."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache

from kitgen.findings import Path
from kitgen.text.credentials import HIDDEN, redact_credentials
from kitgen.text.patterns import compile_late
from kitgen.text.values import value_at
from kitgen.text.yaml import Dialect, Json, JsonObject, YamlError, dump_yaml, read_yaml

WORD = compile_late(r"(?<=[a-z0-9])(?=[A-Z])")
"""Where a word starts within a name."""
SECRETIVE = compile_late(
    r"secret|pass(?:w|phrase|code)|(?<![a-z])(?:pass|pwd|pw|pin|psk|jwt)(?![a-z])|token|string_?data|cred"
    r"|auth(?!ors?(?![a-z]))|key|bearer|cookie|private|signature|docker_?c"
)
NAMING = (
    *("name", "names", "namespace", "ref", "path", "file", "dir", "kind", "type", "mode", "method", "policy"),
    *("seconds", "timeout", "ttl"),
)
"""How names of fields end that only name a secret, or say how long it lasts."""
DESCRIBING = {"key", "description", "title", "format", "pattern", "maxLength", "minLength", *NAMING}
"""What a mapping holds that is named like a secret, and is none."""
SCHEMA = "openAPIV3Schema"
"""What a server publishes to everybody: names of fields in it do not make its constants secret."""
FIELDS = frozenset({"definitions", "patternProperties", "properties"})
"""Keywords of a schema that hold other schemas by the names of fields."""
PARTS = frozenset({"additionalProperties", "allOf", "anyOf", "items", "not", "oneOf"})
"""Keywords of a schema that hold other schemas."""
LABELLED = {"name", "path", "operator", "values", "effect"}
"""One of these stands beside a `key` that is the name of something."""
SHORTEST = 3
"""What has fewer characters is a part of any word."""
FLAG = compile_late(r"--?([A-Za-z][\w.-]*)")
PRIVATE_KEY = compile_late(r"-----BEGIN [A-Z ]*PRIVATE KEY")
KIND = compile_late(r"""(?i)kind(?<=\bkind)[\\"']*\s*:\s*[\\"']*\w*Secret\b""")
"""What makes a document a Secret, or something that one is made of."""
DATA = ("data", "stringData")
OPEN = frozenset({"apiVersion", "kind", "metadata", "type", "immutable", "status"})
"""What may be told of a Secret; whatever else is in one, in its place or not, is what it keeps."""


def is_secret_path(path: Path, root: Json = None) -> bool:
    """Return whether names on the path to a value mark it as secret.

    With what the path starts from, those count too that stand beside a value, as of environment variables.
    """
    public = _find_schema_fields(path)
    for index, step in enumerate(path):
        if index not in public and is_secret_step(root, step):
            return True
        root = value_at(root, step)
    return False


def _find_schema_fields(path: Path) -> frozenset[int]:
    """Return which steps of a path are names of fields in a schema; those within a default are not."""
    found: set[int] = set()
    inside = False
    for index, step in enumerate(path if SCHEMA in path else ()):
        if step == SCHEMA:
            inside = True
        elif inside and index not in found and step in FIELDS:
            found.add(index + 1)
        elif index not in found and step not in PARTS and not isinstance(step, int):
            inside = False
    return frozenset(found)


def is_secret_step(above: Json, step: str | int) -> bool:
    """Return whether what a mapping or a list has at a step may be a secret.

    The key says so, the name beside a value, the kind of the object, or in a list the flag before it.
    """
    if isinstance(above, list):
        return isinstance(step, int) and 0 < step <= len(above) and is_secret_flag(above[step - 1])
    if isinstance(above, dict) and _is_secret_content(above, step):
        return True
    named = above.get("name") if step == "value" and isinstance(above, dict) else None
    return _is_secret_like(str(step)) or (isinstance(named, str) and _is_secret_like(named))


def _is_secret_content(above: JsonObject, step: str | int) -> bool:
    """Return whether a field is what a Secret keeps, or is made of; what refers to one has no metadata."""
    if "kind" not in above:
        return False
    kind = str(above["kind"]).casefold().rstrip("'\"]} ")  # what is of a wrong type may be meant so
    if kind.endswith("secretlist"):
        return step == "items"
    return kind.endswith("secret") and (step in DATA or ("metadata" in above and step not in OPEN))


def _is_secret_data(above: JsonObject, step: str | int) -> bool:
    """Return whether all that such a field holds is secret, whatever it is called."""
    return step in (*DATA, "items") or above["kind"] == "Secret"


def is_redacted(path: Path, root: Json) -> bool:
    """Return whether `redact_value` leaves out what a value has at a path."""
    within = False
    public = _find_schema_fields(path)
    for index, step in enumerate(path):
        if isinstance(root, dict) and index not in public:
            if _is_secret_content(root, step):
                if _is_secret_data(root, step):
                    return True
                within = True
            elif within and str(step).casefold().endswith(tuple(DESCRIBING)):
                within = False
            within = within or (is_secret_step(root, step) and not _is_reference_only(root, str(step)))
        elif isinstance(root, list) and is_secret_step(root, step):
            return True
        root = value_at(root, step)
    return within


def redact_message(text: str, path: Path, root: Json) -> str:
    """Return what is said of a value without the value, if it may be a secret."""
    value = value_at(root, *path)
    if value is None or isinstance(value, bool | dict | list) or not is_redacted(path, root):
        return text
    plain = str(value)
    if len(plain) < SHORTEST:
        return text
    return text.replace(json.dumps(value, ensure_ascii=False), HIDDEN).replace(plain, HIDDEN)


def is_secret_name(name: str) -> bool:
    """Return whether a name is that of a secret itself, and not of where one is or how long it lasts."""
    return _is_secret_like(name) and not name.casefold().endswith(NAMING)


@lru_cache(maxsize=4096)
def _is_secret_like(name: str) -> bool:
    domain, _, last = name.rpartition("/")  # of a label, whose domain says nothing of its value
    return _has_secret_word(last if "." in domain else name)


def _has_secret_word(text: str) -> bool:
    return SECRETIVE.search(WORD.sub("_", text).lower()) is not None


def redact_value(value: Json) -> Json:
    """Return a copy of a value without texts that names, or the kind of an object, say are secret."""
    if isinstance(value, str):
        return _redact_text(value)
    if isinstance(value, list):
        before = [None, *value]
        return [
            HIDDEN if is_secret_flag(last) else redact_value(item)
            for last, item in zip(before, value, strict=False)
        ]
    if isinstance(value, dict):
        return {key: _redact_field(value, key) for key in value}
    return value


def _redact_field(above: JsonObject, key: str) -> Json:
    value = above[key]
    if _is_secret_content(above, key):
        if not _is_secret_data(above, key):
            return _redact_scalars(value)
        return dict.fromkeys(value, HIDDEN) if isinstance(value, dict) else HIDDEN
    if key == SCHEMA:
        return _redact_schema(value)
    if (
        isinstance(value, bool)
        or value is None
        or not is_secret_step(above, key)
        or _is_reference_only(above, key)
    ):
        return redact_value(value)
    return _redact_scalars(value)


def _redact_schema(value: Json) -> Json:
    """Return a schema without what its own texts, or fields within a default, say is secret."""
    if isinstance(value, list):
        return [_redact_schema(item) for item in value]
    return (
        {key: _redact_keyword(value, key) for key in value}
        if isinstance(value, dict)
        else redact_value(value)
    )


def _redact_keyword(schema: JsonObject, key: str) -> Json:
    value = schema[key]
    if key in FIELDS and isinstance(value, dict):
        return {name: _redact_schema(item) for name, item in value.items()}
    if key in PARTS:
        return _redact_schema(value)
    return value if key == "pattern" and isinstance(value, str) else _redact_field(schema, key)


def _redact_scalars(value: Json) -> Json:
    """Return what is named like a secret without its texts and numbers, but for what only describes them."""
    if isinstance(value, list):
        return [_redact_scalars(item) for item in value]
    if isinstance(value, dict):
        return {
            key: _redact_field(value, key)
            if key.casefold().endswith(tuple(DESCRIBING))
            else _redact_scalars(item)
            for key, item in value.items()
        }
    return value if isinstance(value, bool) or value is None else HIDDEN


def _is_reference_only(above: JsonObject, key: str) -> bool:
    """Return whether a field with a secret's name only refers to one, or is a setting of Kubernetes."""
    labels = key == "key" and bool(LABELLED & above.keys())
    setting = key.startswith("x-kubernetes-") or key.endswith(("LabelKeys", "ogyKey"))
    return key != "value" and (labels or setting or not is_secret_name(key))


def is_secret_flag(argument: Json) -> bool:
    """Return whether an argument is a flag whose value comes next, and is secret."""
    match = FLAG.fullmatch(argument) if isinstance(argument, str) else None
    return match is not None and is_secret_name(match[1])


def _redact_text(text: str) -> str:
    """Return a text without the secrets that it assigns to names, or that a document in it holds."""
    text = redact_credentials(text)
    if not _has_secret_word(text):
        return text
    if PRIVATE_KEY.search(text):
        return HIDDEN
    inner = parse_document(text) if "\n" in text or text.startswith(("{", "[")) else text
    if inner is text:
        return HIDDEN if KIND.search(text) else "\n".join(map(redact_assignments, text.split("\n")))
    if (safe := redact_value(inner)) == inner:
        return text
    return dump_yaml(safe) if "\n" in text else json.dumps(safe, ensure_ascii=False)


def parse_document(value: Json) -> Json:
    """Return the YAML or JSON document that a text holds, if it holds one."""
    try:
        found = read_yaml(value, dialect=Dialect.KUBECTL) if isinstance(value, str) else value
    except YamlError:
        return value
    return found if isinstance(found, dict | list) else value


ASSIGNMENT = compile_late(r"(\s*(?:- )?[\"']?(-{0,2}[A-Za-z][\w.-]*)[\"']?\s*[=:]\s*)(?!true$|false$)(\S.*)")
NAME = r"([A-Za-z][\w.-]{0,99})"
ASSIGNED = compile_late(rf"(?<![\w.-])(?:-{{0,2}}{NAME}=|--?{NAME}\s+(?!-)|{NAME}:\s+|{NAME}\\*[\"']\s*:\s*)")
"""What stands before a value within a text: a name and a sign, a flag, or the key of a mapping."""
VALUE = compile_late(r"(\\*\")[^\"]+|(\\*')[^']+|()(?!(?:true|false|null)\b)[^\s\"',;&\\{\[]+")
"""A value there, without the quote that closes it."""
HEADER = compile_late(
    r"(?i)(?<![\w.-])((?:bearer|basic)\s+|authorization\\*[\"']?\s*[:=]\s*\\*[\"']?[a-z-]+\s+)"
    r"(?!(?:true|false)\b)[^\s\"',;&]+"
)
"""A secret in the header of a request."""
ELEMENT = compile_late(rf"(<{NAME}>)[^<]+(?=</)")
"""A secret in XML."""


def redact_assignments(line: str) -> str:
    """Return a line without the secrets that it assigns to names, as a whole or within it."""
    if (match := ASSIGNMENT.fullmatch(line)) and is_secret_name(match[2]):
        return f"{match[1]}{HIDDEN}"
    line = ELEMENT.sub(lambda found: f"{found[1]}{HIDDEN}" if is_secret_name(found[2]) else found[0], line)
    return "".join(_redact_pieces(HEADER.sub(rf"\1{HIDDEN}", line)))


def _redact_pieces(line: str) -> Iterator[str]:
    """Yield a line without the secrets within it."""
    at = 0
    for found in ASSIGNED.finditer(line):
        if found.end() > at and is_secret_name(next(filter(None, found.groups()))):
            value = VALUE.match(line, found.end())
            if value:
                yield f"{line[at : found.end()]}{value[1] or value[2] or ''}{HIDDEN}"
                at = value.end()
    yield line[at:]
