"""Makes a cluster's ISO from the base ISO: one copy, two byte-range writes, no tool and no rights needed.

The base is never touched, and an output is either whole or not there. The content is exactly determined by the base
and the arguments. Secrets are inside, so the file is readable by its owner only.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from agent.api.problems import Problem
from image_build.iso import cpio, kargs
from image_build.iso.base_iso import BaseIso, read_base_iso
from image_build.iso.file_copy import copy_whole
from image_build.iso.iso9660 import Extent
from image_build.iso.kargs import BootVariable
from image_build.iso.whole_file import whole_file

# Where Ignition's `metal` platform looks for a config that came with the initramfs.
IGNITION_CONFIG = "usr/lib/ignition/user.ign"


def customise(base: Path, output: Path, ignition_json: bytes, boot: Mapping[BootVariable, str]) -> BaseIso:
    """Writes `output`: the ISO at `base` with this Ignition config and these values in its boot menu.

    Returns what was read of the base. Problem: `base-iso-missing`, `base-iso-damaged`, `embed-area-too-small`,
    `kernel-arguments-invalid`, `no-space`, `output-not-writable`.
    """
    image = read_base_iso(base)
    areas = _areas(image, ignition_json, boot)
    with whole_file(output, image.size) as target:
        with base.open("rb") as source:
            copy_whole(source, target)
        _write(target, areas)
    return image


def ignition_area(ignition_json: bytes, *, size: int) -> bytes:
    """The whole area, `size` bytes: an initramfs archive with the config, then zeros, which the kernel skips."""
    content = cpio.gzipped({IGNITION_CONFIG: ignition_json})
    if len(content) > size:
        raise Problem(
            code="embed-area-too-small",
            title=f"The Ignition config takes {len(content)} bytes compressed, the base ISO has room for {size}.",
            detail=f"It is {len(ignition_json)} bytes long before compression.",
            remedy="Make extra manifests and files smaller, or build a base ISO with a larger --embed-area.",
        )
    return content.ljust(size, b"\0")


def _areas(image: BaseIso, ignition_json: bytes, boot: Mapping[BootVariable, str]) -> list[tuple[Extent, bytes]]:
    ignition = ignition_area(ignition_json, size=image.ignition.size)
    return [(image.ignition, ignition), (image.kargs, kargs.render(boot, size=image.kargs.size))]


def _write(target: BinaryIO, areas: list[tuple[Extent, bytes]]) -> None:
    for extent, content in areas:
        target.seek(extent.offset)
        target.write(content)
