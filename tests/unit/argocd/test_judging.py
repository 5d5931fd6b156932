"""A health check may be anybody's: it ends, stays within memory, and reaches nothing."""

from __future__ import annotations

import sys
from time import monotonic

import pytest
from some import first

from kitgen.argocd.health import lua
from kitgen.argocd.health.lua import MAX_SOURCE, Health, Status, run_health_check
from kitgen.findings import Problem
from kitgen.findings.errors import ExitCode, KitgenError
from kitgen.text.yaml import Json

ENDLESS = {
    "loop": "while true do end",
    "caught": "while true do pcall(function() while true do end end) end",
    "caught once": "pcall(function() while true do end end)\nreturn {status = 'Healthy'}",
    "handled": "xpcall(function() while true do end end, function() while true do end end)",
    "its handler": "xpcall(function() error('x') end, function() while true do end end)",
    "metamethod": "tostring(setmetatable({}, {__tostring = function() while true do end end}))",
    "globals": "setmetatable(_G, {__index = function() while true do end end})\nreturn nothing",
    "without names": "local g, each = _G, pairs\nfor name in each(g) do g[name] = nil end\nwhile true do end",
    "shifting": "local t = {}\nfor i = 1, 50000 do t[i] = i end\nwhile true do table.insert(t, 1, 0) end",
    "sorting": "local t = {}\nfor i = 1, 6e4 do t[i] = i % 7 end\nwhile true do table.sort(t, rawequal) end",
    "joining": "local t = {}\nfor i = 1, 20000 do t[i] = i end\nwhile true do table.concat(t) end",
}
GREEDY = {
    "tables": "local t, m = {}, {}\nfor i = 1, 5e3 do m[i] = i end\nfor i = 1, 1e6 do t[i] = {unpack(m)} end",
    "text": "local s = 'x'\nwhile true do s = s .. s end",
    "caught": "local s = 'x'\npcall(function() while true do s = s .. s end end)\ns = s .. s .. s",
}
GONE = [
    *("io", "os", "debug", "package", "python", "string", "math", "coroutine", "require", "module", "load"),
    *("loadstring", "loadfile", "dofile", "getfenv", "setfenv", "collectgarbage", "gcinfo", "newproxy"),
]
WRONG = {
    "x(": (1, "fails: unexpected symbol"),
    "local a = 1\nlocal b = = 2": (2, "fails: unexpected symbol"),
    "\n\nreturn {status = obj.status.phase}": (3, "fails: attempt to index field 'status'"),
    "\nerror('boom')": (2, "fails: boom"),
    "error({})": (1, "fails: table"),
    "error()": (1, "fails: nil"),
    "error(setmetatable({}, {__tostring = function() while true do end end}))": (1, "fails: table"),
    "local function f() return f() + 1 end\nf()": (1, "fails: stack overflow"),
    "local a = 1": (1, "returns nil, expected a table"),
    "": (1, "returns nil, expected a table"),
    "\nreturn 'Healthy'": (2, "returns string, expected a table"),
    "return {status = 'Healthy'}, 1": (1, "returns number, expected a table"),
    "return {}": (1, "returns a table with status nil, expected text"),
    "return setmetatable({}, {__index = function() return 'Healthy' end})": (1, "with status nil"),
    "return {status = 'Healthy', message = {}}": (1, "returns a table with message table, expected text"),
    "return {status = 'healthy'}": (1, "returns the status 'healthy'"),
    "return {status = ('x'):rep(9)}": (1, "fails: attempt to index a string value"),
    "\x1bLua": (1, "found compiled code"),
    "-" * (MAX_SOURCE + 1): (1, "characters, expected at most"),
}


def problem(source: str, body: Json = None) -> Problem:
    told = run_health_check(source, body or {})
    assert isinstance(told, Problem), told
    assert told.rule.id == "health-lua"
    return told


