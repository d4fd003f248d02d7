"""Functions that may block an event loop, each with the reason."""

from __future__ import annotations

from typing import NamedTuple


class Allowed(NamedTuple):
    """`file`: the end of the path of the source file. `why`: what keeps the call short, or why it delays nothing."""

    file: str
    functions: frozenset[str]
    why: str


def _allowed(file: str, functions: str, why: str) -> Allowed:
    return Allowed(file, frozenset(functions.split()), why)


ALLOWED = (
    _allowed(
        "/agent/machine/files.py",
        "read attribute names write load",
        "Documents of a few kilobytes, on the live system in memory; on an installed one each is written once.",
    ),
    _allowed("/agent/kubernetes/kubeconfig.py", "read_kubeconfig", "A small file or two, once a connection."),
    _allowed("/agent/install/mounts.py", "mounted", "Makes and removes a directory in /run."),
    _allowed("/agent/install/resume.py", "resume", "Makes a directory in /run."),
    _allowed("/agent/install/ignite.py", "apply", "Writes Ignition's config in /run, where it is in memory."),
    _allowed("/agent/install/control_plane.py", "bootstrap mount_state", "Removes a file, makes a directory in /run."),
    _allowed("/agent/kubeadm/join.py", "_join_once", "Removes files in /run."),
    _allowed("/agent/kubeadm/static_pod_patches.py", "prepare", "Makes a directory in /run."),
    _allowed("/client/gather/run.py", "_known_secrets", "One small file of the user's directory."),
    _allowed("/client/gather/from_host.py", "collect", "One small file of ours, and archives as in unpack.py."),
    _allowed("/client/gather/unpack.py", "_files", "An archive in memory: what takes time is to unpack it."),
    _allowed("/client/gather/archive.py", "_put new_archive", "A command of its own, which waits for programs."),
    _allowed("/tempfile.py", "mkdtemp cleanup", "A directory of the process's own with a file or two."),
    _allowed("/logging/__init__.py", "emit", "A line for the journal, which reads as fast as we write."),
    _allowed("<frozen importlib._bootstrap>", "_find_and_load", "A module is imported once."),
)
