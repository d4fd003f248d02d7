"""The input files of a lab's cluster. It reads them with the same library as `cluster0 create image`."""

from __future__ import annotations

from pathlib import Path

from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from inputs import manifests
from inputs.cluster_intent import cluster_intent
from inputs.extra_files import checks
from inputs.extra_files.manifests import FOLDERS
from inputs.extra_files.read import MIRROR
from inputs.load import AGENT_CONFIG, INSTALL_CONFIG, load_inputs
from inputs.manifests.documents import is_present

CLUSTER_FILES = (INSTALL_CONFIG, AGENT_CONFIG)
SOURCES = (*CLUSTER_FILES, manifests.DIRECTORY, *FOLDERS, MIRROR, checks.DIRECTORY)
"""The files and folders of a directory that `cluster0 create image` reads."""


def are_present(directory: Path) -> bool:
    """Whether `directory` has any of the cluster's inputs, complete or not."""
    return is_present(directory / manifests.DIRECTORY) or any((directory / name).exists() for name in CLUSTER_FILES)


def read(directory: Path) -> ClusterIntent:
    """The cluster that the inputs in `directory` describe; its ids are empty.

    Raises `ConfigurationError` with all findings, and `Problem` (`inputs-without-hosts`).
    """
    intent = cluster_intent(load_inputs(directory).valid_inputs(), cluster_id="", infra_env_id="", created_at="")
    if not intent.hosts:
        raise Problem(
            code="inputs-without-hosts",
            title=f"The inputs in {directory} list no hosts, so the lab does not know which machines to make.",
            remedy="List each host with its MAC addresses under `hosts:`.",
        )
    return intent
