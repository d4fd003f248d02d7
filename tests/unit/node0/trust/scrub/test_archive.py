"""Archives: what is packed in them is searched, within bounds."""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.machine.process import Processes, ProcessFailed
from node0.trust.scrub import Scrubber, archive, process, scrub_archive

TOKEN = b"eyJhbGciOiJFUzI1NiJ9.eyJyb2xlIjoiYWdlbnQifQ.c2lnbmF0dXJlLW9mLWl0"


def tar(**files: bytes) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as made:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            made.addfile(entry, io.BytesIO(content))
    return target.getvalue()


def scrubbed(tmp_path: Path, upload: bytes) -> tuple[dict[str, bytes], Counter[str]]:
    (tmp_path / "in").write_bytes(upload)
    removed = Scrubber(()).archive(tmp_path / "in", tmp_path / "out")
    with tarfile.open(tmp_path / "out") as made:
        return {one.name: (made.extractfile(one) or io.BytesIO()).read() for one in made}, removed


def test_a_scrubbed_archive_keeps_its_plain_files(tmp_path: Path) -> None:
    upload = io.BytesIO()
    with tarfile.open(fileobj=upload, mode="w") as made:
        for name, kind in (("../up/log", tarfile.REGTYPE), ("link", tarfile.SYMTYPE), ("a\x1b\nb", tarfile.REGTYPE)):
            entry = tarfile.TarInfo(name)
            entry.type, entry.size = kind, len(TOKEN) if kind == tarfile.REGTYPE else 0
            made.addfile(entry, io.BytesIO(TOKEN))
    files, removed = scrubbed(tmp_path, upload.getvalue())
    assert removed == Counter({"web token": 2})
    assert files == {"up/log": b"[removed:web-token]", "a\\x1b\\nb": b"[removed:web-token]"}


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_what_is_packed_in_an_archive_is_searched(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    inner = tar(log=TOKEN, rotated=gzip.compress(b"kept " + TOKEN))
    files, removed = scrubbed(tmp_path, pack(tar(inner=pack(inner), plain=b"kept")))
    assert removed == Counter({"web token": 2})
    assert files["plain"] == b"kept"
    with tarfile.open(fileobj=io.BytesIO(files["inner"])) as made:
        rotated = made.extractfile("rotated")
        assert rotated
        assert gzip.decompress(rotated.read()) == b"kept [removed:web-token]"


def test_what_cannot_be_unpacked_is_removed(tmp_path: Path) -> None:
    deep = TOKEN
    for _ in range(6):
        deep = gzip.compress(deep)
    upload = tar(deep=deep, xz=lzma.compress(TOKEN), damaged=gzip.compress(TOKEN)[:-10], kept=b"kept")
    files, removed = scrubbed(tmp_path, upload)
    assert files["xz"] == b"[removed:packed-file]"
    assert files["damaged"] == b"[removed:damaged-file]"
    assert files["kept"] == b"kept"
    assert removed == Counter({"packed file": 2, "damaged file": 1})


def test_an_archive_that_becomes_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 1_000_000)
    for upload in (
        tar(a=bytes(2_000_000)),
        gzip.compress(tar(a=bytes(2_000_000))),
        tar(a=gzip.compress(bytes(2_000_000))),
    ):
        with pytest.raises(ValueError, match="more than 1000000 bytes"):
            scrubbed(tmp_path, upload)


def test_an_archive_of_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_FILES", 2)
    with pytest.raises(ValueError, match="more than 2 files"):
        scrubbed(tmp_path, tar(a=b"", b=b"", c=b""))


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_header_as_large_as_a_file_is_refused(tmp_path: Path, kind: bytes) -> None:
    entry = tarfile.TarInfo("name")
    entry.type, entry.size = kind, 1_000_000
    with pytest.raises(ValueError, match="a header of 1000000 bytes"):
        scrubbed(tmp_path, entry.tobuf() + bytes(1_010_000))


async def test_a_process_of_its_own_does_the_same(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(tar(log=TOKEN + b" correct-horse-battery"))
    scrubber = Scrubber([b"correct-horse-battery"])
    await scrub_archive(scrubber, tmp_path / "in", tmp_path / "out", Processes())
    with tarfile.open(tmp_path / "out") as made, made.extractfile("log") or io.BytesIO() as log:
        assert log.read() == b"[removed:web-token] [removed:known-secret]"
    (tmp_path / "in").write_bytes(b"nonsense")
    with pytest.raises(ValueError, match="not a tar archive"):
        await scrub_archive(scrubber, tmp_path / "in", tmp_path / "out", Processes())
    with pytest.raises(ProcessFailed):
        await scrub_archive(scrubber, tmp_path / "missing", tmp_path / "out", Processes())


async def test_an_archive_that_takes_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "SECONDS", 0.01)
    (tmp_path / "in").write_bytes(tar(log=TOKEN))
    with pytest.raises(ValueError, match=r"within 0\.01 s"):
        await scrub_archive(Scrubber(()), tmp_path / "in", tmp_path / "out", Processes())


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    for upload in (b"\x1f\x8bnonsense", b"nonsense", b""):
        with pytest.raises(ValueError, match="not a tar archive"):
            scrubbed(tmp_path, upload)
