"""Reads bbolt database files and writes them in canonical form: the same content gives the same bytes.

containerd keeps its metadata in two such files. Their bytes depend on the order and time of its transactions, so a
reproducible build rewrites them. A bucket becomes one leaf page of any size, which bbolt splits at its next change.

Format: https://github.com/etcd-io/bbolt, `internal/common/{page,meta,bucket}.go`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

_PAGE_SIZE = 4096
_INLINE_SIZE = _PAGE_SIZE // 4
_PAGE = struct.Struct("<QHHI")  # id, flags, count, overflow
_ELEMENT = struct.Struct("<IIII")  # flags, offset from the element, key size, value size
_BRANCH = struct.Struct("<IIQ")  # offset from the element, key size, page
_BUCKET = struct.Struct("<QQ")  # page (0: it follows inline), sequence
_META = struct.Struct(
    "<IIIIQQQQQ"
)  # magic, version, page size, flags, root page, sequence, freelist, pages, transaction
_MAGIC, _VERSION = 0xED0CDAED, 2
_IS_BRANCH, _IS_LEAF, _IS_META, _IS_FREELIST = 0x01, 0x02, 0x04, 0x10
_IS_BUCKET = 0x01
_FREELIST, _FIRST = 2, 3


class NotBoltError(ValueError):
    """The file is no bbolt database of this page size and version, or is truncated."""


@dataclass
class Bucket:
    """`entries`: value, or bucket within this one, by key. `sequence`: the last number assigned."""

    sequence: int = 0
    entries: dict[bytes, bytes | Bucket] = field(default_factory=dict)


def load(data: bytes) -> Bucket:
    """The root bucket as of the last transaction."""
    try:
        metas = [meta for at in (0, _PAGE_SIZE) if (meta := _valid_meta(data, at))]
        newest = max(metas, key=lambda meta: meta[8])
        return _read_bucket(data, newest[4], newest[5])
    except (struct.error, ValueError) as error:
        raise NotBoltError(str(error)) from error


def dump(root: Bucket) -> bytes:
    pages: list[bytes] = [b""] * _FIRST
    page = _write_bucket(root, pages)
    pages[_FREELIST] = _page(_FREELIST, _IS_FREELIST, 0, b"")
    for number in range(_FREELIST):
        pages[number] = _page(number, _IS_META, 0, _meta(page, root.sequence, len(pages), number))
    return b"".join(pages)


def _valid_meta(data: bytes, at: int) -> tuple[int, ...] | None:
    meta = _META.unpack_from(data, at + _PAGE.size)
    (checksum,) = struct.unpack_from("<Q", data, at + _PAGE.size + _META.size)
    begin = at + _PAGE.size
    intact = meta[:3] == (_MAGIC, _VERSION, _PAGE_SIZE) and checksum == _fnv64a(data[begin : begin + _META.size])
    return meta if intact else None


def _read_bucket(data: bytes, page: int, sequence: int) -> Bucket:
    bucket = Bucket(sequence)
    _read_page(data, page * _PAGE_SIZE, bucket)
    return bucket


def _read_page(data: bytes, at: int, bucket: Bucket) -> None:
    _, flags, count, _ = _PAGE.unpack_from(data, at)
    for index in range(count):
        element = at + _PAGE.size + index * _ELEMENT.size
        if flags & _IS_BRANCH:
            _, _, page = _BRANCH.unpack_from(data, element)
            _read_page(data, page * _PAGE_SIZE, bucket)
        else:
            _read_element(data, element, bucket)


def _read_element(data: bytes, at: int, bucket: Bucket) -> None:
    flags, offset, key_size, value_size = _ELEMENT.unpack_from(data, at)
    begin = at + offset
    key = data[begin : begin + key_size]
    value = data[begin + key_size : begin + key_size + value_size]
    if not flags & _IS_BUCKET:
        bucket.entries[key] = value
        return
    page, sequence = _BUCKET.unpack_from(value)
    if page:
        bucket.entries[key] = _read_bucket(data, page, sequence)
    else:
        inline = bucket.entries[key] = Bucket(sequence)
        _read_page(value, _BUCKET.size, inline)


def _write_bucket(bucket: Bucket, pages: list[bytes]) -> int:
    """Appends the pages of `bucket` and of all below it; returns the number of its own page."""
    elements = _elements(bucket, pages)
    number = len(pages)
    page = _page(number, _IS_LEAF, len(bucket.entries), elements)
    pages += [page[at : at + _PAGE_SIZE] for at in range(0, len(page), _PAGE_SIZE)]
    return number


def _elements(bucket: Bucket, pages: list[bytes]) -> bytes:
    headers, contents = b"", b""
    for index, (key, value) in enumerate(sorted(bucket.entries.items())):
        encoded = _bucket_value(value, pages) if isinstance(value, Bucket) else value
        offset = (len(bucket.entries) - index) * _ELEMENT.size + len(contents)
        headers += _ELEMENT.pack(_IS_BUCKET * isinstance(value, Bucket), offset, len(key), len(encoded))
        contents += key + encoded
    return headers + contents


def _bucket_value(bucket: Bucket, pages: list[bytes]) -> bytes:
    """Small buckets are inline in their parent's page, as bbolt writes them."""
    if not any(isinstance(value, Bucket) for value in bucket.entries.values()):
        inline = _PAGE.pack(0, _IS_LEAF, len(bucket.entries), 0) + _elements(bucket, pages)
        if len(inline) <= _INLINE_SIZE:
            return _BUCKET.pack(0, bucket.sequence) + inline
    return _BUCKET.pack(_write_bucket(bucket, pages), bucket.sequence)


def _page(number: int, flags: int, count: int, content: bytes) -> bytes:
    overflow = (_PAGE.size + len(content) - 1) // _PAGE_SIZE
    return (_PAGE.pack(number, flags, count, overflow) + content).ljust((overflow + 1) * _PAGE_SIZE, b"\0")


def _meta(root: int, sequence: int, pages: int, transaction: int) -> bytes:
    meta = _META.pack(_MAGIC, _VERSION, _PAGE_SIZE, 0, root, sequence, _FREELIST, pages, transaction)
    return meta + struct.pack("<Q", _fnv64a(meta))


def _fnv64a(data: bytes) -> int:
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value
