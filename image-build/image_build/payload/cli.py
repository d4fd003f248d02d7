"""`cluster0 payload`: Kubernetes' programs and container images, built once per release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from agent.model.payload import PayloadSource
from image_build.cache import Cache
from image_build.payload.arguments import source_from
from image_build.payload.build import build_payload, deliver

EXISTING_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
EXISTING_DIRECTORY = click.Path(path_type=Path, exists=True, file_okay=False)


@click.group()
def payload() -> None:
    """Kubernetes' programs and container images, which `image build` puts into the base ISO."""


# fmt: off
@payload.command()
@click.option("--source", "kind", type=click.Choice([source.value for source in PayloadSource]), required=True,
              help="Where Kubernetes comes from, see above.")
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR",
              help="The payload's directory; an older payload there is replaced.")
@click.option("--mirror", metavar="URL",
              help="debian: mirror for Debian 12 and 13; a snapshot mirror fixes all versions. [default: mmdebstrap's]")
@click.option("--kubernetes-version", metavar="1.X.Y",
              help="upstream: the release.")
@click.option("--apt-repository", metavar="'URL SUITE [COMPONENT…]'",
              help="upstream: where the packages are, as in sources.list. [default: this host's repositories]")
@click.option("--apt-key", type=EXISTING_FILE,
              help="upstream: public key (.asc or .gpg) of --apt-repository.")
@click.option("--apt-auth", type=EXISTING_FILE,
              help="upstream: credentials for --apt-repository, in netrc form.")
@click.option("--registry", metavar="NAME",
              help="upstream: kubeadm's imageRepository, the images' name in the cluster. [default: kubeadm's own]")
@click.option("--registry-mirror", metavar="HOST[:PORT][/PATH]",
              help="upstream: fetch every image from here; names in the cluster do not change.")
@click.option("--registry-auth", type=EXISTING_FILE,
              help="upstream: credentials, an auth.json as skopeo login writes it.")
@click.option("--ca-file", type=EXISTING_FILE,
              help="upstream: CA (PEM) of the apt repository and the registry.")
@click.option("--network-plugin", type=EXISTING_DIRECTORY, metavar="DIR",
              help="upstream: a pod network's manifests (*.yaml), whose images are included. [default: host-gateway]")
def build(kind: str, output: Path, **options: Any) -> None:
    """Get one release of Kubernetes, check that it is complete, and write it to DIR.

    \b
    debian    compiles Kubernetes 1.20.2 from Debian 12's source package. It needs only a Debian
              mirror, takes about 8 minutes on two cores, and is for lab and CI only: that release is
              end-of-life, and there is no CoreDNS.
    upstream  takes packages from the Kubernetes project's apt repository and images from its registry,
              or from your mirrors of them.

    A payload is kept in ~/.cache/cluster0 (or $CLUSTER0_CACHE) under a hash of its inputs: a second build with
    the same inputs takes a moment. DIR shares its files with the cache where it can; do not edit them.

    \b
    Examples:
      cluster0 payload build --source debian -o payload
      cluster0 payload build --source upstream --kubernetes-version 1.33.1 -o payload
      cluster0 payload build --source upstream --kubernetes-version 1.33.1 -o payload \\
          --apt-repository 'https://mirror.example.org/kubernetes /' --apt-key kubernetes.asc \\
          --registry-mirror registry.example.org/k8s --registry-auth auth.json --ca-file ca.pem
    """
    source = source_from(PayloadSource(kind), {name: value for name, value in options.items() if value is not None})
    cache = Cache.of_user()
    entry = build_payload(source, cache)
    with cache.step("Output directory", 1) as copying:
        deliver(entry, output)
        copying.note = f"{entry.name} of the cache"
    click.echo(output)
