"""An ISO without the root image: boot loaders, kernel and initramfs of the base ISO, and the configuration."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from agent.model.problems import Problem
from cli.command import Commands, require_programs
from image_build.cluster_iso.whole_file import check_place
from image_build.iso_format import kargs
from image_build.iso_format.kargs import BootVariable
from image_build.iso_format.reader import BaseIso
from image_build.iso_format.release import NETWORK, ROOT_IMAGE
from image_build.reproducible import source_date_epoch

_LEFT_OUT = (ROOT_IMAGE, NETWORK)
_SECONDS = 600


def write_minimal_iso(base: BaseIso, output: Path, second: bytes, boot: Mapping[BootVariable, str]) -> None:
    """Writes `output`, complete or not at all. `second`: from `second_initramfs`, instead of the embed area.

    Problem: `program-missing`, `kernel-arguments-invalid`, `no-space`, `output-not-writable`, `iso-not-made`.
    """
    require_programs({"xorriso": "xorriso"})
    menu = kargs.render(boot, size=base.kargs.size)
    check_place(output, base.size - sum(base.files[path].size for path in _LEFT_OUT) + 2 * len(second))
    # TemporaryDirectory is of mode 0700, as the secrets in the parts require.
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=f".{output.name}.") as scratch:
        parts = {base.release.areas.ignition.path: second, base.release.areas.kargs.path: menu}
        made = _make(base, parts, Path(scratch))
        made.chmod(0o600)
        made.replace(output)


def _make(base: BaseIso, parts: Mapping[str, bytes], scratch: Path) -> Path:
    output = scratch / "minimal.iso"
    mapped: list[str | Path] = []
    for number, (name, content) in enumerate(parts.items()):
        (scratch / str(number)).write_bytes(content)
        mapped += ["-map", scratch / str(number), f"/{name}"]
    # For equal bytes from equal parts: xorriso puts the date into volume descriptors and GPT identifiers.
    xorriso = Commands(environment={"SOURCE_DATE_EPOCH": str(source_date_epoch())})
    ended = xorriso.run(
        ["xorriso", "-report_about", "WARNING", "-indev", base.path, "-outdev", output,
         "-rm", *(f"/{path}" for path in _LEFT_OUT), "--", *mapped,
         "-boot_image", "any", "replay", "-volume_date", "all_file_dates", f"={source_date_epoch()}"],
        timeout=_SECONDS, check=False,
    )  # fmt: skip
    if ended.exit_code != 0:
        raise Problem(
            code="iso-not-made",
            title=f"xorriso could not make the ISO; it ended with exit code {ended.exit_code}.",
            detail="\n".join(ended.stderr.splitlines()[-10:]),
            remedy="Is the disk full? Otherwise this is a bug of cluster0; please report it.",
        )
    return output
