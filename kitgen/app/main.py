"""The entry point of kitgen and its table of commands; each command is imported only when it runs."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NoReturn

import click

from kitgen import __version__
from kitgen.report import streams
from kitgen.report.click_settings import COMPLETE, HELP

INTERRUPTED = 130
COMMANDS = {
    "render": ("kitgen.app.commands.render:render", "Render the targets into overlays/."),
    "build": ("kitgen.app.commands.build:build", "Print the final manifests of a target."),
    "check": ("kitgen.app.commands.check:check", "Check the kit, a target or any manifests."),
    "diff": ("kitgen.compare.commands.diff:diff", "Tell what changes on a cluster, worst first."),
    "drift": ("kitgen.compare.commands.drift:drift", "Report differences that nobody declared."),
    "conflicts": (
        "kitgen.compare.commands.conflicts:conflicts",
        "Tell what two would both own on a cluster.",
    ),
    "compare": ("kitgen.compare.commands.compare:compare", "Tell what differs from the real thing."),
    "import": ("kitgen.importing.commands.import_tree:import_", "Make a component's spec from real trees."),
    "list": ("kitgen.app.commands.list:list_", "Show releases, targets, components and versions."),
    "matrix": ("kitgen.release.commands.matrix:matrix", "Show which versions belong together."),
    "pin": ("kitgen.release.commands.pin:pin", "Move a target to a release."),
    "notes": ("kitgen.release.commands.notes:notes", "Write the notes of a release."),
    "tags": ("kitgen.release.commands.tags:tags", "Show the tags that a release's images get."),
    "why": ("kitgen.app.commands.why:why", "Tell where a rendered value comes from."),
    "rbac": ("kitgen.app.commands.rbac:rbac", "Tell who can do what where."),
    "show": ("kitgen.app.commands.show:show", "Print a spec with all that it builds on."),
    "flatten": ("kitgen.app.commands.flatten:flatten", "Write a spec out that builds on others."),
    "export": ("kitgen.app.commands.export:export", "Write the tree that the ODH operator mounts."),
    "sources": (
        "kitgen.release.commands.sources:sources",
        "Tell where the ODH operator takes manifests from.",
    ),
    "images": ("kitgen.app.main:images", "Work with the images of targets."),
    "mirror": ("kitgen.images.commands.mirror:mirror", "Write what carries images into a mirror."),
    "bundle": ("kitgen.app.main:bundle", "Work with OLM bundles."),
    "release": ("kitgen.app.main:release", "Make and check releases."),
    "argocd": ("kitgen.app.main:argocd", "Work with Argo CD."),
    "fleet": ("kitgen.app.main:fleet", "Work with many clusters."),
    "migrate": ("kitgen.app.main:migrate", "Move kinds to another group or version."),
    "crd": ("kitgen.app.main:crd", "Work with CRDs as short declarations."),
    "retire": ("kitgen.release.commands.retire:retire", "Remove a version or release that nothing needs."),
    "init": ("kitgen.app.commands.init:init", "Start a new kit."),
    "upgrade": ("kitgen.app.commands.upgrade:upgrade", "Rewrite specs of an older form."),
    "cache": ("kitgen.app.commands.cache:cache", "Show or clear results of earlier runs."),
    "schema": ("kitgen.app.commands.schema:schema", "Print a JSON Schema of the specs."),
    "completion": ("kitgen.app.commands.completion:completion", "Print a shell's completion script."),
}
CRD_COMMANDS = {
    "import": ("kitgen.importing.commands.crd_import:import_", "Turn real CRDs into declarations."),
    "outline": ("kitgen.app.commands.crd_outline:outline", "Show a CRD, one line a field."),
    "diff": ("kitgen.compare.commands.crd_diff:diff", "Tell what changes between CRDs, worst first."),
    "validate": ("kitgen.app.commands.crd_validate:validate", "Check custom resources against the CRDs."),
}
IMAGES_COMMANDS = {
    "list": ("kitgen.images.commands.list:list_", "List every image that targets can run."),
    "lock": ("kitgen.images.commands.lock:lock", "Put digests into the lock of a release."),
    "check": ("kitgen.images.commands.check:check", "Tell whether images are ready to be mirrored."),
}
BUNDLE_COMMANDS = {
    "write": ("kitgen.olm.commands.write:write", "Write a bundle for a catalog."),
    "check": ("kitgen.olm.commands.check:check", "Check OLM bundles as catalogs do."),
}
RELEASE_COMMANDS = {
    "new": ("kitgen.release.commands.new:new", "Write the next release."),
    "check": ("kitgen.release.commands.check:check", "Look for mistakes in releases."),
    "plan": ("kitgen.release.commands.plan:plan", "Show how far a release is, step by step."),
}
ARGOCD_COMMANDS = {
    "health": ("kitgen.argocd.commands.health:health", "Print health checks for Argo CD, or try them."),
}
FLEET_COMMANDS = {
    "plan": ("kitgen.argocd.commands.fleet_plan:plan", "Tell which cluster gets what, and when."),
}
MIGRATE_COMMANDS = {
    "plan": ("kitgen.migrate.commands.plan:plan", "Print the runbook of a migration."),
    "render": ("kitgen.migrate.commands.render:render", "Write what a phase of a migration brings."),
    "check": ("kitgen.migrate.commands.check:check", "Find what is old still, and what loses data."),
    "resources": ("kitgen.migrate.commands.resources:resources", "Turn exported objects into the new kinds."),
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and summary, and imports the one that runs."""

    def __init__(self, *args: Any, lazy: dict[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which people meet them."""
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self.lazy:
            return None
        module, _, name = self.lazy[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self.lazy.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command when there is none of that name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from kitgen.findings import suggest_word

            wanted = args[0] if args else ""
            hint = suggest_word(wanted, list(self.lazy))
            raise click.UsageError(f"no command {wanted!r}" + (f", {hint}" if hint else ""), ctx) from error


@click.group(cls=LazyGroup, lazy=COMMANDS, context_settings=HELP)
@click.version_option(__version__, prog_name="kitgen", message="%(prog)s %(version)s")
def cli() -> None:
    """Render one set of component specs into kustomize overlays for several downstreams.

    \b
    kitgen render          write overlays/ for all targets
    kitgen build odh       print what a cluster gets
    kitgen check           check specs and rendered objects
    """
    from kitgen.findings import limit_guesses  # for help, nothing but click is imported

    click.get_current_context().with_resource(limit_guesses())


@click.group(cls=LazyGroup, lazy=CRD_COMMANDS, context_settings=HELP)
def crd() -> None:
    """Work with CRDs as short declarations that name Kubernetes' types instead of copying them."""


@click.group(cls=LazyGroup, lazy=IMAGES_COMMANDS, context_settings=HELP)
def images() -> None:
    """List the images of targets, lock their digests, and check that they can be mirrored."""


@click.group(cls=LazyGroup, lazy=BUNDLE_COMMANDS, context_settings=HELP)
def bundle() -> None:
    """Work with OLM bundles, those of the kit and of others."""


@click.group(cls=LazyGroup, lazy=RELEASE_COMMANDS, context_settings=HELP)
def release() -> None:
    """Make releases from the specs, and check them."""


@click.group(cls=LazyGroup, lazy=ARGOCD_COMMANDS, context_settings=HELP)
def argocd() -> None:
    """Work with what Argo CD needs to know of the stack."""


@click.group(cls=LazyGroup, lazy=FLEET_COMMANDS, context_settings=HELP)
def fleet() -> None:
    """Work with the fleet: targets that Argo CD brings to many clusters."""


@click.group(cls=LazyGroup, lazy=MIGRATE_COMMANDS, context_settings=HELP)
def migrate() -> None:
    """Move kinds to another API group or version, phase by phase, without losing anything."""


def main(record: Callable[[], AbstractContextManager[None]] = nullcontext) -> NoReturn:
    """Run a command and exit; what goes wrong becomes a message and an exit code.

    The caller may record what the command prints.
    """
    # A command lives for a second and makes many small objects that all stay: collecting only costs.
    gc.disable()
    code: int | str | None = None
    try:
        streams.prepare_streams()
        try:
            with record():
                _run_command()
        except SystemExit as stop:
            code = stop.code
        sys.stdout.flush()
        sys.stderr.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except OSError as error:
        fail_unexpectedly(error)
    sys.exit(code)


def _run_command() -> None:
    try:
        if COMPLETE in os.environ:
            from kitgen.app.completion_shells import register_shells

            register_shells()
            cli.main(prog_name="kitgen", complete_var=COMPLETE, standalone_mode=False)
        # Not through cli.main, which has an answer of its own for a reader who has gone.
        with cli.make_context("kitgen", sys.argv[1:]) as context:
            cli.invoke(context)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except (KeyboardInterrupt, click.exceptions.Abort):
        sys.exit(INTERRUPTED)
    except click.ClickException as error:
        from kitgen.report.finish import exit_with_usage_error

        exit_with_usage_error(error)
    except Exception as error:  # noqa: BLE001 # a traceback says nothing to who runs kitgen
        _fail(error)


def _fail(error: Exception) -> NoReturn:
    from kitgen.findings.errors import KitgenError
    from kitgen.report.finish import exit_with_error

    if isinstance(error, KitgenError):
        exit_with_error(error)
    fail_unexpectedly(error)


def fail_unexpectedly(error: Exception) -> NoReturn:
    """Report an unexpected exception in one line; KITGEN_DEBUG shows the traceback."""
    from kitgen.findings.errors import KitgenError
    from kitgen.report.finish import exit_with_error

    if os.environ.get("KITGEN_DEBUG"):
        raise error
    hint = ""
    match error:
        case OSError():
            streams.drop_stdout()
            message = f"{error.filename or 'cannot write'}: {error.strerror or error}"
        case RecursionError():
            message = "the input is nested too deeply"
        case MemoryError():
            message = "the input takes more memory than there is"
        case _:
            message = f"kitgen failed: {type(error).__name__}: {error}"
            hint = "this is a fault of kitgen; KITGEN_DEBUG=1 shows where"
    exit_with_error(KitgenError(message, hint=hint))
