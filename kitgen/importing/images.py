"""Images of a new version: those of the component, those of a target, and operand images in variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from kitgen.findings import Path
from kitgen.importing.inversion import list_container_images
from kitgen.importing.older_spec import Expression, SpecLayer
from kitgen.importing.trees import InvertedTree
from kitgen.kit.model import Component
from kitgen.render.families.containers_inverse import repository_of
from kitgen.render.families.params_inverse import is_image
from kitgen.text.patterns import compile_late
from kitgen.text.values import map_at, value_at
from kitgen.text.yaml import Json


def select_component_images(reads: Sequence[InvertedTree], older: Component | None) -> dict[str, str]:
    """Return name → image of the component: what the first tree has whose target does not say it itself.

    An image that a target's tree has from elsewhere is the target's own, unless several trees have the same.
    """
    found: dict[str, str] = {}
    known = {name: repository_of(image) for name, image in older.images.items()} if older else {}
    for own in (False, True):
        for read in reads:
            settings = read.given.older.settings.images if read.given.older else {}
            for name, image in read.taken.images.items():
                common = len(reads) > 1 and len({each.taken.images.get(name) for each in reads}) == 1
                moved = known.get(name, repository_of(image)) != repository_of(image)
                foreign = read.given.who and moved and not common
                if not foreign and (name in settings) is own and not (own and name in known):
                    found.setdefault(name, image)
    return found


def was_container_image(reads: Sequence[InvertedTree], name: str) -> bool:
    """Return whether a container of the older spec ran an image in one of these trees."""
    return any(name in list_container_images(layer.words) for read in reads for layer in read.layers)


NAMED = compile_late(r"""\{\{ *images(?:\.(\w+)|\[["']([\w.-]+)["']\]) *\}\}""")


def name_operand_images(reads: Sequence[InvertedTree]) -> list[InvertedTree]:
    """Return trees whose variables name images, as parameters of one of them or an older spec do."""
    names = {
        path: name
        for read in reads
        for path, name in (*_find_older_variables(read), *_find_param_variables(read))
    }
    return [_name_images(read, names) for read in reads] if names else list(reads)


def _find_older_variables(read: InvertedTree) -> Iterator[tuple[Path, str]]:
    """Yield the variables that are the image of a name in the older spec."""
    for layer in read.layers:
        for container, each in map_at(layer.written.get("deployment"), "containers").items():
            for key, text in each.get("env", {}).items():
                if isinstance(text, str) and (found := NAMED.fullmatch(text)):
                    yield ("deployment", "containers", container, "env", key), found[1] or found[2]


def _find_param_variables(read: InvertedTree) -> Iterator[tuple[Path, str]]:
    """Yield the variables that follow the image of a parameter."""
    for key, each in map_at(read.taken.sections.get("params"), "keys").items():
        if "image" in each and "env" in each:
            yield ("deployment", "containers", each["env"], "env", key), each["image"]


def _name_images(read: InvertedTree, names: Mapping[Path, str]) -> InvertedTree:
    images, wanted = dict(read.taken.images), dict(read.wanted)
    for path, name in names.items():
        value = wanted.get(path)
        if isinstance(value, str) and is_image(value) and images.setdefault(name, value) == value:
            wanted[path] = _build_image_expression(path, name, read.layers)
    return replace(read, taken=replace(read.taken, images=images), wanted=wanted)


def _build_image_expression(path: Path, name: str, layers: Sequence[SpecLayer]) -> Json:
    """Return an expression for an image, or what it was in an older spec that has it in the same place."""
    for layer in layers:
        found = NAMED.fullmatch(str(value_at({**layer.written}, *path)))
        if found and name in found.groups():
            return value_at({**layer.words}, *path)
    plain = name.isidentifier() and not hasattr(dict, name)
    return Expression(f"{{{{ images.{name} }}}}" if plain else f'{{{{ images["{name}"] }}}}')
