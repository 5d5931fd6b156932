"""Probes and hooks: what asks a container how it is, and what runs when it starts and stops."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.check.server import values
from kitgen.check.server.rules import SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.text.wording import choice
from kitgen.text.yaml import JsonObject

HEADER = re.compile(r"[-A-Za-z0-9]+")
OF_PROBES = ("exec", "grpc", "httpGet", "tcpSocket")
OF_HOOKS = ("exec", "httpGet", "sleep", "tcpSocket")
TIMES = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
GRACE = 30
"""The seconds that a pod has to end unless it says otherwise."""


def _handler(value: JsonObject, known: tuple[str, ...]) -> Iterator[Problem]:
    """Yield the lack of a handler; of two, another rule tells."""
    if all(value.get(key) is None for key in known):
        yield SERVER_REQUIRED(f"found no handler, expected {choice(known)}")


def _probe(value: JsonObject) -> Iterator[Problem]:
    yield from _handler(value, OF_PROBES)
    yield from values.at_least(value, 0, *TIMES)
    yield from values.at_least(value, 1, "terminationGracePeriodSeconds")


def _hook(value: JsonObject) -> Iterator[Problem]:
    yield from _handler(value, OF_HOOKS)


def _command(value: JsonObject) -> Iterator[Problem]:
    yield from values.required(value, "command")


def _request(value: JsonObject) -> Iterator[Problem]:
    yield from values.port(value, "port")
    yield from values.one_of(value, "scheme", ("HTTP", "HTTPS"))


def _header(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "name")
    expected = "letters, digits and dashes"
    yield from values.fitting(value, "name", lambda found: HEADER.fullmatch(found) is not None, expected)


def _socket(value: JsonObject) -> Iterator[Problem]:
    yield from values.port(value, "port")


def of_container(value: JsonObject, grace: int | None) -> Iterator[Problem]:
    """Yield what the probes and hooks of a container may not say, each for what it is."""
    for name in PROBES:
        probe = values.mapping(value.get(name))
        threshold = values.number(probe.get("successThreshold"))
        if name != "readinessProbe" and threshold not in (None, 0, 1):
            message = f"found {threshold}, expected 1: one success is enough here"
            yield SERVER_INVALID(message, (name, "successThreshold"))
        if name == "readinessProbe":
            found = values.forbidden(probe, "in a readinessProbe", "terminationGracePeriodSeconds")
            yield from values.below_path(found, name)
    hooks = values.mapping(value.get("lifecycle"))
    for name in ("postStart", "preStop"):
        sleep = values.mapping(values.mapping(hooks.get(name)).get("sleep"))
        high = GRACE if grace is None else grace
        found = values.between(sleep, 0, high, "seconds")
        yield from values.below_path(found, "lifecycle", name, "sleep")


VALIDATORS: Validators = {
    "core/v1.ExecAction": _command,
    "core/v1.GRPCAction": _socket,
    "core/v1.HTTPGetAction": _request,
    "core/v1.HTTPHeader": _header,
    "core/v1.LifecycleHandler": _hook,
    "core/v1.Probe": _probe,
    "core/v1.TCPSocketAction": _socket,
}
