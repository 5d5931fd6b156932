"""Check Services: the pods that they select, and the ports there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kitgen.check.references.creators import PODS
from kitgen.check.references.selectors import SELECTOR_UNMATCHED, get_match_labels
from kitgen.check.references.target_objects import ENOUGH, Found, TargetObjects, format_workloads
from kitgen.findings import Problem, Rule, get_rule, is_typo, make_problem, suggest_word
from kitgen.kube.image_reference import remove_tag
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import PROTOCOLS, PodView, Port, is_port_name, protocol_of
from kitgen.kube.selectors import LabelSelector, matches_labels
from kitgen.kube.services import service_selector
from kitgen.text.values import entries_at, text_at, value_at
from kitgen.text.wording import describe_value, join_words, quote_text
from kitgen.text.yaml import JsonObject

SERVICE_SELECTOR = get_rule("service-selector")
SERVICE_PORT = get_rule("service-port")

WATCHING = ("metric", "monitor", "prom")
"""In names of ports that are asked of every pod, not of any."""


USUAL = ("app", "component", "control-plane", "k8s-app", "name", "part-of", "tier")
"""How labels start that people give templates."""


def check_services(scene: TargetObjects) -> Iterator[Found]:
    """Yield Services that select nothing, too much, or ports that are not there."""
    for service in scene.objects_of("", "Service"):
        spec = value_at(service.body, "spec")
        terms = service_selector(service.body)
        if not isinstance(spec, dict) or spec.get("type") == "ExternalName" or not terms:
            continue
        if selected := scene.pods_matching(terms, service.id.namespace):
            whole = len(selected) < ENOUGH
            problems = [*_check_ports(spec, selected), *_check_mixed_pods(spec, selected)] if whole else []
        else:
            problems = list(_check_empty_selection(scene, service, terms))
        yield from ((service, wrong.prefix_path("spec")) for wrong in problems)


def _check_empty_selection(
    scene: TargetObjects, service: Manifest, terms: LabelSelector
) -> Iterator[Problem]:
    here = scene.pods_in(service.id.namespace)
    if any(matches_labels(terms, {**each.labels, **get_match_labels(each)}) for each in here):
        return  # their own selector does not match them, and a server refuses that
    doubt = scene.hint_for_controller(service.id.namespace)
    lacking = [_find_mismatched_labels(terms, each) for each in here]
    nearest = min(range(len(here)), key=lambda at: len(lacking[at] or terms), default=None)
    if nearest is not None and (keys := lacking[nearest]):
        labels = here[nearest].labels
        wanted = join_words(
            [f"{key}={value}" for key, value in keys.items()], last="and", most=3, say=describe_value
        )
        message = f"found no pod with {wanted}, expected the labels of {format_workloads([here[nearest]])}"
        key = next(iter(keys))
        hint = (
            f"it has {quote_text(f'{key}={labels[key]}')}"
            if key in labels
            else f"it has no label {quote_text(key)}"
        )
        rule = SELECTOR_UNMATCHED if doubt else SERVICE_SELECTOR
        yield rule(message, ("selector", key), hint)
        return
    if elsewhere := scene.pods_matching(terms):
        space = quote_text(elsewhere[0].namespace)
        message = (
            f"found a selector of pods in another namespace, expected that of {format_workloads(elsewhere)}"
        )
        yield SELECTOR_UNMATCHED(message, ("selector",), f"they are in {space}")
    elif (
        here
        and not scene.can_be_created(service.id.namespace, PODS)
        and not _lacks_runtime_labels(terms, here)
    ):
        message = f"found no pod with these labels, expected some as those of {format_workloads(here)}"
        nowhere = [term.key for term in terms if not any(term.matches(pod.labels) for pod in here)]
        yield SELECTOR_UNMATCHED(message, ("selector", *nowhere[:1]), doubt)


def _find_mismatched_labels(terms: LabelSelector, pod: PodView) -> dict[str, str] | None:
    """Return what keeps a selector from matching a pod that is surely meant; None if it may be none.

    A label with another value is what tells components apart, so that it must be a slip of the pen.
    """
    wrong = {term.key: term.values[0] for term in terms if not term.matches(pod.labels)}
    slips = [
        key
        for key, value in wrong.items()
        if key in pod.labels and len(value) > 2 and is_typo(value, str(pod.labels[key]))
    ]
    # Other labels may be set by whoever elects a leader.
    absent = [
        key
        for key in wrong
        if key not in pod.labels and (key.startswith(USUAL) or any(is_typo(key, each) for each in pod.labels))
    ]
    meant = len(wrong) == len(slips) + len(absent) and (len(wrong) < len(terms) or bool(slips))
    return wrong if meant else None


def _lacks_runtime_labels(terms: LabelSelector, pods: Sequence[PodView]) -> bool:
    """Return whether a pod lacks nothing but labels that somebody may give it when it runs."""
    for pod in pods:
        wrong = [term for term in terms if not term.matches(pod.labels)]
        if len(wrong) < len(terms) and not any(term.key in pod.labels for term in wrong):
            return True
    return False


def _check_ports(spec: JsonObject, selected: Sequence[PodView]) -> Iterator[Problem]:
    there = [port for pod in selected for port in pod.ports]
    for index, port in entries_at(spec, "ports"):
        key = "targetPort" if port.get("targetPort") is not None else "port"
        wanted = port.get(key)
        if protocol_of(port) not in PROTOCOLS:
            continue  # the server's rules report it
        same = filter_by_protocol(there, port)
        if is_port_name(wanted):
            if wanted not in {each.name for each in same}:
                yield report_unknown_port(SERVICE_PORT, port, key, there, selected).prefix_path(
                    "ports", index
                )
        elif (
            isinstance(wanted, int) and wanted > 0 and there and wanted not in (each.number for each in same)
        ):
            known = sorted({each.number for each in same if each.number})
            hint = f"{join_words(known, last='and')} would be declared" if known else ""
            message = f"found the port {wanted}, which {format_workloads(selected)} does not declare"
            yield make_problem("service-port-undeclared", message, ("ports", index, key), hint)


def filter_by_protocol(ports: Iterable[Port], value: JsonObject) -> list[Port]:
    """Return the ports of the protocol that another one has; one with a wrong protocol may be meant."""
    wanted = protocol_of(value)
    return [port for port in ports if port.protocol == wanted or port.protocol not in PROTOCOLS]


def report_unknown_port(
    rule: Rule, port: JsonObject, key: str, there: Sequence[Port], selected: Sequence[PodView]
) -> Problem:
    """Return that pods have no port of the name that a port has under a key, as what they have suggests."""
    wanted = str(port[key])
    message = f"found the port {quote_text(wanted)}, which {format_workloads(selected)} does not have"
    if other := next((each.protocol for each in there if each.name == wanted), ""):
        at = "protocol" if "protocol" in port else key
        return rule(
            f"{message} for {quote_text(protocol_of(port))}", (at,), f"it is declared for {quote_text(other)}"
        )
    names = sorted({each.name for each in filter_by_protocol(there, port) if each.name})
    known = f"it has {join_words(names, last='and', say=describe_value)}" if names else ""
    return rule(message, (key,), suggest_word(wanted, names) or known)


def _check_mixed_pods(spec: JsonObject, selected: Sequence[PodView]) -> Iterator[Problem]:
    if len(selected) < 2 or spec.get("clusterIP") == "None" or _has_only_metrics_ports(spec):
        return
    if len({_list_images(each) for each in selected}) > 1:
        yield make_problem(
            "service-mixed",
            f"found a selector of the pods of {format_workloads(selected)}, expected those of one of them",
            ("selector",),
            "they run different images",
        )


def _has_only_metrics_ports(spec: JsonObject) -> bool:
    """Return whether all ports are there to look at each pod, so that different ones may be selected."""
    ports = entries_at(spec, "ports")
    names = [f"{text_at(port, 'name')} {text_at(port, 'targetPort')}".lower() for _, port in ports]
    return bool(names) and all(any(word in name for word in WATCHING) for name in names)


def _list_images(pod: PodView) -> frozenset[str]:
    """Return what a pod runs, without tags and digests."""
    own = (each.body for each in pod.containers if each.kind == "containers")
    return frozenset(remove_tag(text_at(each, "image")) for each in own)
