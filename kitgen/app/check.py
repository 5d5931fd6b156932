"""Run `kitgen check` on a whole kit, on some of its targets, or on foreign manifests."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from pkgutil import resolve_name

from msgspec import Struct
from msgspec.structs import replace

from kitgen.check.table import OF_KITS
from kitgen.files.root import has_kit
from kitgen.findings import (
    Finding,
    check_expired_exceptions,
    check_stale_exceptions,
    deduplicate_findings,
    select_exceptions,
)
from kitgen.findings.errors import UsageError
from kitgen.kit.model import Release, Target
from kitgen.kube.definitions import list_supported_minors, parse_minors
from kitgen.text.wording import format_count, join_words
from kitgen.workspace.baselines import Baselines
from kitgen.workspace.checks import (
    CheckResult,
    check_shipped_releases,
    list_shipping_targets,
    list_target_releases,
    merge_results,
)
from kitgen.workspace.compilation import check_built_objects, compile_source
from kitgen.workspace.kit import OpenedKit, get_by_name
from kitgen.workspace.paths import check_paths
from kitgen.workspace.planned_targets import recall_component_findings
from kitgen.workspace.sources import (
    Kits,
    SourceKind,
    SourceName,
    add_revision_to_errors,
    locate_in_revision,
    parse_source,
)


class CheckRequest(Struct, frozen=True, kw_only=True):
    """What to check, and for what."""

    root: Path | None = None
    names: tuple[str, ...] = ()
    """Sources; the whole kit when empty."""
    release: str | None = None
    """One release instead of all that the targets ship."""
    kubernetes: str | None = None
    """A range of minors instead of the kit's."""
    baseline: str | None = None
    """A source: what is there before, instead of what targets say."""
    today: str = ""
    """The day on which exceptions must not be over; none is if it is empty."""

    @property
    def revisions(self) -> frozenset[str]:
        """Return the revisions that are looked at, which findings in them name before the file."""
        named = (*self.names, *((self.baseline,) if self.baseline else ()))
        return frozenset(found for each in named if (found := parse_source(each).revision))


def run_check(request: CheckRequest) -> CheckResult:
    """Check sources, or the whole kit when none is named."""
    asked = _parse_minors(request.kubernetes)
    kits = Kits(request.root)
    names = list(dict.fromkeys(kits.resolve(parse_source(name)) for name in request.names))
    baselines = Baselines(kits, request.baseline)
    if baselines.name and baselines.name.kind is SourceKind.STDIN and baselines.name in names:
        raise UsageError(
            "standard input is both what is checked and its baseline", hint="name a file for one"
        )
    if names and not has_kit(request.root):
        if request.release is not None:
            raise UsageError("--release needs a kit, and there is none here")
        return check_paths(names, asked or list_supported_minors(), None, None, baselines)
    names = names or [SourceName(kind=SourceKind.KIT)]
    parts = []
    for revision in dict.fromkeys(each.revision for each in names):
        opened = kits.open_at(revision)
        group = [each for each in names if each.revision == revision]
        with add_revision_to_errors(opened):
            found = _check_sources(opened, group, request.release, asked, baselines)
            if request.today and any(not each.is_foreign for each in group):
                over = check_expired_exceptions(
                    (*opened.kit.exceptions, *opened.kit.target_exceptions), request.today
                )
                found = replace(found, findings=(*found.findings, *over))
        before, others = baselines.split_findings(found.findings)
        parts.append(replace(found, findings=(*before, *locate_in_revision(others, opened))))
    baselines.require_used()
    return merge_results([*parts, CheckResult(texts=baselines.texts)])


def _check_sources(
    opened: OpenedKit,
    sources: list[SourceName],
    named: str | None,
    asked: tuple[int, ...],
    baselines: Baselines,
) -> CheckResult:
    """Check sources of one revision, for the requested minors or those of the specs."""
    release = get_by_name(opened.kit.releases, "release", named) if named is not None else None
    minors = asked or opened.kit.minors_for(release)
    whole = any(each.kind is SourceKind.KIT for each in sources)
    parts = [CheckResult(findings=opened.kit.warnings)]
    if whole:
        parts.append(CheckResult(findings=opened.kit.accepted))
        parts.append(_check_kit(opened, release, asked, baselines))
    elif baselines.name is not None:
        parts.append(CheckResult(findings=opened.load_declared_moves().unread))
    sources = [_apply_release_option(source, release) for source in sources]
    for wanted, chosen in _select_targets(opened, sources).items():
        before = partial(baselines.of_target, opened, release=wanted or None)
        parts.append(check_shipped_releases(opened, chosen.values(), wanted or None, asked, before=before))
    parts += [
        _check_component(opened, source, asked, baselines)
        for source in sources
        if source.kind is SourceKind.COMPONENT or source.component
    ]
    paths = [each for each in sources if each.is_foreign]
    parts.append(check_paths(paths, minors, opened, release, baselines))
    if paths:
        parts.append(CheckResult(remarks=_describe_disabled_rules(opened)))
    found = merge_results(parts)
    judged = opened.apply_exceptions(found.findings)
    as_said = release is None and baselines.name is None and asked in ((), opened.kit.minors)
    if whole and as_said and not any(each.is_blocking for each in judged):
        unmet = [
            *check_stale_exceptions(judged, select_exceptions(opened.kit.exceptions, asked=False)),
            *_check_stale_exceptions(opened, judged),
        ]
        judged = deduplicate_findings([*judged, *unmet])  # nothing cut the check short
    return replace(found, root=opened.root, minors=minors, findings=tuple(judged))


