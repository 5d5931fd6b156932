"""CronJobs: schedules and time zones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from kitgen.check.server.constraints import at_least, not_empty, not_null, one_of, refused
from kitgen.check.server.rule_tables import Rules, nested
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID
from kitgen.findings import Problem, make_problem, suggest_word
from kitgen.text.patterns import compile_late
from kitgen.text.values import text_at
from kitgen.text.wording import describe_value, format_count, quote_text
from kitgen.text.yaml import JsonObject

LONGEST = 52
"""The characters of a name to which a Job's and a pod's own endings still fit."""
MONTHS = {"janfebmaraprmayjunjulaugsepoctnovdec"[3 * at : 3 * at + 3]: at + 1 for at in range(12)}
DAYS = {"sunmontuewedthufrisat"[3 * at : 3 * at + 3]: at for at in range(7)}
FIELDS: tuple[tuple[str, int, int, Mapping[str, int]], ...] = (
    ("minute", 0, 59, {}),
    ("hour", 0, 23, {}),
    ("day of the month", 1, 31, {}),
    ("month", 1, 12, MONTHS),
    ("day of the week", 0, 6, DAYS),
)
WORDS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
EVERY = compile_late(r"@every [+-]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)", re.ASCII)
DIGITS = compile_late(r"\+?[0-9]{1,9}")


def _check_cron_job(value: JsonObject) -> Iterator[Problem]:
    if (size := len(text_at(value, "metadata", "name"))) > LONGEST:
        yield make_problem(
            "server-limit",
            f"found a name of {format_count(size, 'character')}, expected at most {LONGEST}",
            ("metadata", "name"),
            "the Jobs that it makes have longer ones",
        )


def _check_schedule(spec: JsonObject, field: str) -> Iterator[Problem]:
    schedule = text_at(spec, field)
    if "TZ" in schedule:
        yield SERVER_INVALID(
            f"found {quote_text(schedule)}, expected no time zone in it", (field,), "use the field timeZone"
        )
    elif schedule and (fault := validate_schedule(schedule)):
        yield SERVER_INVALID(f"found {quote_text(schedule)}, expected {fault}", (field,))


def _check_time_zone(spec: JsonObject, field: str) -> Iterator[Problem]:
    if isinstance(zone := spec.get(field), str) and zone not in _read_time_zones():
        yield SERVER_INVALID(
            f"found {describe_value(zone)}, expected a known time zone",
            (field,),
            suggest_word(zone, list(_read_time_zones())),
        )


def validate_schedule(schedule: str) -> str:
    """Return what a schedule should be instead; nothing if it is valid."""
    if schedule.startswith("@"):
        return "" if schedule in WORDS or EVERY.fullmatch(schedule) else "@hourly, @daily… or @every 1h30m"
    if len(parts := schedule[:1000].split()) != len(FIELDS):
        return f"5 fields, not {len(parts)}"
    for part, (name, low, high, words) in zip(parts, FIELDS, strict=True):
        for each in filter(None, part.split(",")):
            if not _is_valid_range(each, low, high, words):
                return f"a {name} of {low} to {high}, not {quote_text(each)}"
    return ""


def _is_valid_range(text: str, low: int, high: int, words: Mapping[str, int]) -> bool:
    steps = text.split("/")
    ends = steps[0].split("-")
    if ends[0] in ("*", "?"):
        first, last = low, high
    else:
        found = [_parse_number(end, words) for end in ends]
        if len(ends) > 2 or any(end is None for end in found):
            return False
        first, last = found[0] or 0, found[-1] or 0
    if len(steps) > 2 or (len(steps) == 2 and not _parse_number(steps[1], {})):
        return False
    if len(steps) == 2 and len(ends) == 1:
        last = high
    return low <= first <= last <= high


def _parse_number(text: str, words: Mapping[str, int]) -> int | None:
    if text.lower() in words:
        return words[text.lower()]
    return int(text) if DIGITS.fullmatch(text) else None


@cache
def _read_time_zones() -> frozenset[str]:
    """Return the names of time zones that an API server knows."""
    from importlib.resources import files

    return frozenset(files("kitgen.check.server").joinpath("zones.txt").read_text("utf-8").split())


COUNT = at_least(0)
SELECTED = nested(
    refused(
        SERVER_FORBIDDEN,
        "found selector, expected none: the server makes the selector of each Job",
        "selector",
        when=lambda job: job.get("selector") is not None,
    ),
    refused(
        SERVER_FORBIDDEN,
        "found manualSelector, expected none: the server makes the selector of each Job",
        "manualSelector",
        when=lambda job: job.get("manualSelector") is True,
    ),
)
RULES: Rules = {
    "batch/v1.CronJob": _check_cron_job,
    "batch/v1.CronJobSpec": {
        "schedule": (not_empty, _check_schedule),
        "startingDeadlineSeconds": COUNT,
        "successfulJobsHistoryLimit": COUNT,
        "failedJobsHistoryLimit": COUNT,
        "concurrencyPolicy": one_of("Allow", "Forbid", "Replace", empty=True),
        "timeZone": _check_time_zone,
        "jobTemplate": (not_null, nested({"spec": SELECTED})),
    },
}
