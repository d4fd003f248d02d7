"""Makes a cluster's ISO from a copy of the base ISO by two byte-range writes: no tools and no privileges needed.

The base stays unchanged, and the output is complete or absent. The base and the arguments fully determine the content.
It contains secrets, so only the owner can read the file.
"""

from __future__ import annotations

from collections.abc import Mapping

from agent.model.problems import Problem
from image_build.cluster_iso.copy_ahead import CopyAhead
from image_build.iso_format import cpio, kargs
from image_build.iso_format.kargs import BootVariable
from image_build.iso_format.reader import BaseIso

# Where Ignition's `metal` platform looks for a config in the initramfs.
IGNITION_CONFIG = "usr/lib/ignition/user.ign"


def customise(copy: CopyAhead, base: BaseIso, ignition_json: bytes, boot: Mapping[BootVariable, str]) -> None:
    """Finishes `copy` of `base` with this Ignition config and these values in its boot menu.

    Problem: `embed-area-too-small`, `kernel-arguments-invalid`, `no-space`, `output-not-writable`.
    """
    ignition = ignition_area(ignition_json, size=base.ignition.size)
    menu = kargs.render(boot, size=base.kargs.size)
    copy.finish([(base.ignition.offset, ignition), (base.kargs.offset, menu)])


def ignition_area(ignition_json: bytes, *, size: int) -> bytes:
    """The area, `size` bytes: an initramfs archive with the config, then zeros, which the kernel skips."""
    content = cpio.gzipped({IGNITION_CONFIG: ignition_json})
    if len(content) > size:
        raise Problem(
            code="embed-area-too-small",
            title=f"The Ignition config takes {len(content)} bytes compressed, the base ISO has room for {size}.",
            detail=f"It is {len(ignition_json)} bytes long before compression.",
            remedy="Make extra manifests and files smaller, or build a base ISO with a larger --embed-area.",
        )
    return content.ljust(size, b"\0")
