"""The command `kitgen bundle check`."""

from __future__ import annotations

import click

from kitgen.findings import Severity
from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, rule_names
from kitgen.report.finish import finish_command, make_reader, print_message
from kitgen.report.forms import FOR_PEOPLE, FORMS
from kitgen.report.options import fail_on_option, output_option
from kitgen.text.wording import format_count

PROFILES = ("olm", "operatorhub", "community", "certified")
SDK = "operator-sdk"


def split_names(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    """Take names that are given one by one, or several at once with commas."""
    return tuple(name for value in values for word in value.split(",") if (name := word.strip()))


@click.command(context_settings=HELP)
@click.argument("folder", metavar="DIR", shell_complete=make_completer(paths=True))
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="community",
    show_default=True,
    help="Who is to take the bundle; each asks for all that those before it do.",
)
@click.option(
    "--select",
    multiple=True,
    metavar="RULE",
    callback=split_names,
    shell_complete=make_completer(rule_names),
    help="Look for these rules alone; may be given again, or several with commas.",
)
@click.option(
    "--ignore",
    multiple=True,
    metavar="RULE",
    callback=split_names,
    shell_complete=make_completer(rule_names),
    help="Leave these rules out; may be given again, or several with commas.",
)
@click.option(
    "--from-catalog", is_flag=True, help="A catalog says the channels, so that bundles need not name any."
)
@fail_on_option
@output_option(*FORMS, SDK)
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
def check(
    folder: str,
    profile: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    from_catalog: bool,
    fail_on: str,
    output: str,
    quiet: bool,
) -> None:
    """Check OLM bundles as catalogs do, without a network.

    DIR is a bundle, whoever made it, its manifests alone, a package with a folder a version, or a folder of
    packages. The profile says whose rules count: those of OLM and opm, of operator-sdk's suite for
    OperatorHub, of the community's catalog, or of certification. CRDs and other objects are held to
    Kubernetes' own rules too, examples to the CRDs, and a bundle to the one that it replaces if that is
    there. With -o operator-sdk it is one of its external validators, whose exit code is 0 whatever it
    finds.

    \b
    kitgen bundle check bundle/
    kitgen bundle check bundle/ --profile certified --ignore csv-features
    kitgen bundle check bundle/ --select csv-icon,bundle-size
    """
    from kitgen.olm.check import BundleCheckRequest, run_bundle_check
    from kitgen.olm.operator_sdk_report import as_manifest_result
    from kitgen.olm.rules.profiles import Profile

    request = BundleCheckRequest(
        folder=folder, profile=Profile(profile), select=select, ignore=ignore, from_catalog=from_catalog
    )
    result = run_bundle_check(request)
    if output == SDK:
        click.echo(as_manifest_result(folder, result.findings, make_reader(None, result.texts)), nl=False)
        for remark in result.remarks:
            print_message(remark, quiet=quiet)
        return
    remarks = [*result.remarks]
    if output in FOR_PEOPLE and not result.findings:
        remarks.append(f"{format_count(result.bundles, 'bundle')}, no findings")
    finish_command(
        result.findings,
        None,
        output=output,
        texts=result.texts,
        remarks=remarks,
        fail_on=Severity(fail_on),
        quiet=quiet,
    )
