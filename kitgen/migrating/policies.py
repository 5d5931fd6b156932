"""What a migration says of a key: of itself, or of all that start like it."""

from __future__ import annotations

from kitgen.model.migration import MovedKey


def policy_of(key: str, keys: tuple[MovedKey, ...]) -> MovedKey | None:
    """Return what is said of a key: of itself, or of all that start like it, up to a slash."""
    fitting = [each for each in keys if key == each.key or key.startswith(f"{each.key}/")]
    return max(fitting, key=lambda each: len(each.key), default=None)


def new_name(key: str, said: MovedKey) -> str:
    """Return what a key becomes."""
    return said.to + key[len(said.key) :]


def result_of(key: str, keys: tuple[MovedKey, ...]) -> bool:
    """Tell whether a key is the new name of another one."""
    return any(each.to and (key == each.to or key.startswith(f"{each.to}/")) for each in keys)
