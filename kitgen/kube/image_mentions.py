"""Find images in objects of any kind: in containers, environment variables, arguments and texts.

The names of fields, keys, variables, parameters and options that mark a value as an image stand here too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, cast

from kitgen.findings import Path
from kitgen.kube.image_reference import LONGEST as LONGEST_REFERENCE
from kitgen.kube.image_reference import parse_image_reference
from kitgen.kube.pods import ContainerView, containers_of
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at, text_at
from kitgen.text.wording import text_of
from kitgen.text.yaml import Json, JsonObject

LONGEST = 300
"""No field and no variable has so long a name."""
NAME_WORD = compile_late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", re.ASCII)
"""A word of a name, whether humps, dashes or underscores part it from the others."""
OPTION = compile_late(r"--?(?:[a-z0-9-]+-)?(?:image|img)", re.ASCII)
ARGUMENT = compile_late(rf"{OPTION.pattern}=(.+)", re.ASCII)
"""The same with what it is set to."""
ALONE = compile_late(r"image|[a-z][A-Za-z0-9]*Image|RELATED_IMAGE_\w+|(?:[A-Z0-9]+_)*IMAGE", re.ASCII)
"""What holds one image and nothing else, so that a name alone is one."""
ENDS = ("image", "images", "img", "imgs")
OTHERS = frozenset(
    {
        *("registry", "registries", "repo", "repository", "repositories", "hub", "org", "prefix", "suffix"),
        *("tag", "tags", "version", "versions", "digest", "stream", "streams", "mirror", "mirrors"),
        *("pull", "push", "policy", "secret", "secrets", "host", "server", "service", "endpoint", "port"),
        *("path", "dir", "directory", "file", "type", "size", "format", "desc", "description", "selection"),
        *("namespace", "label", "labels", "time", "timeout", "period", "interval"),
    }
)
"""Words that say of something else that it has to do with images."""

MARKS = frozenset({"auto", "default", "none", "true", "false", "yes", "no", "always", "never", "custom"})
"""What stands for an image that something else says, or tells whether there is one."""


@lru_cache(maxsize=4096)
def is_image_key(name: str) -> bool:
    """Return whether a name speaks of images, and of nothing that they only have."""
    if len(name) > LONGEST or not ("mage" in name or "img" in name or "IM" in name):
        return False
    words = [each.lower() for each in NAME_WORD.findall(name.rpartition("/")[2])]
    spoken = any(each in ENDS for each in words) or bool(words and words[-1].endswith(("image", "images")))
    return spoken and OTHERS.isdisjoint(words)


def is_image_value(name: str, value: object) -> bool:
    """Return whether a value that is a name alone is an image, by what it stands under."""
    return isinstance(value, str) and value not in MARKS and ALONE.fullmatch(name[:LONGEST]) is not None


VARIABLE = compile_late(r"RELATED_IMAGE_\w+|(?:\w+_)?(?:IMAGE|IMG)(?:_URL|_REF)?", re.ASCII)
WORD = compile_late(r"(?:\\(?:[bfnrt]|u[0-9A-Fa-f]{4}))?([^\s\"'`,;=<>(){}|&\\]+)", re.ASCII)
"""What can be an image in a text, in a list or behind a key; brackets are parts of addresses.

