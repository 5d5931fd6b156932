"""Compare two values place by place, as a cluster would: what it cannot see does not count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kitgen.diff.objects.difference import ABSENT, Found
from kitgen.diff.objects.lists import compare_lists
from kitgen.diff.objects.spot import Spot, Told
from kitgen.kubernetes import definition
from kitgen.kustomize.mergekeys import Field
from kitgen.objects.quantities import same_amount
from kitgen.yamlio import Dialect, Json, YamlError, read

TIMESTAMP = "creationTimestamp"
"""Written as null by tools that mean nothing by it."""
NESTED = (dict, list)
QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"


def compare_values(left: Found, right: Found, spot: Spot) -> Iterator[Told]:
    """Yield every difference between two values and in them."""
    todo: list[Iterator[Told | tuple[Found, Found, Spot]]] = [iter([(left, right, spot)])]
    while todo:  # not by recursion: strangers nest deeply
        found = next(todo[-1], None)
        if found is None:
            todo.pop()
        elif isinstance(found, Told):
            yield found
        else:
            todo.append(_step(*found))


def _step(left: Found, right: Found, spot: Spot) -> Iterator[Told | tuple[Found, Found, Spot]]:
    """Yield what is different here, and the places below that are to be looked at."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys()):
            a, b = left.get(key, ABSENT), right.get(key, ABSENT)
            if key == TIMESTAMP and not spot.plain:
                a, b = (ABSENT if each is None else each for each in (a, b))
            if a is not b and (isinstance(a, NESTED) or not same(a, b)):
                yield a, b, spot.below(key)
    elif isinstance(left, list) and isinstance(right, list):
        yield from compare_lists(left, right, spot)
    elif not same(left, right):
        yield Told(spot, left, right, equal=is_quantity(spot.type) and same_amount(left, right))


def same(left: Found, right: Found) -> bool:
    """Tell whether two values that are no mappings and no lists are one; true is not 1, and 1 not 1.0."""
    return type(left) is type(right) and left == right


def compare_texts(left: Mapping[str, Json], right: Mapping[str, Json], spot: Spot) -> Iterator[Told]:
    """Compare texts of a ConfigMap: YAML and JSON in them by value."""
    left, right = (
        {key: text for key, text in side.items() if text is not None or key != TIMESTAMP}
        for side in (left, right)
    )
    spot = Spot(spot.above, spot.step, plain=True)
    for key in sorted(left.keys() | right.keys()):
        a, b = left.get(key, ABSENT), right.get(key, ABSENT)
        if a != b or type(a) is not type(b):
            yield from compare_values(_document(a), _document(b), spot.below(key))


def _document(text: Found) -> Found:
    """Return what a text holds if that is a mapping or a list, else the text itself."""
    if not isinstance(text, str) or not (":" in text or "[" in text):
        return text
    try:
        found = read(text, dialect=Dialect.TEXT)
    except YamlError:
        return text
    return found if isinstance(found, NESTED) else text


def is_quantity(field: Field | None) -> bool:
    """Tell whether Kubernetes takes what stands in a field as an amount."""
    return field is not None and field.schema == definition(QUANTITY, field.minor)
