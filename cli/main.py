"""The `cluster0` command: the list of its sub-commands; every failure of theirs is handled here."""

from __future__ import annotations

import atexit
import gc
import os
from typing import Any

import click

from cli.lazy_group import Lazy, LazyGroup

CREATE = LazyGroup(
    "create",
    help="Write inputs, or the ISO made from them.",
    lazy={
        "config": Lazy("image_build.cluster_iso.inputs_cli:create_config", "Write commented sample inputs."),
        "manifests": Lazy(
            "image_build.cluster_iso.manifests_cli:create_manifests", "Write the inputs as manifests, to edit them."
        ),
        "image": Lazy("image_build.cluster_iso.cli:create_image", "Make the ISO that installs the cluster."),
        "pxe-files": Lazy(
            "image_build.cluster_iso.cli:create_pxe_files", "Make the files for a boot over the network."
        ),
    },
)

COMMANDS: dict[str, Lazy | click.Group] = {
    "create": CREATE,
    "validate": Lazy("image_build.cluster_iso.inputs_cli:validate", "Report everything that is wrong with the inputs."),
    "wait-for": Lazy("client.wait_for.cli:wait_for", "Follow the install to its end."),
    "status": Lazy("client.status.cli:status", "Show the state of the install now."),
    "hosts": Lazy("client.hosts.cli:hosts", "List, approve and retry hosts."),
    "events": Lazy("client.events.cli:events", "Show the events that node0 has recorded."),
    "gather": Lazy("client.gather.cli:gather", "Collect one support archive without secrets."),
    "replay": Lazy("replay.cli:replay", "Show what node0 would say of a recorded machine."),
    "payload": Lazy("image_build.payload.cli:payload", "Get one release of Kubernetes, with its images."),
    "image": Lazy("image_build.base_iso.cli:image", "Build the base live ISO."),
    "completion": Lazy("cli.completion:completion", "Print a shell's completion script."),
}


class Root(LazyGroup):
    """The root of all commands: turns failures into error messages and exit codes."""

    def invoke(self, ctx: click.Context) -> Any:
        from cli.failures import explained
        from cli.interruption import ended_like_ctrl_c

        if os.environ.get("NO_COLOR"):
            ctx.color = False
        _collect_seldom()
        with explained(ctx), ended_like_ctrl_c():
            return super().invoke(ctx)


def _collect_seldom() -> None:
    """Nearly all objects of a command are code and classes, which live until its end. The collector would visit them
    during the imports, and all of them when Python ends: a sixth of the time of `create image`."""
    gc.set_threshold(20_000)
    atexit.register(gc.freeze)


main = Root(
    "cluster0",
    lazy=COMMANDS,
    extensions="cluster0.commands",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=[],
    help="Installs the first Kubernetes cluster of a site from one ISO.\n\n"
    "In order: `create config`, edit the inputs, `validate`, `create image`, start the hosts from the ISO, "
    "`wait-for install-complete`.",
    epilog="Exit codes: 0 done, 1 bug, 2 usage, 3 configuration, 4 infrastructure, 5 bootstrap failed, "
    "6 install failed, 130 interrupted.",
)
main = click.version_option(package_name="cluster0", prog_name="cluster0")(main)
