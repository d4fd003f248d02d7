"""I/O errors on the disks of a virtual machine, by QEMU's driver blkdebug.

libvirt opens a disk as two nodes: `libvirt-N-storage` is the image file, and `libvirt-N-format` above it is what the
guest's device uses. While the fault lasts, a third one between them fails each operation (QEMU, docs/devel/blkdebug.rst
and `blockdev-reopen` in qapi/block-core.json). A power cut ends QEMU, and so the fault.
"""

from __future__ import annotations

import json
from pathlib import Path

from cli.command import run
from vm_harness.faults.fault import Target
from vm_harness.machine import hypervisor

SECONDS = 30
EIO = 5
OPERATIONS = ("read", "write", "write-zeroes", "discard", "flush")
CACHE = {"direct": False, "no-flush": True}
"""That of `Domain`: cache="unsafe". A node that is opened again has to get all its options again."""


def fail_all(target: Target) -> None:
    """Each operation on each disk fails with EIO. Raises `Problem`, also where the machine is off."""
    nodes = _nodes(target)
    for image in target.node.disks:
        storage, errors = _storage(nodes, image), _errors(nodes, image)
        if errors in nodes:
            continue
        rules = [{"event": "none", "iotype": operation, "errno": EIO} for operation in OPERATIONS]
        _call(target, "blockdev-add", driver="blkdebug", image=storage, inject_error=rules, **_options(errors))
        _put_below(target, storage, errors)


def restore(target: Target) -> None:
    if not target.node.machine.is_on():
        return
    nodes = _nodes(target)
    for image in target.node.disks:
        storage, errors = _storage(nodes, image), _errors(nodes, image)
        if errors in nodes:
            _put_below(target, storage, storage)
            _call(target, "blockdev-del", node_name=errors)


def _put_below(target: Target, storage: str, file: str) -> None:
    """The guest's device uses the node `file` from now on."""
    device = {"driver": "raw", "file": file, "read_only": False, **_options(storage.replace("-storage", "-format"))}
    _call(target, "blockdev-reopen", options=[_by_qemus_names(device)])


def _options(name: str) -> dict[str, object]:
    return {"node_name": name, "discard": "unmap", "cache": CACHE}


def _storage(nodes: dict[str, str], image: Path) -> str:
    (name,) = (name for name, file in nodes.items() if file == str(image) and name.endswith("-storage"))
    return name


def _errors(nodes: dict[str, str], image: Path) -> str:
    return f"errors-of-{_storage(nodes, image)}"


def _nodes(target: Target) -> dict[str, str]:
    """Name → file."""
    listed = json.loads(_call(target, "query-named-block-nodes", flat=True))
    return {node["node-name"]: node["file"] for node in listed}


def _call(target: Target, command: str, **arguments: object) -> str:
    """QEMU's answer as JSON. Raises `Problem`."""
    request = json.dumps({"execute": command, "arguments": _by_qemus_names(arguments)})
    argv = ["virsh", "-c", hypervisor.uri(target.runtime), "qemu-monitor-command", "--return-value"]
    return run([*argv, target.name, request], timeout=SECONDS).stdout


def _by_qemus_names(arguments: dict[str, object]) -> dict[str, object]:
    return {name.replace("_", "-"): value for name, value in arguments.items()}
