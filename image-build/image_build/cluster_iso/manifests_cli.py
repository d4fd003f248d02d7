"""`cluster0 create manifests`."""

from __future__ import annotations

from pathlib import Path

import click

from cli.options import directory_option


@click.command("manifests", epilog="Edit them, move the two input files elsewhere, and run `cluster0 create image`.")
@directory_option
@click.option("--force", is_flag=True, help="Replace manifests that were edited.")
def create_manifests(directory: Path, force: bool) -> None:
    """Write DIR/cluster-manifests from install-config.yaml and agent-config.yaml.

    These are the manifests of the agent-based installer: AgentClusterInstall, ClusterDeployment, ClusterImageSet,
    InfraEnv, NMStateConfig and the pull secret; and cluster0.yaml for fields that these do not have. Every command
    that reads the two files also reads the manifests, and they give the same image.

    \b
    Examples:
      cluster0 create manifests --dir site
    """
    from cli.findings_text import text
    from inputs.write_manifests.create import create

    created = create(directory, force=force)
    if created.warnings:
        click.echo(f"{text(created.warnings)}\n", err=True)
    for path in created.files:
        click.echo(path)