def _describe_disabled_rules(opened: OpenedKit) -> tuple[str, ...]:
    """Report which rules the kit disables: authors of foreign manifests may not expect it."""
    off = sorted(name for name, grade in opened.kit.grades.items() if grade is None)
    told = (
        f"{format_count(len(off), 'rule is', 'rules are')} off: {join_words(off, last='and', most=len(off))}"
    )
    return (f"{told} (kit.yaml)",) if off else ()


def _check_stale_exceptions(opened: OpenedKit, findings: list[Finding]) -> Iterator[Finding]:
    """Yield exceptions of targets for moves to other releases, and for what their upgrade does not break."""
    met = {(each.rule.id, each.accepted) for each in findings}
    for target in opened.kit.targets.values():
        for each in (own for own in target.exceptions if own.origin.file == target.origin.file):
            if each.after != target.release:
                yield each.report_stale("move", f"{target.name} pins {target.release}: remove it")
            elif each.before == target.upgrades_from and (each.rule, each.reason) not in met:
                yield each.report_stale("finding")


def _select_targets(opened: OpenedKit, sources: list[SourceName]) -> dict[str, dict[str, Target]]:
    """Return the targets to check whole, by the requested release; an empty one is all that they ship."""
    found: dict[str, dict[str, Target]] = {}
    for source in sources:
        if source.kind is SourceKind.RELEASE:
            found.setdefault(source.name, {}).update(
                (each.name, each) for each in list_shipping_targets(opened, source.name)
            )
        elif source.kind is SourceKind.TARGET and not source.component:
            target = opened.target(source.name)
            ships = list_target_releases(opened, target)
            if (
                source.version
                and get_by_name(opened.kit.releases, "release", source.version).name not in ships
            ):
                raise UsageError(
                    f"target {target.name} does not ship release {source.version}",
                    hint=f"it ships {join_words(ships, last='and')}",
                )
            found.setdefault(source.version, {})[target.name] = target
    return found


def _apply_release_option(source: SourceName, release: Release | None) -> SourceName:
    """Return a source in the release of --release; one that has a release or can have none is wrong usage."""
    if release is None or source.is_foreign or source.kind is SourceKind.KIT:
        return source
    if source.kind is SourceKind.COMPONENT:
        raise UsageError(f"{source} is of no release, so that --release says nothing of it")
    own = source.name if source.kind is SourceKind.RELEASE else source.version
    if own not in ("", release.name):
        raise UsageError(f"{source} names a release already, and --release another one")
    return source if own else replace(source, version=release.name)


def _check_component(
    opened: OpenedKit, source: SourceName, minors: tuple[int, ...], baselines: Baselines
) -> CheckResult:
    """Check one component, by itself or in a target."""
    made = compile_source(opened, source)
    there = baselines.of_source(opened, source)
    before = {source.name: there} if there is not None else {}
    found = check_built_objects(opened, source.name, made, minors, before)
    return CheckResult(objects=len(made.objects), findings=tuple(found))


def _parse_minors(text: str | None) -> tuple[int, ...]:
    """Read a range of minors from the command line."""
    try:
        return parse_minors(text) if text is not None else ()
    except ValueError as error:
        raise UsageError(f"--kubernetes: {error}") from error


def _check_kit(
    opened: OpenedKit, release: Release | None, minors: tuple[int, ...], baselines: Baselines
) -> CheckResult:
    """Check every component by itself, and every target in the releases that it ships."""
    from kitgen.check.images.related_images import check_unused_variables

    targets = list(opened.kit.targets.values())
    components = [each for versions in opened.kit.components.values() for each in versions.values()]
    if release is not None:
        targets = list_shipping_targets(opened, release.name)
        taken = {pair for each in targets for pair in each.component_versions(release).items()}
        components = [opened.kit.components[name][version] for name, version in sorted(taken)]
    findings = [*opened.check_targets(), *check_unused_variables(opened.kit)]
    for row in OF_KITS:
        findings += resolve_name(row)(opened, release)
    for component in components:
        findings += recall_component_findings(opened, component)
    name = release.name if release else None
    before = partial(baselines.of_target, opened, release=name)
    found = check_shipped_releases(opened, targets, name, minors, findings, before)
    return replace(found, findings=(*findings, *found.findings))
