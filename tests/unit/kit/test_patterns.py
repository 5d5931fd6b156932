"""A pattern in config.yaml may come from anybody, and so may the text: no pair of them takes long."""

from __future__ import annotations

import time

from some import rows

from kitgen.kit.config_type import check_config_declaration, check_config_value


@rows("pattern", ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*)*b", "^(([a-z])+.)+[A-Z]$"])
def test_no_pattern_makes_it_slow(pattern: str) -> None:
    before = time.process_time()
    field = {"type": "string", "pattern": pattern}
    assert [each.rule.id for each in check_config_value(field, "a" * 5_000 + "!")] == ["config-value"]
    assert time.process_time() - before < 2


@rows("pattern", ["(", "(?=a)b", "(?<!a)b", r"(a)\1", "((a{1000}){1000}){1000}"])
def test_a_pattern_that_go_does_not_read_is_a_problem(pattern: str) -> None:
    field = {"type": "string", "pattern": pattern, "default": "x"}
    (found,) = check_config_declaration({"fields": {"a": field}})
    assert (found.rule.id, found.path) == ("config-declaration", ("fields", "a", "pattern"))


def test_a_pattern_matches_anywhere() -> None:
    field = {"type": "string", "pattern": "[0-9]"}
    assert not list(check_config_value(field, "a1b"))
    assert list(check_config_value(field, "ab"))
