"""What the CRDs of a kit are called."""

from __future__ import annotations

from kitgen.kit.crd_names import DeclaredCrd, collect_resource_names


def test_a_declaration_has_the_last_word() -> None:
    mouse = {"kind": "Mouse", "plural": "mice", "singular": "mus"}
    names = collect_resource_names([DeclaredCrd("a.b", mouse, ("v1",))])
    assert (names.plural("a.b", "Mouse"), names.singular("a.b", "mice")) == ("mice", "mus")
    assert (names.plural("c.d", "Mouse"), names.singular("c.d", "mice")) == ("mouses", "mice")
