"""Every YAML reader at hand, each as a function from text to data."""

import io
from collections.abc import Callable
from typing import Any

import yaml
import yaml12  # type: ignore[import-untyped]
from ruamel.yaml import YAML

from kitgen.text import yaml as yamlio


def ruamel(text: str) -> Any:
    reader = YAML(typ="safe", pure=True)
    reader.version = (1, 2)
    return reader.load(io.StringIO(text))


READERS: dict[str, Callable[[str], Any]] = {
    "libyaml": lambda text: yaml.load(text, yaml.CSafeLoader),
    "pyyaml": lambda text: yaml.load(text, yaml.SafeLoader),
    "ruamel": ruamel,
    "yaml12": yaml12.parse_yaml,
    "spec": lambda text: yamlio.read_yaml(text, dialect=yamlio.Dialect.SPEC),
    "kubectl": lambda text: yamlio.read_yaml(text, dialect=yamlio.Dialect.KUBECTL),
}
