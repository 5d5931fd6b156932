"""Rows of tables: things by the names of their modules, so that reading a table imports none of them."""

from __future__ import annotations

import importlib
from typing import Any


def load(row: str) -> Any:
    """Import what a row names, which is written `module:name`."""
    module, _, name = row.partition(":")
    return getattr(importlib.import_module(module), name)
