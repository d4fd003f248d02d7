"""Which block devices a container may open: its own disk and medium, and no other of this computer.

A BPF program of the type CGROUP_DEVICE is attached to the container's control group and works there whatever its
processes do, also as root (https://docs.ebpf.io/linux/program-type/BPF_PROG_TYPE_CGROUP_DEVICE/). Character devices
are not limited. It needs no controller of version 1, and none of the groups below can undo it.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from pathlib import Path

SYSCALL = {"x86_64": 321, "aarch64": 280}
# Commands, types and flags of linux/bpf.h.
MAP_CREATE, MAP_UPDATE, MAP_DELETE, PROG_LOAD, PROG_ATTACH = 0, 2, 3, 5, 8
MAP_TYPE_HASH, PROG_TYPE_CGROUP_DEVICE, ATTACH_CGROUP_DEVICE, ALLOW_MULTI = 1, 15, 6, 2
DEVICE_IS_BLOCK = 1
MAX_DEVICES = 256
KEY = struct.Struct("II")

_libc = ctypes.CDLL(None, use_errno=True)


class DeviceFilter:
    """Attached to `group`, a directory of the version 2 hierarchy, for as long as the group exists. Raises OSError."""

    def __init__(self, group: Path) -> None:
        self._map = _bpf(MAP_CREATE, struct.pack("5I", MAP_TYPE_HASH, KEY.size, 4, MAX_DEVICES, 0))
        program = _load(self._map)
        directory = os.open(group, os.O_RDONLY | os.O_DIRECTORY)
        try:
            _bpf(PROG_ATTACH, struct.pack("4I", directory, program, ATTACH_CGROUP_DEVICE, ALLOW_MULTI))
        finally:
            os.close(directory)
            os.close(program)

    def allow(self, major: int, minor: int) -> None:
        key, value = _buffer(KEY.pack(major, minor)), _buffer(struct.pack("I", 1))
        _bpf(MAP_UPDATE, struct.pack("I4xQQQ", self._map, ctypes.addressof(key), ctypes.addressof(value), 0))

    def forbid(self, major: int, minor: int) -> None:
        """The device must have been allowed."""
        key = _buffer(KEY.pack(major, minor))
        _bpf(MAP_DELETE, struct.pack("I4xQQQ", self._map, ctypes.addressof(key), 0, 0))

    def close(self) -> None:
        """The devices that are allowed now stay so."""
        os.close(self._map)


def _program(map_fd: int) -> bytes:
    """The context is `struct bpf_cgroup_dev_ctx`: access and type, major, minor; 1 allows and 0 forbids."""
    return b"".join([
        _instruction(0x61, 2, 1, 0),  # r2 = access_type
        _instruction(0x54, 2, 0, 0, 0xFFFF),  # r2 &= the type
        _instruction(0xB7, 0, 0, 0, 1),  # r0 = 1
        _instruction(0x55, 2, 0, 11, DEVICE_IS_BLOCK),  # no block device: return r0
        _instruction(0x61, 3, 1, 4),  # r3 = major
        _instruction(0x61, 4, 1, 8),  # r4 = minor
        _instruction(0x63, 10, 3, -8),  # the key, on the stack
        _instruction(0x63, 10, 4, -4),
        _instruction(0xBF, 2, 10),  # r2 = its address
        _instruction(0x07, 2, 0, 0, -8),
        _instruction(0x18, 1, 1, 0, map_fd),  # r1 = the map, in two instructions
        _instruction(0x00),
        _instruction(0x85, 0, 0, 0, 1),  # r0 = bpf_map_lookup_elem(r1, r2)
        _instruction(0x15, 0, 0, 1, 0),  # null: return r0
        _instruction(0xB7, 0, 0, 0, 1),  # r0 = 1
        _instruction(0x95),
    ])  # fmt: skip


def _instruction(code: int, target: int = 0, source: int = 0, offset: int = 0, value: int = 0) -> bytes:
    return struct.pack("BBhi", code, target | source << 4, offset, value)


def _load(map_fd: int) -> int:
    code, licence, log = _buffer(_program(map_fd)), _buffer(b"GPL\0"), ctypes.create_string_buffer(4096)
    addresses = ctypes.addressof(code), ctypes.addressof(licence), ctypes.addressof(log)
    count = len(code) // 8
    return _bpf(
        PROG_LOAD, struct.pack("2I2Q2IQ", PROG_TYPE_CGROUP_DEVICE, count, *addresses[:2], 1, len(log), addresses[2])
    )


def _buffer(content: bytes) -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(content, len(content))


def _bpf(command: int, attributes: bytes) -> int:
    """bpf(2). Raises OSError."""
    buffer = _buffer(attributes)
    result: int = _libc.syscall(SYSCALL[platform.machine()], command, buffer, len(attributes))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"bpf: {os.strerror(ctypes.get_errno())}")
    return result