A text in a text has its line breaks, quotes and brackets behind backslashes."""
LEADING = compile_late(r"(?:\w+:[-+])?(?:oci://|docker://|docker-pullable://)?", re.ASCII)
"""What stands before an image in a word: a variable of a shell whose default it is, and how it is fetched."""
BRACKETED = compile_late(r"\[[0-9A-Fa-f:.]+\](?::[0-9]+)?/", re.ASCII)
"""A registry that is an IPv6 address."""
ADDRESS = compile_late(r"[0-9]+(?:\.[0-9]+){3}", re.ASCII)
FEW = 64
"""Characters before a word that say what it is."""
PICTURE = compile_late(r".*\.(?:png|svg|jpe?g|gif|ico|webp|iso|img|qcow2|tar|gz|raw)", re.ASCII)
"""A file that is called an image, and is none of a container."""
SIGNS = compile_late(r"[\s$(){}\'\"]", re.ASCII)
"""What no image has: it is a sentence, a template or a script."""
VERSION = compile_late(r"v[0-9]+(?:(?:alpha|beta)[0-9]+)?:", re.ASCII)
"""The version of an API group, with a kind behind it."""
KEY = r"image(?:[._-]?(?:name|ur[il]|ref(?:erence)?))?"
"""How a key ends in a text that has an image behind it."""
KEYED = compile_late(
    rf"""(?:{KEY}["']?[ \t]*[:=]|(?<![^\s"'=])--?(?:[a-z0-9-]{{,{FEW}}}-)?(?:image|img)[ \t])"""
    r"""[ \t]*["']?([^\s"',;<>(){}|]+)""",
    re.ASCII | re.IGNORECASE,
)
"""A key or an option such as --image, and the image behind it."""
NO_IMAGES = frozenset({"github.com", "gitlab.com", "bitbucket.org"})
"""Hosts of repositories that hold no images."""
RELEASED = compile_late(
    r"[^.:/]+/(?:[^:@]*/)?"
    r"(?:[^/]+@.+|(?=[^/:]*[a-z])(?![^:]*\.(?:py|go|sh|js|ts|java|c|h|so|ya?ml|json|md|txt|conf|log):)"
    r"[^/:]+:(?:v?[0-9]+\.[0-9][\w.-]*|latest))",
    re.ASCII,
)
"""An organisation, a name and a version, as images of Docker Hub have them, and not the line of a file."""
EFFECTS = frozenset({"NoSchedule", "NoExecute", "PreferNoSchedule", "Exists", "Equal"})
"""What stands behind the key of a taint, as a tag would."""


class ImageWord(NamedTuple):
    """A word of a text that can be an image."""

    start: int
    text: str


class ImageMention(NamedTuple):
    """An image, and where it is named."""

    path: Path
    image: str
    policy: str
    """The imagePullPolicy, of a container that has one."""
    runs: bool
    """Whether a container runs it; else something names it that may run it."""


def walk_by_level(value: Json) -> Iterator[tuple[Path, Json]]:
    """Yield a value and all that is in it, with their paths."""
    todo: list[tuple[Path, Json]] = [((), value)]
    for here, each in todo:  # which grows meanwhile
        yield here, each
        if isinstance(each, dict):
            todo += [((*here, key), item) for key, item in each.items()]
        elif isinstance(each, list):
            todo += [((*here, index), item) for index, item in enumerate(each)]


def walk_mappings(body: Json) -> Iterator[tuple[Path, JsonObject]]:
    """Yield every mapping in an object, with its path."""
    return ((path, each) for path, each in walk_by_level(body) if isinstance(each, dict))


def find_mentions(within: Iterable[tuple[Path, JsonObject]]) -> Iterator[ImageMention]:
    """Yield the images in an object."""
    for path, mapping in within:
        for container in containers_of(mapping, path):
            yield from _find_container_mentions(container)
        if "relatedImages" in mapping:
            yield from (
                ImageMention((*path, "relatedImages", index, "image"), each["image"], "", runs=False)
                for index, each in entries_at(mapping, "relatedImages")
                if isinstance(each.get("image"), str)
            )


def _find_container_mentions(container: ContainerView) -> Iterator[ImageMention]:
    if isinstance(image := container.body.get("image"), str):
        yield ImageMention(
            container.path_to("image"), image, text_at(container.body, "imagePullPolicy"), runs=True
        )
    for at, each in container.variables:
        name, value = text_of(each.get("name")), each.get("value")
        if (
            isinstance(value, str)
            and VARIABLE.fullmatch(name)
            and (is_full_reference(value) or is_malformed_image(value))
        ):
            yield ImageMention(container.path_to("env", at, "value"), value, "", runs=False)
    for path, word in container.arguments:
        match = ARGUMENT.fullmatch(word) if len(word) <= LONGEST_REFERENCE else None
        if match and (is_full_reference(match[1]) or is_malformed_image(match[1])):
            yield ImageMention(container.path_to(*path), match[1], "", runs=False)


def is_full_reference(text: str) -> bool:
    """Return whether a text of any meaning is an image: it has a host, and a tag or digest."""
    found = parse_image_reference(text)
    return found is not None and "/" in text and bool(found.tag or found.digest)


def is_malformed_image(text: str) -> bool:
    """Return whether a text that is declared to be an image looks like one, and no node could parse it."""
    if len(text) > LONGEST_REFERENCE or text.startswith(("/", ".")) or "://" in text or SIGNS.search(text):
        return False  # a file, an address, or what something else fills in
    above, _, last = text.rpartition("/")
    says_which = ":" in last or "@" in text
    return bool(above) and says_which and not PICTURE.fullmatch(text) and parse_image_reference(text) is None


def is_image_text(text: str) -> bool:
    """Return whether a whole text of any meaning is an image, and not the name of a label or kind."""
    return is_full_reference(text) and ("." not in text.partition("/")[0] or _has_registry(text))


def find_images_in_text(text: str) -> list[str]:
    """Return the images that a text names, each once: it says their registry, or that they are images."""
    keyed, words = dict[str, None](), dict[str, None]()
    if "image" in (folded := text.lower()) or "img" in folded:
        keyed = dict.fromkeys(_trim_punctuation(match[1]) for match in KEYED.finditer(text))
    if "/" in text and (":" in text or "@" in text):  # without a tag or digest, nothing marks it as one
        words = dict.fromkeys(word.text for word in split_image_words(text))
    return [*dict.fromkeys((*filter(is_image_reference, keyed), *filter(_is_unmarked_image, words)))]


def parse_escaped_json(text: str) -> Json:
    """Return what a text says as JSON that has signs behind backslashes; None if it is nothing like it."""
    if "\\" not in text or text.lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        return cast("Json", json.loads(text))
    except (ValueError, RecursionError):
        return None


def find_images_under_key(key: str, text: str, *, values: bool = True) -> list[str]:
    """Return the images that a text under a key names; where texts are values, it may be one itself."""
    whole = [text.strip()] if values and is_image_text(text.strip()) else []
    return find_images_in_text(f"{key}={text}") or whole


def split_image_words(text: str) -> Iterator[ImageWord]:
    """Yield the words of a text that can be images, without what stands around them.

    A name alone can be anything.
    """
    for match in WORD.finditer(text):
        whole = match[1]
        if "/" not in whole and ":" not in whole[:-1]:
            continue
        word = whole.lstrip("*")
        word = LEADING.sub("", word if BRACKETED.match(word) else word.lstrip("["), count=1)
        yield ImageWord(match.start(1) + len(whole) - len(word), _trim_punctuation(word))


def _is_unmarked_image(word: str) -> bool:
    """Return whether a word is an image that nothing around it marks as one."""
    return _has_registry(word) or (is_full_reference(word) and RELEASED.fullmatch(word) is not None)


def _trim_punctuation(word: str) -> str:
    """Return a word without what ends a sentence or a list."""
    return word.rstrip(".:!?*]")


def is_image_reference(text: Json, *, sure: bool = False) -> bool:
    """Return whether a value declared to be an image is one; a name alone only where it is certain."""
    if not isinstance(text, str) or len(text) > LONGEST_REFERENCE or PICTURE.fullmatch(text):
        return False
    if (found := parse_image_reference(text)) is None or sure:
        return found is not None
    return ("/" in text or ":" in text) and any(map(str.isalpha, found.path))


def _has_registry(word: str) -> bool:
    """Return whether a word of a text is an image: its registry is a host, and it has a tag or digest."""
    host, _, rest = word.partition("/")
    if not is_registry_host(host) or host in NO_IMAGES or not any(map(str.isalpha, rest.partition(":")[0])):
        return False  # a range of addresses is none, either
    if VERSION.match(rest) or rest.rpartition(":")[2] in EFFECTS:
        return False
    return is_full_reference(word)


def is_registry_host(text: str) -> bool:
    """Return whether a text is the name of a registry, and not a number or what labels start with."""
    if (name := text.partition(":")[0]) == "localhost" or ADDRESS.fullmatch(name) or text.startswith("["):
        return True
    return "." in name and not name.rpartition(".")[2].isdigit() and not f".{name}".endswith(".kubernetes.io")