@pytest.mark.parametrize("source", ENDLESS.values(), ids=ENDLESS)
def test_what_does_not_end_is_ended(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lua, "MAX_STEPS", lua.MAX_STEPS // 10)
    monkeypatch.setattr(lua, "MAX_SECONDS", lua.MAX_SECONDS / 10)
    assert_ended(source)


@pytest.mark.parametrize("name", first(["caught", "shifting"]))
def test_what_does_not_end_is_ended_in_seconds(name: str) -> None:
    start = monotonic()
    assert_ended(ENDLESS[name])
    assert monotonic() - start < 20


def assert_ended(source: str) -> None:
    found = problem(source)
    assert found.message == "does not end in time"
    assert 1 <= found.line <= source.count("\n") + 1


@pytest.mark.parametrize("source", GREEDY.values(), ids=GREEDY)
def test_what_takes_all_memory_is_ended(source: str) -> None:
    found = problem(source)
    assert (found.message, found.line) == ("takes more than 64 MiB", source.count("\n") + 1)


@pytest.mark.parametrize("name", GONE)
def test_what_reaches_further_is_not_there(name: str) -> None:
    assert run_health_check(f"return {{status = 'Healthy', message = type({name})}}", {}) == Health(
        status=Status.HEALTHY, message="nil"
    )


def test_the_way_back_to_functions_of_texts_is_shut() -> None:
    told = run_health_check("return {status = 'Healthy', message = tostring(getmetatable(''))}", {})
    assert told == Health(status=Status.HEALTHY, message="false")


@pytest.mark.parametrize(("source", "expected"), WRONG.items(), ids=[repr(key[:40]) for key in WRONG])
def test_what_is_wrong_is_told_with_its_line(source: str, expected: tuple[int, str]) -> None:
    found = problem(source)
    assert found.line == expected[0]
    assert expected[1] in found.message


def test_one_check_leaves_nothing_to_the_next() -> None:
    run_health_check(
        "table.insert = nil\nkept = 1\nobj.status = 1\nreturn {status = 'Healthy'}", body := {"a": 1}
    )
    told = run_health_check("return {status = 'Healthy', message = type(kept) .. type(table.insert)}", {})
    assert told == Health(status=Status.HEALTHY, message="nilfunction")
    assert body == {"a": 1}


@pytest.mark.parametrize(
    ("body", "source", "message"),
    [
        ({"a": [1, 2, 3]}, "#obj.a .. ' ' .. obj.a[3]", "3 3"),
        ({"a": None}, "type(obj.a)", "nil"),
        ({"a": True, "b": False}, "tostring(obj.a) .. tostring(obj.b)", "truefalse"),
        ({"a": 1.5, "b": 2**40}, "obj.a .. ' ' .. obj.b", "1.5 1099511627776"),
        ({"a": 10**400}, "tostring(obj.a > 1e300)", "true"),
        ({"é": "ü \U0001f600"}, "obj['é']", "ü \U0001f600"),
        ({}, "'\\255'", "\ufffd"),
    ],
)
def test_values_are_as_in_the_object(body: Json, source: str, message: str) -> None:
    told = run_health_check(f"return {{status = 'Healthy', message = {source}}}", body)
    assert told == Health(status=Status.HEALTHY, message=message)


def test_without_lua_it_is_the_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lupa", None)
    with pytest.raises(KitgenError) as raised:
        run_health_check("return {status = 'Healthy'}", {})
    assert raised.value.exit_code is ExitCode.ENVIRONMENT
    assert "kitgen[lua]" in raised.value.hint


@pytest.mark.parametrize("status", [each.value[:1] + each.value[2:] for each in Status])
def test_a_status_that_is_mistyped_is_told_in_plain_words(status: str) -> None:
    meant = next(each.value for each in Status if each.value[:1] + each.value[2:] == status)
    found = problem(f"return {{status = '{status}'}}")
    assert (found.message, found.hint) == (f"returns the status '{status}'", f"did you mean '{meant}'?")
    assert problem("return {status = 'Great'}").hint.startswith("it is one of Healthy, Progressing, ")
