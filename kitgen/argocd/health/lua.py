"""Run a health check on an object, as Argo CD does it, within bounds of time and memory.

A check may be anybody's. It runs in a Lua of its own that has what Argo CD gives a check, less what reaches
beyond the object: no files, programs, modules, clock, code from text, or Python.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from kitgen.findings import Problem, make_problem, suggest_word
from kitgen.findings.errors import KitgenError
from kitgen.text.patterns import compile_late
from kitgen.text.yaml import Json

GUARD = Path(__file__).with_name("guard.lua")
MAX_STEPS, MAX_SECONDS, EVERY = 1_000_000, 1.0, 100
"""Instructions of Lua; seconds, as Argo CD has it; and how often both are looked at."""
MAX_MEMORY = 64 * 1024 * 1024
MAX_SOURCE = 256 * 1024
"""Argo CD's configuration is one ConfigMap, which holds a MiB in all."""
PLACE = compile_late(r'\A(check|\[string "<python>"\]):(?P<line>\d+): ')
"""Where an error says that it is: in the check, or in what watches it."""
TWICE = "error in error handling"
"""What Lua says of a full stack if what watches the check finds no room there, either."""
LONGEST = 500
"""Characters of an error that are worth a look."""


class Status(StrEnum):
    """What Argo CD knows."""

    HEALTHY = "Healthy"
    PROGRESSING = "Progressing"
    DEGRADED = "Degraded"
    SUSPENDED = "Suspended"
    MISSING = "Missing"
    UNKNOWN = "Unknown"


class Health(Struct, frozen=True, kw_only=True):
    """What a check says of an object."""

    status: Status
    message: str


def run_health_check(source: str, body: Json) -> Health | Problem:
    """Return the health of an object, or what is wrong with the check; the line is that of the check."""
    if len(source) > MAX_SOURCE:
        return make_problem(
            "health-lua", f"found {len(source)} characters, expected at most {MAX_SOURCE}", line=1
        )
    if source.startswith("\x1b"):
        return make_problem("health-lua", "found compiled code, expected Lua", line=1)
    lupa = _import_lupa()
    runtime = lupa.LuaRuntime(
        encoding=None, register_eval=False, register_builtins=False, max_memory=MAX_MEMORY
    )
    try:
        guard = runtime.execute(_read_guard(), MAX_STEPS, MAX_SECONDS, EVERY)
        how, told, message, line = guard(source.encode(), _to_lua_value(runtime, body))
    except (lupa.LuaMemoryError, MemoryError):
        return _report_memory_limit(1)
    return _build_result(how.decode(), _decode_text(told), _decode_text(message), int(line))


def _build_result(how: str, told: str, message: str, line: int) -> Health | Problem:
    match how:
        case "done" if told in list(Status):
            return Health(status=Status(told), message=message)
        case "done":
            hint = suggest_word(told, list(Status)) or f"it is one of {', '.join(Status)}"
            return make_problem("health-lua", f"returns the status {told[:LONGEST]!r}", hint=hint, line=line)
        case "returned":
            return make_problem(
                "health-lua", f"returns {told}, expected a table", hint="with status and message", line=line
            )
        case "status" | "message":
            return make_problem("health-lua", f"returns a table with {how} {told}, expected text", line=line)
        case "spent":
            hint = "look for a loop without an end"
            return make_problem("health-lua", "does not end in time", hint=hint, line=line)
    if told == "not enough memory":
        return _report_memory_limit(line)
    if place := PLACE.match(told):
        told, line = told[place.end() :], int(place["line"]) if place[1] == "check" else line
    told = told.replace(TWICE, "stack overflow")
    return make_problem("health-lua", f"fails: {told[:LONGEST]}", line=line)


def _report_memory_limit(line: int) -> Problem:
    return make_problem("health-lua", f"takes more than {MAX_MEMORY // 2**20} MiB", line=line)


def _decode_text(data: bytes | None) -> str:
    return (data or b"").decode(errors="replace")


def _to_lua_value(runtime: Any, data: Json) -> Any:
    """Return data as Lua has it: numbers are floats, and null is nothing."""
    match data:
        case dict():
            pairs = ((str(key), value) for key, value in data.items() if value is not None)
            return runtime.table_from(
                {_encode_text(key): _to_lua_value(runtime, value) for key, value in pairs}
            )
        case list():
            return runtime.table_from([_to_lua_value(runtime, value) for value in data if value is not None])
        case str():
            return _encode_text(data)
        case bool() | None:
            return data
    try:
        return float(data)
    except OverflowError:
        return float("inf")


def _encode_text(text: str) -> bytes:
    return text.encode(errors="replace")


@cache
def _read_guard() -> bytes:
    return GUARD.read_bytes()


def _import_lupa() -> Any:
    """Return the Lua that is nearest to Argo CD's: 5.1."""
    try:
        from lupa import lua51  # type: ignore[import-untyped] # it has no types
    except ImportError as error:
        hint = "pip install 'kitgen[lua]'"
        raise KitgenError("to try health checks takes Lua, which is not installed", hint=hint) from error
    return lua51
